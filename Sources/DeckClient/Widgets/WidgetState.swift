import RelayProtocol

/// What widgets show: words, numbers and times, and never an endpoint, a token or a word of a conversation.
public struct WidgetState: Sendable, Equatable {
    public struct Task: Sendable, Equatable {
        /// `nil` for a key nobody can read.
        public var id: TaskIdentity?
        /// On one line, at most 120 characters.
        public var title: String
        public var status: TaskStatus
        public var hostName: String
        public var badge: HostBadge
        /// 0 … 100.
        public var contextPercent: Int?
        public var activityAt: UnixMilliseconds?
        public var isSelected: Bool
        public var isOffline: Bool

        /// Where it is, as on the board: `L vm`.
        public var place: String { "\(badge.rawValue) \(hostName)" }
    }

    public struct Computer: Sendable, Equatable {
        public var id: HostID
        public var name: String
        public var badge: HostBadge
        public var isLive: Bool
        public var isSelected: Bool
    }

    public struct Window: Sendable, Equatable {
        /// 0 … 100.
        public var usedPercent: Int
        public var resetsAt: UnixMilliseconds?
        /// Its reset is over: the number is from before.
        public var isStale: Bool
    }

    /// The followed task.
    public struct Followed: Sendable, Equatable {
        public var task: TaskIdentity
        public var title: String
        /// The state in a word or two.
        public var words: String
        public var place: String
        public var contextPercent: Int?
        public var activityAt: UnixMilliseconds?
        public var isLive: Bool
    }

    /// Computers told; more would not fit a bar.
    public static let computersKept = 16
    /// Milliseconds after which a state that nobody wrote anew is old: three times the longest pause of a running engine.
    public static let staleAfter: Int64 = 90_000

    public var writtenAt: UnixMilliseconds
    /// Six; `nil` for an empty key.
    public var slots: [Task?]
    /// The one that works, else the selected one, else the most recently active.
    public var current: Task?
    public var computers: [Computer]
    public var fiveHour: Window?
    public var weekly: Window?
    public var usageAt: UnixMilliseconds?
    public var unread: Int
    public var follow: Followed?

    /// Milliseconds since it was written, never less than 0.
    public func age(now: UnixMilliseconds) -> Int64 { max(0, now.milliseconds(since: writtenAt)) }
    public func isStale(now: UnixMilliseconds) -> Bool { age(now: now) > Self.staleAfter }

    /// Without the times that pass by themselves: two states of equal material look the same but for their ages.
    public var material: WidgetState {
        var copy = self
        copy.writtenAt = UnixMilliseconds(clamping: 1)
        copy.usageAt = nil
        copy.slots = slots.map { task in task.map(Self.timeless) }
        copy.current = current.map(Self.timeless)
        copy.follow?.activityAt = nil
        return copy
    }

    private static func timeless(_ task: Task) -> Task {
        var task = task
        task.activityAt = nil
        return task
    }
}

extension WidgetState {
    public init(_ state: ClientState, now: UnixMilliseconds) {
        let board = state.board
        writtenAt = now
        slots = board.slots.map { $0.map(Task.init) }
        current = Self.current(board.tasks).map(Task.init)
        computers = board.computers.prefix(Self.computersKept).map { computer in
            Computer(
                id: computer.id, name: DisplayText.sanitized(computer.name, maximumCharacters: AttentionEvent.hostNameLimit), badge: computer.badge,
                isLive: computer.isLive, isSelected: computer.id == board.selectedHost)
        }
        fiveHour = board.usage.flatMap { Window($0.fiveHour) }
        weekly = board.usage.flatMap { Window($0.weekly) }
        usageAt = board.usage?.observedAt
        unread = state.unreadCount
        follow = state.follow.map(Followed.init)
    }

    private static func current(_ tasks: [BoardTask]) -> BoardTask? {
        let live = tasks.filter { !$0.offline }
        func latest(_ tasks: some Sequence<BoardTask>) -> BoardTask? {
            tasks.reduce(nil) { best, task in (best?.activityAt?.value ?? -1) >= (task.activityAt?.value ?? 0) ? best : task }
        }
        return latest(live.filter { $0.meaning == .working }) ?? latest(live.filter(\.selected)) ?? latest(live) ?? latest(tasks)
    }
}

extension WidgetState.Task {
    init(_ task: BoardTask) {
        self.init(
            id: task.identity, title: DisplayText.sanitized(task.title ?? "", maximumCharacters: AttentionEvent.titleLimit),
            status: TaskStatus(rawValue: DisplayText.sanitized(task.status.rawValue, maximumCharacters: 32)),
            hostName: DisplayText.sanitized(task.ownerName, maximumCharacters: AttentionEvent.hostNameLimit), badge: task.badge,
            contextPercent: task.contextPercent, activityAt: task.activityAt, isSelected: task.selected, isOffline: task.offline)
    }
}

extension WidgetState.Window {
    /// - Returns: `nil` for a window that nobody told: that is not zero.
    init?(_ window: BoardUsage.Window) {
        guard let known = window.window else { return nil }
        let isStale = if case .stale = window { true } else { false }
        self.init(usedPercent: Int(min(max(known.usedPercent, 0), 100).rounded()), resetsAt: known.resetsAt, isStale: isStale)
    }
}

extension WidgetState.Followed {
    init(_ view: FollowView) {
        self.init(
            task: view.task, title: view.title, words: view.statusWords, place: view.badge.map { "\($0.rawValue) \(view.hostName)" } ?? "",
            contextPercent: view.contextPercent, activityAt: view.activityAt, isLive: view.isLive)
    }
}
