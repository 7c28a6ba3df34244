import RelayProtocol

/// The followed task as it is to be shown at one moment: the same in the header, in the notification and in the widget.
public struct FollowView: Sendable, Equatable {
    public enum Freshness: Sendable, Equatable {
        case live
        /// Nothing fresh was heard, or its computer is offline: `at` is when the last word came; `nil` when none ever did.
        case lastKnown(at: UnixMilliseconds?)
    }

    public let task: TaskIdentity
    /// Empty when it is not known.
    public let title: String
    /// `nil` before anything is known.
    public let status: TaskStatus?
    public let hostName: String
    public let badge: HostBadge?
    public let activityAt: UnixMilliseconds?
    /// 0 … 100.
    public let contextPercent: Int?
    public let freshness: Freshness
    /// When following ends by itself.
    public let endsAt: UnixMilliseconds?

    public var isLive: Bool { freshness == .live }

    public init(_ follow: Follow, board: Board, now: UnixMilliseconds) {
        task = follow.task
        title = follow.known?.title ?? ""
        status = follow.known?.status
        hostName = follow.known?.hostName ?? ""
        badge = follow.known?.badge
        activityAt = follow.known?.activityAt
        contextPercent = follow.known?.contextPercent
        endsAt = follow.endsAt
        let seen = board.task(follow.task)
        let isHeard = seen.map { task in !task.offline || task.mirrors.contains { board.computer($0)?.isLive == true } } ?? false
        let receivedAt = follow.known?.receivedAt
        if isHeard, let receivedAt, now.milliseconds(since: receivedAt) < Follow.freshness {
            freshness = .live
        } else {
            freshness = .lastKnown(at: receivedAt)
        }
    }

    init(
        task: TaskIdentity, title: String, status: TaskStatus?, hostName: String, badge: HostBadge?, activityAt: UnixMilliseconds?,
        contextPercent: Int?, freshness: Freshness, endsAt: UnixMilliseconds?
    ) {
        self.task = task
        self.title = title
        self.status = status
        self.hostName = hostName
        self.badge = badge
        self.activityAt = activityAt
        self.contextPercent = contextPercent
        self.freshness = freshness
        self.endsAt = endsAt
    }

    /// When this value would become another by time alone; `nil` when it would not.
    public func nextChange(receivedAt: UnixMilliseconds?) -> UnixMilliseconds? {
        guard isLive, let receivedAt else { return endsAt }
        let stale = receivedAt.advanced(byMilliseconds: Follow.freshness)
        return endsAt.map { min($0, stale) } ?? stale
    }
}
