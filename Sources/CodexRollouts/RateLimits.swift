import RelayProtocol

/// The account's two main usage windows as a CLI last wrote them down.
///
/// A record without a window says nothing about it, so what is known stays: see ``merge(_:)``. Records of other limit families are not in here.
public struct RateLimits: Equatable, Sendable {
    /// One usage window.
    public struct Window: Equatable, Sendable {
        /// 0 … 100.
        public var usedPercent: Double
        /// Length of the window in minutes, more than 0; `nil` when the record did not say.
        public var durationMinutes: Double?
        /// When the window starts anew; may lie in the past.
        public var resetsAt: UnixMilliseconds?
        /// Time of the record that said so.
        public var observedAt: UnixMilliseconds

        public init(usedPercent: Double, durationMinutes: Double?, resetsAt: UnixMilliseconds?, observedAt: UnixMilliseconds) {
            self.usedPercent = usedPercent
            self.durationMinutes = durationMinutes
            self.resetsAt = resetsAt
            self.observedAt = observedAt
        }
    }

    /// The short window, five hours today.
    public var primary: Window?
    /// The long window, a week today.
    public var secondary: Window?

    public init(primary: Window? = nil, secondary: Window? = nil) {
        self.primary = primary
        self.secondary = secondary
    }

    /// The newer of the two observation times; `nil` when nothing is known.
    public var observedAt: UnixMilliseconds? { [primary?.observedAt, secondary?.observedAt].compactMap(\.self).max() }

    /// Takes each window of `other` that is at least as new as the one known here.
    public mutating func merge(_ other: RateLimits) {
        primary = Self.newer(primary, other.primary)
        secondary = Self.newer(secondary, other.secondary)
    }

    private static func newer(_ known: Window?, _ seen: Window?) -> Window? {
        guard let known, let seen else { return seen ?? known }
        return seen.observedAt >= known.observedAt ? seen : known
    }
}
