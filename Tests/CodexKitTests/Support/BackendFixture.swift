import FoundationEssentials
import HTTP
import LocalServer
import Testing

@testable import CodexKit

/// A backend that talks to a local server, on a clock of its own.
struct BackendFixture {
    let server: LocalServer
    let backend: CodexResponsesBackend
    let clock = FakeClock()
    let sessions: FixedSessions

    init(
        _ server: LocalServer, sessions: FixedSessions = FixedSessions(), change: (inout CodexResponsesBackendConfiguration) -> Void = { _ in }
    ) throws {
        self.server = server
        self.sessions = sessions
        var configuration = CodexResponsesBackendConfiguration(model: "gpt-5.4", baseURL: try #require(URL(string: server.url + "/v1")))
        change(&configuration)
        backend = CodexResponsesBackend(
            configuration: configuration, http: HTTPClient(environment: [:]), environment: .init(clock: clock.clock, random: { 0.5 }))
    }

    static let request = AgentBackendRequest(threadID: "thread-1", instructions: "Be brief.", input: [.text(.user, "Hello")])

    func stream(_ request: AgentBackendRequest = request) -> AgentTurnStream { backend.respond(to: request, as: sessions) }

    /// All events, and the error at the end if there was one.
    func collect(_ request: AgentBackendRequest = request) async -> (events: [AgentBackendEvent], error: AgentRuntimeError?) {
        var events: [AgentBackendEvent] = []
        do {
            for try await event in stream(request) { events.append(event) }
            return (events, nil)
        } catch {
            return (events, error as? AgentRuntimeError)
        }
    }
}

extension [AgentBackendEvent] {
    /// The visible text.
    var text: String { compactMap { if case .textDelta(_, let delta) = $0 { delta } else { nil } }.joined() }

    var retries: [(attempt: Int, delay: Duration, code: AgentRuntimeError.Code)] {
        compactMap { if case .retrying(let attempt, let delay, let reason) = $0 { (attempt, delay, reason.code) } else { nil } }
    }

    var completion: AgentBackendCompletion? {
        lazy.compactMap { if case .completed(let completion) = $0 { completion } else { nil } }.first
    }
}
