import CodexAppServer
import RelayProtocol

/// What the Codex daemon says of one thread, as the deck needs it.
struct ThreadFacts: Hashable, Sendable {
    /// How the latest turn ended that this connection saw, counted, so that one end can be told from the next where there is no session file.
    enum TurnEnd: Hashable, Sendable {
        case finished(count: Int64)
        case failed(count: Int64)
        case interrupted
    }

    var identity: TaskIdentity
    var name: String?
    var preview: String?
    /// Absolute path of the folder it works in.
    var folder: String?
    var status: ThreadStatus
    /// When the status last changed while this node watched; `nil` as long as it did not.
    var statusSince: UnixMilliseconds?
    /// It, or a helper that works for it, waits for a decision.
    var waitsForApproval: Bool
    var waitsForResponse: Bool
    var contextUsedPercent: Int?
    /// `nil` when the daemon keeps no marks.
    var isUnread: Bool?
    /// How often somebody marked it read while this node watched: each time, its end counts as seen.
    var timesRead: Int = 0
    var activityAt: UnixMilliseconds?
    /// When the running turn began, and its number since this node connected.
    var turnStart: DeckTask.WorkStart?
    var lastEnd: TurnEnd?
    /// The task it is a side chat of; side chats are kept nowhere.
    var sideChatOf: TaskIdentity?
}

/// What ``AppServerSource`` reports.
enum AppServerChange: Sendable {
    case thread(ThreadFacts)
    /// Archived, deleted, or no longer known because the connection ended.
    case gone(TaskIdentity, isRemoved: Bool)
    /// The account's limits.
    case limits(RateLimitRecord)
    /// Reset credits; `nil` when the account has none to tell of.
    case credits(Int?)
    case condition(AppServerCondition)
}

/// How the node stands with the daemon, for `status`.
struct AppServerCondition: Hashable, Sendable {
    var link: AppServerLink.Condition = .waiting(.absent)
    /// What this daemon's version cannot do, one sentence each.
    var missing: [String] = []

    var isConnected: Bool { if case .connected = link { true } else { false } }
}
