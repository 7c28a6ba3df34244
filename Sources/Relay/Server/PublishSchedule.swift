/// When the next snapshot goes out: at once when something changed, but not more often than the limit, and again and again for peers that wait
/// for one.
public struct PublishSchedule: Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// The shortest time between two snapshots: 20 a second.
    public static let shortestInterval: Duration = .milliseconds(50)
    /// Peers that know no quiet connections expect a snapshot every 1.2 s; a little less leaves room for timers and the network.
    public static let repetitionInterval: Duration = .milliseconds(1_150)
    /// When a quiet client gets its sign of life.
    public static let freshInterval: Duration = .seconds(2)

    private var lastPublished: Instant?
    private var isDirty = false

    public init() {}

    /// Notes a change.
    ///
    /// - Returns: When to publish; `now` or earlier means at once.
    public mutating func noteChange(now: Instant) -> Instant {
        isDirty = true
        guard let lastPublished else { return now }
        return max(now, lastPublished + Self.shortestInterval)
    }

    /// Whether a change waits to be published.
    public var hasPendingChange: Bool { isDirty }

    /// Notes that everybody was sent the newest state.
    public mutating func notePublished(now: Instant) {
        isDirty = false
        lastPublished = now
    }
}
