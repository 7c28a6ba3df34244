import Notifications
import RelayProtocol

/// What desktop notifications say. Titles of tasks only when the user allowed it: a lock screen shows them to everybody.
enum AttentionWords {
    static let openLabel = "Open"
    static let followKey = "follow"

    static func key(_ task: TaskIdentity) -> String { "task-" + task.uuid }
    static func task(ofKey key: String) -> TaskIdentity? { key.hasPrefix("task-") ? TaskIdentity(key.dropFirst(5)) : nil }

    /// - Parameter key: What the notification goes by, as the one it replaces.
    static func notification(_ event: AttentionEvent, key: String, titles: Bool) -> DesktopNotification {
        let isTitled = titles && !event.title.isEmpty
        let place = "\(event.badge.rawValue) \(event.hostName)"
        return DesktopNotification(
            key: key, summary: isTitled ? event.title : "A Codex task \(event.kind.words)",
            body: isTitled ? "It \(event.kind.words) · \(place)" : place, urgency: event.kind.urgency, action: openLabel)
    }

    /// - Parameter clock: A time of the day in words. A notification stays for hours, so it tells no ages.
    static func notification(_ follow: FollowView, titles: Bool, clock: (UnixMilliseconds) -> String) -> DesktopNotification {
        let isTitled = titles && !follow.title.isEmpty
        var parts = [follow.statusWords]
        if let badge = follow.badge { parts.append("\(badge.rawValue) \(follow.hostName)") }
        if let percent = follow.contextPercent { parts.append("context \(percent) %") }
        if let at = follow.activityAt { parts.append("active at \(clock(at))") }
        if case .lastKnown(let at) = follow.freshness { parts.append("Last known" + (at.map { " at \(clock($0))" } ?? "")) }
        return DesktopNotification(
            key: followKey, summary: isTitled ? follow.title : "The followed Codex task", body: parts.joined(separator: " · "), urgency: .low,
            action: openLabel, isResident: true)
    }
}

extension AttentionEvent.Kind {
    /// What waits for the user stays on the screen until it is seen.
    var urgency: DesktopNotification.Urgency {
        switch self {
        case .approval, .response: .critical
        case .error, .completion: .normal
        case .unread: .low
        }
    }
}

extension FollowView {
    /// The state in a word or two.
    public var statusWords: String {
        guard let status else { return "not heard yet" }
        return switch status.meaning {
        case .waiting: status == .awaitingResponse ? "waits for an answer" : "waits for approval"
        case .working: "working"
        case .failed: "stopped with an error"
        case .finished: "complete"
        case .idle, .off: "idle"
        }
    }
}
