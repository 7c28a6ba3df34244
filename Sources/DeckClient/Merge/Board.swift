import RelayProtocol

/// What all computers together show: the one value that screens, widgets, commands and events are made from.
public struct Board: Sendable, Equatable {
    /// A computer in one line.
    public struct Computer: Sendable, Equatable, Identifiable {
        public let id: HostID
        public let name: String
        public let badge: HostBadge
        public let route: RouteKind
        public let profileID: String
        public let health: HostHealth
        public let isLive: Bool
        /// When it last said something, by our clock.
        public let receivedAt: UnixMilliseconds?
        /// The task open on it.
        public let active: TaskIdentity?
        /// Also when that task is in no slot.
        public let activeTitle: String?
    }

    /// Every task once: those with a key first, in the order of the keys, then the rest.
    public let tasks: [BoardTask]
    /// Six positions in ``tasks``; `nil` for an empty key.
    public let keys: [Int?]
    /// By host.
    public let computers: [Computer]
    /// The computer whose lower keys, stick and dial are meant: the one the user chose, else the first paired. Also when it is not live.
    public let selectedHost: HostID?
    /// The live computer whose mode orders the keys; that of the selected host unless it is not live.
    public let orderingHost: HostID?
    /// How the keys are ordered.
    public let mode: Snapshot.AgentSource?
    /// The lower keys of the selected host.
    public let layout: KeyLayout?
    /// The freshest word on the account.
    public let usage: BoardUsage?

    /// What the six keys show.
    public var slots: [BoardTask?] { keys.map { $0.map { tasks[$0] } } }
    /// Tasks without a key, in order.
    public var rest: ArraySlice<BoardTask> { tasks[keys.lazy.filter { $0 != nil }.count...] }

    public func task(_ identity: TaskIdentity) -> BoardTask? { tasks.first { $0.id == .task(identity) } }
    public func computer(_ id: HostID) -> Computer? { computers.first { $0.id == id } }

    /// No computer yet.
    public static let empty = DeckMerge.merge(hosts: [], authority: nil, now: UnixMilliseconds(clamping: 0))
}
