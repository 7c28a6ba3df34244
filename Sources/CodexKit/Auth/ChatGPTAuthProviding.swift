/// Why a session is renewed.
public enum ChatGPTAuthRefreshReason: String, Hashable, Sendable {
    /// It is about to end.
    case nearExpiry
    /// The server answered 401.
    case unauthorized
}

/// Signs people in and renews their sessions. Keeps nothing: that is the ``ChatGPTSessionManager``'s part.
public protocol ChatGPTAuthProviding: Sendable {
    /// Asks a person to sign in. Cancelling the task gives up.
    ///
    /// - Throws: ``AgentRuntimeError``: `signInCancelled`, `signInTimedOut`, `signInRefused`, `callbackMismatch`, `callbackUnavailable`,
    ///   `tokenExchangeFailed`, `challenged`, `rateLimited`, `network`.
    func signInInteractively() async throws -> ChatGPTSession

    /// A session with new tokens for the same account.
    ///
    /// - Throws: ``AgentRuntimeError``: `refreshFailed`, `challenged`, `rateLimited`, `network`, `timedOut`.
    func refresh(session: ChatGPTSession, reason: ChatGPTAuthRefreshReason) async throws -> ChatGPTSession
}
