import FoundationEssentials

/// How often and when a request that failed for a passing reason is sent again: 429, 5xx, and connections that break. Only before
/// anything of the answer was visible, so that nothing is said twice.
public struct RequestRetryPolicy: Hashable, Sendable {
    /// All attempts with the first: 1 to 20.
    public var maxAttempts: Int
    /// Seconds before the second attempt; doubled for each further one.
    public var initialBackoff: TimeInterval
    /// The longest of these waits, in seconds.
    public var maxBackoff: TimeInterval
    /// The part of a wait, 0 to 1, by which it is made longer or shorter at random.
    public var jitterFactor: Double
    /// The longest wait that a server's `Retry-After` is followed for, in seconds; beyond it the error is reported at once.
    public var maxRetryAfter: TimeInterval

    /// Values out of their range are brought into it.
    public init(
        maxAttempts: Int = 4, initialBackoff: TimeInterval = 0.5, maxBackoff: TimeInterval = 8, jitterFactor: Double = 0.2,
        maxRetryAfter: TimeInterval = 60
    ) {
        self.maxAttempts = min(max(maxAttempts, 1), 20)
        self.initialBackoff = Self.seconds(initialBackoff)
        self.maxBackoff = Self.seconds(maxBackoff)
        self.jitterFactor = jitterFactor.isFinite ? min(max(jitterFactor, 0), 1) : 0
        self.maxRetryAfter = Self.seconds(maxRetryAfter)
    }

    public static let `default` = RequestRetryPolicy()
    /// One attempt.
    public static let disabled = RequestRetryPolicy(maxAttempts: 1)

    private static func seconds(_ value: TimeInterval) -> TimeInterval { value.isFinite ? min(max(value, 0), 3600) : 0 }

    /// How long to wait after an attempt failed; `nil` to give up.
    ///
    /// - Parameters:
    ///   - attempt: The one that failed, from 1.
    ///   - random: From 0 to 1.
    func delay(after attempt: Int, failure: AgentRuntimeError, random: Double) -> Duration? {
        guard attempt < maxAttempts, failure.isPassing else { return nil }
        if let asked = failure.retryAfter { return asked <= .milliseconds(Int64(maxRetryAfter * 1000)) ? asked : nil }
        var backoff = min(initialBackoff, maxBackoff)
        for _ in 1..<max(attempt, 1) where backoff < maxBackoff { backoff = min(backoff * 2, maxBackoff) }
        let jittered = backoff * (1 + jitterFactor * (2 * random - 1))
        return .milliseconds(Int64(jittered * 1000))
    }
}

extension AgentRuntimeError {
    /// Whether the same request may well succeed a little later.
    var isPassing: Bool {
        [.network, .timedOut, .serverFailed, .rateLimited, .streamInterrupted].contains(code)
    }
}
