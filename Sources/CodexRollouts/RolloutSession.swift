import RelayProtocol

/// One task of the user, as its rollout file tells it.
public struct RolloutSession: Equatable, Sendable {
    public var identity: TaskIdentity
    /// The name its user gave it: one line, 1 to 240 characters.
    public var name: String?
    /// What the records add up to. Its `lifecycle` is the file's word; ``lifecycle`` here also knows whether anybody still writes.
    public var state: SessionState
    /// Whether some process holds the session's writer lock: it is loaded there, though perhaps idle.
    public var hasWriter: Bool
    /// A turn seems to be running, but nobody holds the file and nothing was added for a long time.
    public var isStalled: Bool
    public var source: SessionMeta.Source?
    public var originator: String?
    public var cliVersion: String?
    /// When the file last changed, as of the last read. Use it for order when there is no ``SessionState/activityAt``.
    public var modifiedAt: UnixMilliseconds

    public init(
        identity: TaskIdentity, name: String? = nil, state: SessionState, hasWriter: Bool = false, isStalled: Bool = false,
        source: SessionMeta.Source? = nil, originator: String? = nil, cliVersion: String? = nil, modifiedAt: UnixMilliseconds
    ) {
        self.identity = identity
        self.name = name
        self.state = state
        self.hasWriter = hasWriter
        self.isStalled = isStalled
        self.source = source
        self.originator = originator
        self.cliVersion = cliVersion
        self.modifiedAt = modifiedAt
    }

    /// Where the session stands, for the wire: a stalled one is idle.
    public var lifecycle: SessionState.Lifecycle { isStalled ? .idle : state.lifecycle }
    /// The time to sort by.
    public var activityAt: UnixMilliseconds { state.activityAt ?? modifiedAt }
}

/// What ``RolloutSource`` reports.
public enum RolloutChange: Equatable, Sendable {
    /// A session is new or different.
    case session(RolloutSession)
    /// A session left the list.
    case gone(TaskIdentity, Reason)
    /// The account's usage windows are known better now.
    case limits(RateLimits)

    public enum Reason: Equatable, Sendable { case archived, deleted }
}

/// Counts for `status` and `doctor`.
public struct RolloutStatistics: Equatable, Sendable {
    /// Whether $CODEX_HOME is there.
    public var homeExists = false
    /// Live session files, read or not; of a session with two files one counts.
    public var liveFiles = 0
    public var archivedFiles = 0
    /// Of the live ones, those compressed.
    public var compressedFiles = 0
    /// Sessions that were read: the newest, those that changed since, and those asked for.
    public var readSessions = 0
    /// Of those, the ones that are tasks of the user and in the list.
    public var listedSessions = 0
    /// Of those, the ones that are sub-agents, reviews or title helpers.
    public var helperSessions = 0
    public var sessionsWithWriter = 0
    public var stalledSessions = 0
    public var watchedFolders = 0
    /// Why files are looked at every few seconds instead of being watched, in one sentence; `nil` while they are watched.
    public var pollingReason: String?
    /// Files and folders that cannot be read: how many, by the system's reason.
    public var unreadable: [String: Int] = [:]
    /// Lines left out because they are too long.
    public var skippedLines = 0
    /// Lines that are no records.
    public var damagedLines = 0

    public init() {}
}
