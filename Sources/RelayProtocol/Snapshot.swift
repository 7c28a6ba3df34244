/// What a host shows: six slots, the keys below them, account usage and its own sessions.
public struct Snapshot: Hashable, Sendable {
    /// How the host fills its six slots.
    public enum AgentSource: String, Sendable, CaseIterable { case pinned, recent, priority, custom }
    public enum Theme: String, Sendable { case light, dark }

    /// Exactly ``slotCount``; `slots[i].id == i`.
    public var slots: [Slot]
    /// The task open on that computer, also when it is in no slot.
    public var activeThreadKey: String?
    /// At most 240 UTF-16 units: one more and the plugin drops the whole snapshot.
    public var activeThreadTitle: String?
    public var layout: KeyLayout
    public var agentSource: AgentSource
    /// Free text; `3-minutes` by default.
    public var lightingAutoOff: String
    public var theme: Theme
    public var usage: Usage?
    /// At most ``maximumSessions``.
    public var hostSessions: [HostSession]?

    public static let slotCount = 6
    public static let maximumSessions = 128

    public init(
        slots: [Slot], activeThreadKey: String? = nil, activeThreadTitle: String? = nil, layout: KeyLayout = .standard,
        agentSource: AgentSource = .priority, lightingAutoOff: String = "3-minutes", theme: Theme = .dark,
        usage: Usage? = nil, hostSessions: [HostSession]? = nil
    ) {
        self.slots = slots
        self.activeThreadKey = activeThreadKey
        self.activeThreadTitle = activeThreadTitle
        self.layout = layout
        self.agentSource = agentSource
        self.lightingAutoOff = lightingAutoOff
        self.theme = theme
        self.usage = usage
        self.hostSessions = hostSessions
    }

    /// Six empty slots.
    public static var empty: Self { Self(slots: (0..<slotCount).map(Slot.empty(id:))) }
}

/// One of the six agent keys.
public struct Slot: Hashable, Sendable {
    /// 0 … 5, the position.
    public var id: Int
    /// The owner's spelling; one that is no ``TaskKey`` is shown and cannot be commanded.
    public var threadKey: String?
    public var title: String?
    public var status: TaskStatus
    public var selected: Bool
    public var activityAt: UnixMilliseconds?
    public var ownedByHost: Bool?
    /// 0 … 100.
    public var contextUsedPercent: Int?
    /// Additive: when the latest user turn began, with ``workStartRevision``; both or neither.
    public var workStartedAt: UnixMilliseconds?
    /// Additive: byte offset of the record that began the latest user turn.
    public var workStartRevision: Int64?

    public init(
        id: Int, threadKey: String? = nil, title: String? = nil, status: TaskStatus = .off, selected: Bool = false,
        activityAt: UnixMilliseconds? = nil, ownedByHost: Bool? = nil, contextUsedPercent: Int? = nil,
        workStartedAt: UnixMilliseconds? = nil, workStartRevision: Int64? = nil
    ) {
        self.id = id
        self.threadKey = threadKey
        self.title = title
        self.status = status
        self.selected = selected
        self.activityAt = activityAt
        self.ownedByHost = ownedByHost
        self.contextUsedPercent = contextUsedPercent
        self.workStartedAt = workStartedAt
        self.workStartRevision = workStartRevision
    }

    public static func empty(id: Int) -> Self { Self(id: id) }

    /// The identity of the task in this slot; `nil` when empty or when the key cannot be read.
    public var identity: TaskIdentity? { threadKey.flatMap { TaskKey($0)?.identity } }
}

/// A session that lives on the host, whether or not it has a slot.
public struct HostSession: Hashable, Sendable {
    public enum Status: String, Sendable { case idle, working, complete }

    /// The task's identity.
    public var threadID: TaskIdentity
    public var activityAt: UnixMilliseconds
    /// `idle` once a completion is acknowledged or five minutes old.
    public var status: Status
    /// Byte offset of the record that ended the latest turn, or a counter; 0 or more.
    public var completionRevision: Int64?
    /// 0 … 100.
    public var contextUsedPercent: Int?
    public var workStartedAt: UnixMilliseconds?
    public var workStartRevision: Int64?

    public init(
        threadID: TaskIdentity, activityAt: UnixMilliseconds, status: Status, completionRevision: Int64? = nil,
        contextUsedPercent: Int? = nil, workStartedAt: UnixMilliseconds? = nil, workStartRevision: Int64? = nil
    ) {
        self.threadID = threadID
        self.activityAt = activityAt
        self.status = status
        self.completionRevision = completionRevision
        self.contextUsedPercent = contextUsedPercent
        self.workStartedAt = workStartedAt
        self.workStartRevision = workStartRevision
    }
}

/// Account limits as the host last heard of them.
public struct Usage: Hashable, Sendable {
    public struct Window: Hashable, Sendable {
        public enum Kind: String, Sendable { case fiveHour = "five-hour", weekly, other }

        /// 1 … 64 characters.
        public var id: String
        public var kind: Kind
        /// 0 … 100.
        public var usedPercent: Double
        /// 0 … 100.
        public var remainingPercent: Double
        /// Minutes, more than 0.
        public var durationMinutes: Double?
        public var resetsAt: UnixMilliseconds?

        public init(id: String, kind: Kind, usedPercent: Double, remainingPercent: Double, durationMinutes: Double?, resetsAt: UnixMilliseconds?) {
            self.id = id
            self.kind = kind
            self.usedPercent = usedPercent
            self.remainingPercent = remainingPercent
            self.durationMinutes = durationMinutes
            self.resetsAt = resetsAt
        }
    }

    /// At most ``maximumWindows``.
    public var windows: [Window]
    public var observedAt: UnixMilliseconds
    public var resetCreditsAvailable: Int?
    public var resetCreditsApplicable: Int?

    public static let maximumWindows = 8

    public init(windows: [Window], observedAt: UnixMilliseconds, resetCreditsAvailable: Int? = nil, resetCreditsApplicable: Int? = nil) {
        self.windows = windows
        self.observedAt = observedAt
        self.resetCreditsAvailable = resetCreditsAvailable
        self.resetCreditsApplicable = resetCreditsApplicable
    }
}

extension Usage.Window.Kind {
    /// Five-hour within one minute of 300, weekly within one minute of 10080, else other.
    public init(durationMinutes: Double?) {
        switch durationMinutes {
        case .some(299...301): self = .fiveHour
        case .some(10079...10081): self = .weekly
        default: self = .other
        }
    }
}
