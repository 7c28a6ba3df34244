import RelayProtocol

/// Where a command for a task goes.
public struct CommandTarget: Sendable, Hashable {
    /// The owner of the task.
    public let host: HostID
    /// 0 … 5.
    public let slot: Int
    /// Spelled as the owner spells it, or as ``mirror`` does when the owner shows the task in no slot.
    public let key: TaskKey
    /// The host whose slot and key these are, when they are not the owner's.
    public let mirror: HostID?

    public init(host: HostID, slot: Int, key: TaskKey, mirror: HostID? = nil) {
        self.host = host
        self.slot = slot
        self.key = key
        self.mirror = mirror
    }
}

/// One task, as all computers together show it.
public struct BoardTask: Sendable, Equatable, Identifiable {
    public enum ID: Sendable, Hashable {
        case task(TaskIdentity)
        /// A slot (0 … 5) whose key nobody can read.
        case unreadable(host: HostID, slot: Int)
    }

    public let id: ID
    /// The computer the task lives on.
    public let owner: HostID
    public let ownerName: String
    public let badge: HostBadge
    /// Where a command goes; `nil` when the owner is not live or the key cannot be read: then no command may leave.
    public let target: CommandTarget?
    /// The word of the host, kept also when nobody knows it.
    public let status: TaskStatus
    public let meaning: TaskStatus.Meaning
    /// As the host sent it: may hold anything a terminal must not see.
    public let title: String?
    /// 0 … 100.
    public let contextPercent: Int?
    /// The owner's, by our clock.
    public let activityAt: UnixMilliseconds?
    /// When the latest user turn began, by our clock; from the owner.
    public let workStartedAt: UnixMilliseconds?
    /// Whether a computer shows it as the selected slot.
    public let selected: Bool
    /// Whether it is the task open on a computer, selected or not.
    public let active: Bool
    /// The owner is not live: this is the last that is known.
    public let offline: Bool
    /// Computers that show the task without owning it, sorted.
    public let mirrors: [HostID]
    /// What there is to acknowledge.
    public let marks: Acknowledgements.Marks
    /// When the newest word on this task came in, by our clock.
    public let receivedAt: UnixMilliseconds

    /// `nil` for a key nobody can read.
    public var identity: TaskIdentity? { if case .task(let identity) = id { identity } else { nil } }
}
