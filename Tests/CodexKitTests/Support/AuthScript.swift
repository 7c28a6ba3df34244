import JSON
import LocalServer

@testable import CodexKit
@testable import EventLoop

/// A sign-in server that is strict: every refresh token works once, and only the newest.
final class AuthScript: Sendable {
    struct State {
        var serial = 0
        var refreshes = 0
        var exchanges = 0
        var reuses = 0
        /// Answers to give in place of the usual ones, first come, first served.
        var special: [LocalAnswer] = []
        var pendingPolls = 2
        var live: Set<String> = []
        var lifetime: Double = 4_000_000_000
        /// Before the answer to a refresh.
        var delay: Duration = .zero
    }

    let state = Locked(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var refreshes: Int { state.withLock { $0.refreshes } }
    var exchanges: Int { state.withLock { $0.exchanges } }
    var reuses: Int { state.withLock { $0.reuses } }

    /// Whether the server still takes this session's refresh token.
    func accepts(_ session: ChatGPTSession?) -> Bool { state.withLock { $0.live.contains(session?.refreshToken ?? "") } }

    func answer(_ request: LocalRequest) -> LocalAnswer {
        if let special = state.withLock({ $0.special.isEmpty ? nil : $0.special.removeFirst() }) { return special }
        switch request.path {
        case "/api/accounts/deviceauth/usercode":
            return .json(200, ["device_auth_id": "dev-1", "user_code": "ABCD-1234", "interval": "3"])
        case "/api/accounts/deviceauth/token":
            let isPending = state.withLock { state -> Bool in
                state.pendingPolls -= 1
                return state.pendingPolls >= 0
            }
            if isPending { return .json(request.index.isMultiple(of: 2) ? 403 : 404, ["error": "authorization_pending"]) }
            return .json(200, ["authorization_code": "code-1", "code_verifier": "verifier-1", "code_challenge": "unused"])
        case "/oauth/token": return token(FormCoding.decode(request.text) ?? [:])
        default: return .json(404, ["error": "no such path"])
        }
    }

    private func token(_ form: [String: String]) -> LocalAnswer {
        let isRefresh = form["grant_type"] == "refresh_token"
        let (json, delay) = state.withLock { state -> (JSONValue?, Duration) in
            if isRefresh {
                state.refreshes += 1
                guard state.live.remove(form["refresh_token"] ?? "") != nil else {
                    state.reuses += 1
                    return (nil, .zero)
                }
            } else {
                state.exchanges += 1
            }
            state.serial += 1
            let refresh = "refresh-\(state.serial)"
            state.live.insert(refresh)
            return (
                [
                    "access_token": .string(TestTokens.access(serial: state.serial, expires: state.lifetime)), "refresh_token": .string(refresh),
                    "id_token": .string(TestTokens.id()),
                ], isRefresh ? state.delay : .zero
            )
        }
        guard let json else {
            return .json(400, ["error": ["code": "refresh_token_reused", "message": "Your refresh token has already been used."]])
        }
        let answer = LocalAnswer.json(200, json)
        return delay > .zero ? LocalAnswer([.pause(delay)] + answer.steps) : answer
    }
}
