import CodexKit

@testable import EventLoop

/// Gives one session after the other; counts how often another was asked for.
final class FixedSessions: AgentSessionProviding {
    private let state: Locked<(sessions: [ChatGPTSession], replacements: Int)>

    init(_ sessions: [ChatGPTSession] = [TestTokens.session()]) { state = Locked((sessions, 0)) }

    var replacements: Int { state.withLock { $0.replacements } }

    func validSession() async throws -> ChatGPTSession {
        guard let session = state.withLock({ $0.sessions.first }) else {
            throw AgentRuntimeError(code: .missingSession, message: "Nobody is signed in.")
        }
        return session
    }

    func session(replacing rejected: ChatGPTSession) async throws -> ChatGPTSession {
        let next = state.withLock { state -> ChatGPTSession? in
            state.replacements += 1
            if state.sessions.count > 1 { state.sessions.removeFirst() }
            return state.sessions.first { $0.accessToken != rejected.accessToken }
        }
        guard let next else { throw AgentRuntimeError(code: .unauthorized, message: "The session is not accepted.", status: 401) }
        return next
    }
}
