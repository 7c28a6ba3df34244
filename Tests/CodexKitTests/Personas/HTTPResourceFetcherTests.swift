import CodexKit
import FoundationEssentials
import LocalServer
import Testing

struct HTTPResourceFetcherTests {
    private func fetch(_ answers: [LocalAnswer], limit: Int = 1_000) async throws -> AgentResource {
        let server = try await LocalServer(answers: answers)
        let url = try #require(URL(string: server.url + "/skills/a.json"))
        do {
            let resource = try await HTTPResourceFetcher().fetch(url, limit: limit)
            await server.stop()
            return resource
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test func getsWhatIsThere() async throws {
        let resource = try await fetch([.whole(200, Array("Be kind.".utf8), type: "Text/Plain; charset=utf-8")])
        #expect(resource.data == Data("Be kind.".utf8))
        #expect(resource.mimeType == "text/plain")
    }

    @Test func followsToAnotherPage() async throws {
        let moved = LocalAnswer.whole(302, [], type: "text/plain", fields: [("Location", "/elsewhere")])
        #expect(try await fetch([moved, .whole(200, [65], type: "text/plain")]).data == Data([65]))
    }

    @Test(arguments: [301, 403, 404, 500]) func refusalsAreErrors(status: Int) async {
        do {
            _ = try await fetch([.whole(status, Array("secret page".utf8), type: "text/html")])
            #expect(Bool(false))
        } catch {
            let error = error as? AgentRuntimeError
            #expect(error?.code == .network)
            #expect(error?.message.contains("secret page") == false)
        }
    }

    @Test func stopsAtTheLimit() async throws {
        let answer = LocalAnswer.whole(200, [UInt8](repeating: 65, count: 1_001), type: "text/plain")
        #expect(await code { try await fetch([answer]) } == .invalidResponse)
        #expect(try await fetch([answer], limit: 1_001).data.count == 1_001)
    }

    @Test func anEndlessAnswerEnds() async {
        let answer = LocalAnswer.stream([.endless([UInt8](repeating: 65, count: 500))], type: "text/plain")
        #expect(await code { try await fetch([answer]) } == .invalidResponse)
    }

    @Test func addressesThatAreNoneFail() async {
        #expect(await code { try await HTTPResourceFetcher().fetch(URL(filePath: "/etc/passwd"), limit: 10) } == .invalidConfiguration)
    }
}
