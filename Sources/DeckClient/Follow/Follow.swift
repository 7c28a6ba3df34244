import RelayProtocol

/// The one task that is followed, by identity: whatever slot or computer shows it.
public struct Follow: Sendable, Equatable {
    /// Milliseconds without a fresh word after which what is shown is only last known.
    public static let freshness: Int64 = 8000
    /// Milliseconds a completed task stays.
    public static let grace: Int64 = 60_000

    /// What was last known of the task; kept on disk, so it holds words and numbers only.
    public struct Known: Sendable, Equatable {
        /// On one line, at most 120 characters.
        public var title: String
        public var status: TaskStatus
        public var host: HostID
        public var hostName: String
        public var badge: HostBadge
        public var activityAt: UnixMilliseconds?
        public var contextPercent: Int?
        /// When the newest word on it came, by our clock.
        public var receivedAt: UnixMilliseconds
        /// The completion it had when it was last seen.
        public var completion: Acknowledgements.Revision?

        public init(
            title: String, status: TaskStatus, host: HostID, hostName: String, badge: HostBadge, activityAt: UnixMilliseconds? = nil,
            contextPercent: Int? = nil, receivedAt: UnixMilliseconds, completion: Acknowledgements.Revision? = nil
        ) {
            self.title = DisplayText.sanitized(title, maximumCharacters: AttentionEvent.titleLimit)
            self.status = status
            self.host = host
            self.hostName = DisplayText.sanitized(hostName, maximumCharacters: AttentionEvent.hostNameLimit)
            self.badge = badge
            self.activityAt = activityAt
            self.contextPercent = contextPercent
            self.receivedAt = receivedAt
            self.completion = completion
        }
    }

    public internal(set) var task: TaskIdentity
    public let since: UnixMilliseconds
    public private(set) var known: Known?
    /// When following ends, after a completion; `nil` while the task is not complete.
    public private(set) var endsAt: UnixMilliseconds?

    public init(_ task: TaskIdentity, since: UnixMilliseconds, known: Known? = nil, endsAt: UnixMilliseconds? = nil) {
        self.task = task
        self.since = since
        self.known = known
        self.endsAt = endsAt
    }

    /// Takes a new board, or the same one at a later time.
    ///
    /// - Returns: `false` once following has ended.
    public mutating func observe(_ board: Board, joins: TemporaryKeyJoins = TemporaryKeyJoins(), now: UnixMilliseconds) -> Bool {
        if let real = joins.task(behind: task, now: now) { task = real }
        if let seen = board.task(task), !seen.offline || known == nil || seen.mirrors.contains(where: { board.computer($0)?.isLive == true }) {
            take(seen, now: now)
        }
        return endsAt.map { now < $0 } ?? true
    }

    private mutating func take(_ seen: BoardTask, now: UnixMilliseconds) {
        let new = Known(seen)
        switch seen.meaning {
        case .working, .waiting, .failed: endsAt = nil
        case .finished: if endsAt == nil || isNewCompletion(new) { endsAt = now.advanced(byMilliseconds: Self.grace) }
        // A completion that was seen at once, as when the task is open on its computer, shows only by its number.
        case .idle, .off: if endsAt == nil, isNewCompletion(new) { endsAt = now.advanced(byMilliseconds: Self.grace) }
        }
        known = new
    }

    private func isNewCompletion(_ new: Known) -> Bool {
        guard let known, case .number(let revision)? = new.completion, case .number(let former)? = known.completion else { return false }
        return revision != former && new.host == known.host
    }

    /// Without the times that move while nothing else does: what is worth writing down at once.
    var withoutTimes: Follow {
        var copy = self
        copy.known?.receivedAt = since
        copy.known?.activityAt = nil
        return copy
    }

    /// When ``observe(_:joins:now:)`` has to be called although nothing came in; `nil` when time alone changes nothing.
    public var nextDeadline: UnixMilliseconds? { endsAt }
}

extension Follow.Known {
    init(_ task: BoardTask) {
        self.init(
            title: task.title ?? "", status: task.status, host: task.owner, hostName: task.ownerName, badge: task.badge, activityAt: task.activityAt,
            contextPercent: task.contextPercent, receivedAt: task.receivedAt, completion: task.marks.completion)
    }
}
