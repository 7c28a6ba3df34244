/// How long to wait before a node is dialled again: 1 s doubling to 15 s, with jitter.
///
/// The doubling starts over only after a connection that lasted: a server that accepts, answers and closes at once must not be dialled
/// every second for ever.
public struct Backoff: Sendable, Equatable {
    public typealias Instant = ContinuousClock.Instant

    public static let shortest = Duration.seconds(1)
    public static let longest = Duration.seconds(15)
    /// How long a connection has to be ready, with a snapshot received, to count as one that works.
    public static let proof = Duration.seconds(10)
    /// Part of the delay, up or down, that chance decides.
    public static let jitter = 0.2

    /// How often it failed in a row; stops counting once the delay is at its longest.
    public private(set) var failures = 0
    private var readySince: Instant?
    private var sawSnapshot = false
    private var atOnce = false

    public init() {}

    /// The node accepted the token.
    public mutating func ready(now: Instant) {
        readySince = now
        sawSnapshot = false
    }

    public mutating func snapshotReceived() { sawSnapshot = readySince != nil }

    /// The connection, or the attempt at one, ended.
    ///
    /// - Returns: The time until the next attempt: 0, or 0.8 … 15 s.
    public mutating func ended(now: Instant, using random: inout some RandomNumberGenerator) -> Duration {
        if let readySince, sawSnapshot, now - readySince >= Self.proof { failures = 0 }
        readySince = nil
        sawSnapshot = false
        if atOnce {
            atOnce = false
            return .zero
        }
        let doubled = Self.shortest * (1 << failures)
        failures = min(failures + 1, 4)
        let factor = Double.random(in: 1 - Self.jitter...1 + Self.jitter, using: &random)
        return min(min(doubled, Self.longest) * factor, Self.longest)
    }

    /// The network or the address of the node changed: a wait under way is over, and so are the failures of before.
    ///
    /// - Parameter isWaiting: Whether a wait is under way; otherwise the attempt now under way, made for the old network, is followed at once.
    public mutating func networkChanged(isWaiting: Bool) {
        failures = 0
        atOnce = !isWaiting && readySince == nil
    }
}
