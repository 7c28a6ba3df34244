import RelayProtocol

/// Something that happened to a task and that its owner may want to know.
public struct AttentionEvent: Sendable, Equatable, Identifiable {
    public enum Kind: String, Sendable, CaseIterable {
        case approval, response, completion, error, unread

        /// Whether the task goes no further without the user.
        public var isWaiting: Bool { self == .approval || self == .response }

        /// A few words for lists and notifications.
        public var words: String {
            switch self {
            case .approval: "waits for approval"
            case .response: "waits for an answer"
            case .completion: "is complete"
            case .error: "stopped with an error"
            case .unread: "has something unread"
            }
        }
    }

    /// Grows with every event, across restarts.
    public let id: Int64
    public let kind: Kind
    public internal(set) var task: TaskIdentity
    /// Which completion or which error it was.
    public internal(set) var revision: Acknowledgements.Revision?
    /// On one line, at most ``titleLimit`` characters; empty when the task had none.
    public let title: String
    public let host: HostID
    /// On one line, at most 64 characters.
    public let hostName: String
    public let badge: HostBadge
    /// When it was noticed, by our clock.
    public let at: UnixMilliseconds
    /// The last activity of the task then, by our clock.
    public let activityAt: UnixMilliseconds?
    /// The user has seen it here.
    public internal(set) var isRead: Bool
    /// Since when the task is in that state no more: answered, opened or at work again, wherever that was done.
    public internal(set) var endedAt: UnixMilliseconds?

    public static let titleLimit = 120
    public static let hostNameLimit = 64

    /// Neither seen here nor settled elsewhere: what the bell counts.
    public var isUnread: Bool { !isRead && endedAt == nil }

    public init(
        id: Int64, kind: Kind, task: TaskIdentity, revision: Acknowledgements.Revision? = nil, title: String, host: HostID, hostName: String,
        badge: HostBadge, at: UnixMilliseconds, activityAt: UnixMilliseconds? = nil, isRead: Bool = false, endedAt: UnixMilliseconds? = nil
    ) {
        self.id = id
        self.kind = kind
        self.task = task
        self.revision = revision
        self.title = DisplayText.sanitized(title, maximumCharacters: Self.titleLimit)
        self.host = host
        self.hostName = DisplayText.sanitized(hostName, maximumCharacters: Self.hostNameLimit)
        self.badge = badge
        self.at = at
        self.activityAt = activityAt
        self.isRead = isRead
        self.endedAt = endedAt
    }
}

/// Which events to show.
public struct AttentionFilter: Sendable, Hashable {
    /// Empty for every computer.
    public var hosts: Set<HostID>
    /// Empty for every system.
    public var systems: Set<HostBadge>
    /// Empty for every kind.
    public var kinds: Set<AttentionEvent.Kind>
    public var unreadOnly: Bool

    public init(hosts: Set<HostID> = [], systems: Set<HostBadge> = [], kinds: Set<AttentionEvent.Kind> = [], unreadOnly: Bool = false) {
        self.hosts = hosts
        self.systems = systems
        self.kinds = kinds
        self.unreadOnly = unreadOnly
    }

    public func admits(_ event: AttentionEvent) -> Bool {
        (hosts.isEmpty || hosts.contains(event.host)) && (systems.isEmpty || systems.contains(event.badge))
            && (kinds.isEmpty || kinds.contains(event.kind)) && (!unreadOnly || event.isUnread)
    }
}
