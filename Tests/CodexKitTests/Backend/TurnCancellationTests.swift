import FoundationEssentials
import HTTP
import LocalServer
import Testing

@testable import CodexKit

/// Giving up, silence, and one connection for many requests.
struct TurnCancellationTests {
    private static let beginning = LocalAnswer.stream([
        .chunk(ResponsesScript.event(ResponsesScript.created())), .chunk(ResponsesScript.event(ResponsesScript.delta("a"))), .hang,
    ])

    @Test func nothingIsSentBeforeTheFirstEventIsAskedFor() async throws {
        let server = try await LocalServer(answers: [Self.beginning])
        let stream = try BackendFixture(server).stream()
        _ = stream
        #expect(await server.connectionCount() == 0)
        await server.stop()
    }

    @Test func cancellingTheReaderReachesTheServer() async throws {
        let server = try await LocalServer(answers: [Self.beginning])
        let fixture = try BackendFixture(server)
        let turn = Task { await fixture.collect() }
        await server.waitForRequests(1)
        turn.cancel()
        #expect(await server.waitForClosings(1).count == 1)
        let (_, error) = await turn.value
        #expect(error == nil || error?.code == .cancelled)
        #expect(await server.requests().count == 1)
        await server.stop()
    }

    @Test func cancellingDuringAWaitEndsIt() async throws {
        let server = try await LocalServer(answers: [.json(429, [:], fields: [("Retry-After", "50")])])
        let backend = CodexResponsesBackend(
            configuration: CodexResponsesBackendConfiguration(baseURL: try #require(URL(string: server.url))), http: HTTPClient(environment: [:]),
            environment: .init())
        let turn = Task { for try await _ in backend.respond(to: BackendFixture.request, as: FixedSessions()) {} }
        await server.waitForRequests(1)
        turn.cancel()
        _ = await turn.result
        #expect(await server.requests().count == 1)
        await server.stop()
    }

    @Test func leavingTheLoopClosesTheConnection() async throws {
        let server = try await LocalServer(answers: [Self.beginning])
        let fixture = try BackendFixture(server)
        for try await event in fixture.stream() {
            if case .textDelta = event { break }
        }
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test func silenceEndsAnAnswer() async throws {
        let server = try await LocalServer(answers: [Self.beginning])
        let fixture = try BackendFixture(server) { $0.streamIdleTimeout = 1 }
        let (events, error) = await fixture.collect()
        #expect(events.text == "a")
        #expect(error?.code == .timedOut)
        #expect(await server.waitForClosings(1).count == 1)
        await server.stop()
    }

    @Test func theRequestsOfATurnShareAConnection() async throws {
        let server = try await LocalServer(answers: [.events(ResponsesScript.text(["x"]))])
        let fixture = try BackendFixture(server)
        for _ in 0..<3 {
            #expect(await fixture.collect().error == nil)
            try await Task.sleep(for: .milliseconds(20))  // Until the end of the body has come, which nobody waits for.
        }
        #expect(await server.connectionCount() == 1)
        await server.stop()
    }

    @Test func nobodyListens() async throws {
        let server = try await LocalServer(answers: [Self.beginning])
        let fixture = try BackendFixture(server)
        await server.stop()
        let (events, error) = await fixture.collect()
        #expect(error?.code == .network)
        #expect(events.retries.count == 3)
        #expect(error?.message.contains("127.0.0.1") == true)
    }
}
