/// Why a call to the app-server did not succeed.
public enum AppServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no connection, or it ended before the answer came: whether the call had an effect is unknown.
    case disconnected
    /// No answer came in time: whether the call had an effect is unknown.
    case timedOut(method: String)
    /// The server refused.
    case refused(RPCError)
    /// The answer lacks what it must have; a version nobody here knows.
    case unexpectedAnswer(method: String)

    public var description: String {
        switch self {
        case .disconnected: "The connection to the Codex daemon ended before it answered."
        case .timedOut: "The Codex daemon did not answer in time."
        case .refused(let error) where error.isShuttingDown: "The Codex daemon is stopping; try again in a moment."
        case .refused(let error) where error.isOverload: "The Codex daemon has too much to do; try again in a moment."
        case .refused(let error) where error.isUnknownMethod: "This version of Codex cannot do that."
        // The server's own words may hold a path or a name of the user's; they stay in the log.
        case .refused: "Codex refused to do that."
        case .unexpectedAnswer: "Codex answered in a way this version of decknode does not know."
        }
    }

    /// The server's words, for a log of the owner's; `nil` when there are none.
    public var detail: String? {
        switch self {
        case .refused(let error): "\(error.code): \(error.message)"
        case .unexpectedAnswer(let method), .timedOut(let method): method
        case .disconnected: nil
        }
    }
}
