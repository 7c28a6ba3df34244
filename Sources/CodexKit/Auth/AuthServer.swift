import HTTP
import JSON

/// The requests that both ways of signing in make, and the meaning of their failures.
struct AuthServer: Sendable {
    let configuration: ChatGPTAuthConfiguration
    let http: HTTPClient
    let clock: AuthClock

    private static let longestAnswer = 256 * 1024

    func post(json: JSONValue, to path: String) async throws(AgentRuntimeError) -> ServerAnswer {
        try await post(json.encoded(), type: "application/json", to: path)
    }

    func post(form: [(String, String)], to path: String) async throws(AgentRuntimeError) -> ServerAnswer {
        try await post(Array(FormCoding.encode(form).utf8), type: "application/x-www-form-urlencoded", to: path)
    }

    private func post(_ body: [UInt8], type: String, to path: String) async throws(AgentRuntimeError) -> ServerAnswer {
        var request = HTTPRequest(
            "POST", configuration.issuer + path,
            fields: [
                HTTPField("Content-Type", type), HTTPField("Accept", "application/json"), HTTPField("originator", configuration.originator),
            ], body: body)
        request.totalTimeout = configuration.requestTimeout
        request.maximumBodyLength = Self.longestAnswer
        do throws(HTTPError) {
            let response = try await http.send(request)
            return ServerAnswer(status: response.status, fields: response.fields, body: try await response.collect(limit: Self.longestAnswer))
        } catch {
            throw .from(error)
        }
    }

    /// Exchanges an authorization code for a session.
    func exchange(code: String, verifier: String, redirectURI: String) async throws(AgentRuntimeError) -> ChatGPTSession {
        let answer = try await post(
            form: [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI), ("client_id", configuration.clientID),
                ("code_verifier", verifier),
            ], to: "/oauth/token")
        guard answer.isSuccess, !answer.isChallenge else { throw failure(answer, as: .tokenExchangeFailed, "The sign-in could not be completed") }
        guard let session = TokenAnswer(answer.json)?.session(replacing: nil, now: clock.now()) else {
            throw AgentRuntimeError(
                code: .tokenExchangeFailed, message: "The sign-in could not be completed: the server's answer holds no session. Try again.")
        }
        return session
    }

    func refresh(_ session: ChatGPTSession) async throws(AgentRuntimeError) -> ChatGPTSession {
        guard let token = session.refreshToken, !token.isEmpty else {
            throw AgentRuntimeError(code: .refreshFailed, message: "The session has ended and cannot be renewed; sign in again.", status: 401)
        }
        let answer = try await post(
            form: [
                ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", configuration.clientID),
                ("scope", "openid profile email"),
            ], to: "/oauth/token")
        guard answer.isSuccess, !answer.isChallenge else { throw failure(answer, as: .refreshFailed, "The session could not be renewed") }
        guard let session = TokenAnswer(answer.json)?.session(replacing: session, now: clock.now()) else {
            throw AgentRuntimeError(
                code: .refreshFailed, message: "The session could not be renewed: the server's answer holds no session. Try again.")
        }
        return session
    }

    /// What a refusal means.
    ///
    /// - Parameter what: The beginning of the sentence, without a full stop.
    func failure(_ answer: ServerAnswer, as code: AgentRuntimeError.Code, _ what: String) -> AgentRuntimeError {
        let wait = answer.retryAfter(now: clock.now().timeIntervalSince1970)
        if answer.isChallenge {
            return AgentRuntimeError(
                code: .challenged,
                message: "\(what): a web page that checks for robots came instead of an answer. Wait a little, or use another network or the other "
                    + "way to sign in.", status: answer.status, retryAfter: wait)
        }
        if answer.status == 429 {
            return AgentRuntimeError(
                code: .rateLimited, message: "\(what): too many attempts. Wait a few minutes and try again.", status: 429, retryAfter: wait)
        }
        let (word, _, text) = answer.failure
        let reason = text ?? word.map(ServerAnswer.presentable) ?? "status \(answer.status)"
        let isFinal = answer.status == 400 || answer.status == 401 || answer.status == 403
        let advice = isFinal && code == .refreshFailed ? "Sign in again." : "Try again."
        return AgentRuntimeError(code: code, message: "\(what) (\(reason)). \(advice)", status: answer.status, retryAfter: wait)
    }
}
