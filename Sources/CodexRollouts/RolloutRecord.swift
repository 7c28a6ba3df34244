import RelayProtocol

/// One line of a rollout file, reduced to what the deck needs. Holds no prompt, answer, command or path,
/// except the line of user text a preview is made of.
public struct RolloutRecord: Equatable, Sendable {
    /// What a record means; the names of both record families and of unknown ones end up here.
    public enum Kind: Equatable, Sendable {
        /// The file's own description. Only the first line of a file may name its session: forks copy their parent's.
        case sessionMeta(SessionMeta)
        /// A turn began; the size of the model's context in tokens when the record says it.
        case turnStarted(contextWindow: Double?)
        /// Words of the user, in an event; the preview line if it was asked for and there is one.
        case userMessage(preview: String?)
        /// A conversation item in the user's role: their words, or something put there by the CLI, so it decides nothing.
        case userItem(preview: String?)
        /// The model reasons, writes or acts.
        case activity
        case toolCall(id: String?)
        case toolResult(id: String?)
        case tokenCount(TokenCount)
        /// An error that ends the turn unless work goes on after it.
        case error
        /// `began` is when the turn began, as its identity tells; `nil` for identities that carry no time.
        case turnCompleted(TurnOutcome, began: UnixMilliseconds? = nil)
        case turnAborted
        /// Everything else, known or not: changes nothing.
        case bookkeeping

        /// Whether the record is a sign that something is going on in the session.
        var showsWork: Bool {
            switch self {
            case .sessionMeta, .userItem, .tokenCount, .bookkeeping: false
            case .turnStarted, .userMessage, .activity, .toolCall, .toolResult, .error, .turnCompleted, .turnAborted: true
            }
        }
    }

    /// How a completed turn ended.
    public enum TurnOutcome: Equatable, Sendable {
        /// With a last message of the model.
        case answered
        /// Without one: a review, or in old files a turn that had an error.
        case silent
        /// With an error in the record.
        case failed
    }

    var isTurnStart: Bool { if case .turnStarted = kind { true } else { false } }

    public var kind: Kind
    /// `nil` when missing or unreadable.
    public var timestamp: UnixMilliseconds?
    /// Byte offset in the (decompressed) file at which the record begins.
    public var offset: Int64

    public init(_ kind: Kind, timestamp: UnixMilliseconds?, offset: Int64) {
        self.kind = kind
        self.timestamp = timestamp
        self.offset = offset
    }
}

/// What a `token_count` record says; a missing or null part says nothing.
public struct TokenCount: Equatable, Sendable {
    /// Tokens of the latest model call, input and output.
    public var lastTotal: Double?
    /// Tokens the model's context holds, more than 0.
    public var contextWindow: Double?
    /// The main windows; `nil` when the record is about another limit family.
    public var limits: RateLimits?

    public init(lastTotal: Double? = nil, contextWindow: Double? = nil, limits: RateLimits? = nil) {
        self.lastTotal = lastTotal
        self.contextWindow = contextWindow
        self.limits = limits
    }
}
