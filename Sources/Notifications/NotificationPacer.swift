/// Lets one notification a key and second through; of those that come in between the last one follows when the second is over.
public struct NotificationPacer: Sendable {
    public typealias Instant = ContinuousClock.Instant

    public static let interval = Duration.seconds(1)
    /// Keys remembered; more than this many within one second are let through unpaced, the oldest being forgotten.
    static let capacity = 256

    private struct Lane {
        var lastSent: Instant
        var waiting: DesktopNotification?
    }

    private var lanes: [String: Lane] = [:]

    public init() {}

    /// - Returns: The notification if it may be shown now; `nil` when it waits.
    public mutating func offer(_ notification: DesktopNotification, now: Instant) -> DesktopNotification? {
        if var lane = lanes[notification.key], now - lane.lastSent < Self.interval {
            lane.waiting = notification
            lanes[notification.key] = lane
            return nil
        }
        lanes[notification.key] = Lane(lastSent: now)
        bound(now)
        return notification
    }

    /// Takes back what waits under a key.
    public mutating func withdraw(_ key: String) { lanes[key]?.waiting = nil }

    /// When ``due(now:)`` has to be called; `nil` when nothing waits.
    public var nextDeadline: Instant? { lanes.values.lazy.filter { $0.waiting != nil }.map { $0.lastSent + Self.interval }.min() }

    /// What has waited long enough, by key.
    public mutating func due(now: Instant) -> [DesktopNotification] {
        var ready: [DesktopNotification] = []
        for (key, lane) in lanes.sorted(by: { $0.key < $1.key }) {
            guard let waiting = lane.waiting, now - lane.lastSent >= Self.interval else { continue }
            lanes[key] = Lane(lastSent: now)
            ready.append(waiting)
        }
        return ready
    }

    private mutating func bound(_ now: Instant) {
        guard lanes.count > Self.capacity else { return }
        lanes = lanes.filter { $0.value.waiting != nil || now - $0.value.lastSent < Self.interval }
        guard lanes.count > Self.capacity else { return }
        let newest = lanes.sorted { $0.value.lastSent > $1.value.lastSent }.prefix(Self.capacity)
        lanes = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
