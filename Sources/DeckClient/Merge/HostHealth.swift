/// The way a connection takes to a computer.
public enum RouteKind: String, Sendable, CaseIterable {
    /// The local network, with a pinned certificate.
    case nearby
    /// A tailnet or a tunnel, with the certificates the system trusts.
    case remote
}

/// How well a computer can be heard and commanded.
public enum HostHealth: Hashable, Sendable, CustomStringConvertible {
    case connecting
    case ready
    /// Connected, but something is wrong: `reason` says what.
    case degraded(reason: String)
    case offline(reason: String?)
    /// No retry helps: the owner has to pair again.
    case rePairRequired(reason: String)

    /// Whether there is an authenticated connection.
    public var isConnected: Bool {
        switch self {
        case .ready, .degraded: true
        case .connecting, .offline, .rePairRequired: false
        }
    }

    /// One or a few words, the same for every reason.
    public var word: String {
        switch self {
        case .connecting: "connecting"
        case .ready: "ready"
        case .degraded: "degraded"
        case .offline: "offline"
        case .rePairRequired: "re-pair required"
        }
    }

    /// Why, where there is a reason to give.
    public var reason: String? {
        switch self {
        case .connecting, .ready: nil
        case .degraded(let reason), .rePairRequired(let reason): reason
        case .offline(let reason): reason
        }
    }

    public var description: String { reason.map { "\(word): \($0)" } ?? word }
}
