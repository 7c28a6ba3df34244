import CodexKit
import FoundationEssentials
import Testing

struct ImageTests {
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])

    private struct Fetcher: AgentResourceFetching {
        func fetch(_ url: URL, limit: Int) async throws -> AgentResource {
            switch url.lastPathComponent {
            case "good.png": return AgentResource(data: ImageTests.png)
            case "text": return AgentResource(data: Data("no image".utf8), mimeType: "image/png")
            default: throw AgentRuntimeError(code: .network, message: "down")
            }
        }
    }

    @Test func imagesGoToTheModelAlsoWithoutText() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("A cat.")))
        let thread = try await fixture.runtime.createThread()
        _ = try await fixture.runtime.send(Request(images: [.jpeg(Data([1])), .png(Data([2]))]), in: thread.id)
        #expect(
            await fixture.requests.last?.input == [
                .message(.user, [.image(Data([1]), mimeType: "image/jpeg"), .image(Data([2]), mimeType: "image/png")])
            ])
        #expect(try await fixture.runtime.messages(for: thread.id).first?.images.map(\.mimeType) == ["image/jpeg", "image/png"])
    }

    @Test func imagesOfTheModelComeWithItsNextMessage() async throws {
        let made: ScriptedBackend.Step = .event(.image(AgentGeneratedImage(id: "i", data: Self.png, mimeType: "image/png")))
        let fixture = try await RuntimeFixture(ScriptedBackend([made] + .text("Here."), [made, .event(.completed(.init(responseID: "r")))]))
        let thread = try await fixture.runtime.createThread()
        let first = try await fixture.runtime.reply(to: Request(text: "draw"), in: thread.id)
        #expect(first?.text == "Here." && first?.images.map(\.data) == [Self.png])
        let second = try await fixture.runtime.reply(to: Request(text: "draw"), in: thread.id)
        #expect(second?.text == "" && second?.images.count == 1)
    }

    @Test(arguments: [
        ("https://example.com/good.png", 1), ("https://example.com/text", 0), ("https://example.com/gone", 0),
        ("data:image/png;base64,iVBORw0KGgoBAgM=", 1), ("data:image/png;base64,%%%", 0), ("data:text/plain,hello", 0),
    ])
    func imagesThatToolsNameAreShown(address: String, count: Int) async throws {
        let url = try #require(URL(string: address))
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("draw"), .text("Done."))) {
            $0.tools = [
                .init(definition: .test("draw"), executor: AnyToolExecutor { call, _ in .success(invocation: call, content: [.image(url)]) })
            ]
            $0.resourceFetcher = Fetcher()
        }
        let thread = try await fixture.runtime.createThread()
        let reply = try await fixture.runtime.reply(to: Request(text: "x"), in: thread.id)
        #expect(reply?.text == "Done.")
        #expect(reply?.images.count == count)
        #expect(await fixture.requests.last?.input.last == .functionCallOutput(callID: "call_draw_0", output: [.image(url)]))
    }

    @Test func imagesBeyondTheLimitAreLeftOut() async throws {
        let url = try #require(URL(string: "data:image/png;base64,iVBORw0KGgoBAgM="))
        let fixture = try await RuntimeFixture(ScriptedBackend(.call("draw"), .text("Done."))) {
            $0.tools = [.init(definition: .test("draw"), executor: AnyToolExecutor { call, _ in .success(invocation: call, content: [.image(url)]) })]
            $0.limits.toolImageBytes = 5
        }
        let thread = try await fixture.runtime.createThread()
        #expect(try await fixture.runtime.reply(to: Request(text: "x"), in: thread.id)?.images.isEmpty == true)
    }

    @Test(arguments: [
        ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), (Array("GIF89a".utf8), "image/gif"), (Array("RIFFxxxxWEBP".utf8), "image/webp"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
    ] as [([UInt8], String)])
    func kindsAreToldFromTheBytes(bytes: [UInt8], type: String) { #expect(AgentImageAttachment(Data(bytes))?.mimeType == type) }

    @Test(arguments: [[], [0xFF], Array("RIFFxxxxWAVE".utf8), Array("<svg/>".utf8)] as [[UInt8]])
    func otherBytesAreNoImage(bytes: [UInt8]) { #expect(AgentImageAttachment(Data(bytes)) == nil) }

    @Test func importedContentIsMarkedAsWhatItIs() throws {
        let link = try #require(URL(string: "https://example.com/a"))
        let content = AgentImportedContent(textSnippets: [" one ", "", "two", "one"], urls: [link, link], images: [.png(Data([1]))])
        let request = Request(prompt: "  Summarise. ", importedContent: content)
        #expect(request.text == "Summarise.\n\nShared text:\none\n\ntwo\n\nShared links:\n- https://example.com/a")
        #expect(request.images.count == 1)
        #expect(Request(importedContent: AgentImportedContent(textSnippets: [" "])).isEmpty)
        #expect(AgentImportedContent(textSnippets: ["\n"]).isEmpty && !content.isEmpty)
    }
}
