import FoundationEssentials

/// What every public call of this library throws: a code that programs can rely on, and a sentence for people.
///
/// Neither holds a token, a header or a body of the server's beyond its own error text, which is masked first.
public struct AgentRuntimeError: Error, Hashable, Sendable {
    /// A kind of failure. The texts are stable across releases; unknown ones may be added.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// Lets a `catch` name a code: `catch AgentRuntimeError.Code.missingSession`.
        public static func ~= (code: Self, error: any Error) -> Bool { (error as? AgentRuntimeError)?.code == code }
    }

    public let code: Code
    /// One or two plain sentences: what happened and what to do.
    public let message: String
    /// The HTTP status that the server answered with, when it was the server who refused.
    public let status: Int?
    /// How long the server asked to wait before the next attempt.
    public let retryAfter: Duration?

    /// - Parameter message: Must not contain a secret.
    public init(code: Code, message: String, status: Int? = nil, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfter = retryAfter
    }
}

extension AgentRuntimeError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    public var description: String { message }
    public var debugDescription: String { "[\(code)] \(message)" }
    public var errorDescription: String? { message }
}

extension AgentRuntimeError.Code {
    // MARK: Signing in

    /// The person, or the task that waited, gave up signing in.
    public static let signInCancelled = Self(rawValue: "sign_in_cancelled")
    /// Signing in took longer than the server or the program allows.
    public static let signInTimedOut = Self(rawValue: "sign_in_timed_out")
    /// The server, or the person on its page, refused the sign-in.
    public static let signInRefused = Self(rawValue: "sign_in_refused")
    /// Nobody is signed in.
    public static let missingSession = Self(rawValue: "missing_session")
    /// The browser came back with another state than it was sent away with.
    public static let callbackMismatch = Self(rawValue: "callback_mismatch")
    /// The loopback port for the browser's answer is taken.
    public static let callbackUnavailable = Self(rawValue: "callback_unavailable")
    /// The authorization code was not accepted, or the answer was no session.
    public static let tokenExchangeFailed = Self(rawValue: "token_exchange_failed")
    /// The session could not be renewed; with status 400 or 401 the person must sign in again.
    public static let refreshFailed = Self(rawValue: "refresh_failed")
    /// A page that asks a person to prove they are one came instead of an answer.
    public static let challenged = Self(rawValue: "auth_edge_challenge")
    /// Too many requests.
    public static let rateLimited = Self(rawValue: "rate_limited")
    /// The server does not accept the session, and renewing it did not help.
    public static let unauthorized = Self(rawValue: "unauthorized")
    /// The keyring or file that keeps the session could not be used.
    public static let sessionStoreFailed = Self(rawValue: "session_store_failed")
    /// What is stored, or what the CLI's `auth.json` holds, is no session.
    public static let sessionDamaged = Self(rawValue: "session_damaged")

    // MARK: Asking the model

    /// The connection could not be made, or broke.
    public static let network = Self(rawValue: "network")
    /// The server was silent for too long.
    public static let timedOut = Self(rawValue: "timed_out")
    /// The caller's task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// The server refused the request as it is; sending it again will not help.
    public static let requestRefused = Self(rawValue: "request_refused")
    /// The plan's usage is spent until it resets.
    public static let usageLimitReached = Self(rawValue: "usage_limit_reached")
    /// The conversation is longer than the model can read.
    public static let contextTooLong = Self(rawValue: "context_too_long")
    /// The server failed (5xx, or an error within the stream).
    public static let serverFailed = Self(rawValue: "server_failed")
    /// The answer was not what the interface promises.
    public static let invalidResponse = Self(rawValue: "invalid_response")
    /// The stream ended before the answer was complete.
    public static let streamInterrupted = Self(rawValue: "stream_interrupted")
    /// The model stopped early: the length limit or a content filter.
    public static let responseIncomplete = Self(rawValue: "response_incomplete")
    /// A value that the program gave is out of its range.
    public static let invalidConfiguration = Self(rawValue: "invalid_configuration")
}
