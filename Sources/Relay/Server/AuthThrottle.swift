/// Slows down addresses that present wrong tokens, and nobody else.
///
/// Each failure doubles the time the address has to wait before its next token is looked at. On loopback everyone is 127.0.0.1, so there the
/// key is the connection itself and a neighbour is not made to pay.
struct AuthThrottle<Key: Hashable & Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    private struct Entry {
        var failures: Int
        var until: Instant
        var forgottenAt: Instant
    }

    private var entries: [Key: Entry] = [:]
    private let firstDelay: Duration
    private let longestDelay: Duration
    private let memory: Duration
    private let maximumEntries: Int

    /// - Parameters:
    ///   - firstDelay: The wait after the first failure; it doubles up to `longestDelay`.
    ///   - memory: How long a failure counts.
    ///   - maximumEntries: Beyond it the entry that ends first is forgotten, so that a flood of addresses cannot grow memory.
    init(firstDelay: Duration = .milliseconds(100), longestDelay: Duration = .seconds(5), memory: Duration = .seconds(60), maximumEntries: Int = 1_024) {
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.memory = memory
        self.maximumEntries = maximumEntries
    }

    /// From when on the next token of `key` may be looked at; `nil` when at once.
    func earliestAttempt(_ key: Key, now: Instant) -> Instant? {
        guard let entry = entries[key], entry.until > now else { return nil }
        return entry.until
    }

    mutating func recordFailure(_ key: Key, now: Instant) {
        var failures = 1
        if let entry = entries[key], entry.forgottenAt > now { failures = min(entry.failures + 1, 16) }
        let delay = min(firstDelay * (1 << (failures - 1)), longestDelay)
        entries[key] = Entry(failures: failures, until: now + delay, forgottenAt: now + memory)
        guard entries.count > maximumEntries else { return }
        entries = entries.filter { $0.value.forgottenAt > now }
        while entries.count > maximumEntries, let first = entries.min(by: { $0.value.forgottenAt < $1.value.forgottenAt }) { entries[first.key] = nil }
    }

    mutating func recordSuccess(_ key: Key) { entries[key] = nil }

    var count: Int { entries.count }
}

/// A bucket of tokens: so many at once, then so many a second.
struct RateBudget: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var tokens: Double
    private var filledAt: Instant
    private let burst: Double
    private let perSecond: Double

    /// - Parameters:
    ///   - burst: How many may come at once, 1 or more.
    ///   - perSecond: How many come back each second.
    init(burst: Int, perSecond: Double, now: Instant) {
        self.burst = Double(burst)
        self.perSecond = perSecond
        tokens = Double(burst)
        filledAt = now
    }

    /// Takes one token if there is one.
    mutating func take(now: Instant) -> Bool {
        let elapsed = filledAt.duration(to: now)
        if elapsed > .zero {
            tokens = min(burst, tokens + elapsed.inSeconds * perSecond)
            filledAt = now
        }
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}

extension Duration {
    /// The duration as a floating-point number of seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
