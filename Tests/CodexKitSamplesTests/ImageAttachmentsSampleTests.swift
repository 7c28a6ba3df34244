import CodexKit
import Foundation
import Testing

struct ImageAttachmentsSampleTests {
    @Test func textAndImage() async throws {
        let server = try await SampleServer(.says("A cat."))
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        // sample, with a value
        let imageData: Data = Data([0xFF, 0xD8, 0xFF, 0xE0])

        let stream = try await runtime.streamMessage(
            UserMessageRequest(
                text: "Describe this image",
                images: [.jpeg(imageData)]
            ),
            in: thread.id
        )
        // end of sample
        #expect(try await stream.answer() == "A cat.")
        let content = try await server.body(0)["input"]?[0]?["content"]
        #expect(content?[1]?["image_url"] == "data:image/jpeg;base64,/9j/4A==")
        #expect(try await runtime.messages(for: thread.id).first?.images.first?.data == imageData)
        await server.stop()
    }

    /// An image alone, and a tool that names one.
    @Test func imageAloneAndImagesOfTools() async throws {
        let server = try await SampleServer(.calls("draw"), .says("Here."))
        let png = try #require(URL(string: "data:image/png;base64,iVBORw0KGgoBAgM="))
        let draw = AgentRuntime.ToolRegistration(
            definition: ToolDefinition(name: "draw", description: "Draws.", inputSchema: ["type": "object"]),
            executor: AnyToolExecutor { call, _ in .success(invocation: call, content: [ToolResultContent.image(png)]) })
        let runtime = try await server.runtime(tools: [draw])
        let thread = try await runtime.createThread()
        let reply = try await runtime.reply(to: Request(images: [.png(Data([1]))]), in: thread.id)
        #expect(reply?.images.map(\.mimeType) == ["image/png"])
        await server.stop()
    }
}
