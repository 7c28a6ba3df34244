/// The time within the demo: how long it has been on. Replaced in tests, which live through hours in a moment.
public struct DemoClock: Sendable {
    /// How long the demo has been on.
    public var elapsed: @Sendable () -> Duration
    /// Returns when the demo has been on for that long; at once when it has.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (_ until: Duration) async throws -> Void

    public init(elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (_ until: Duration) async throws -> Void) {
        self.elapsed = elapsed
        self.sleep = sleep
    }

    /// A clock that begins now and does not go by the time of day.
    public static func running() -> Self {
        let clock = ContinuousClock()
        let start = clock.now
        return Self(
            elapsed: { clock.now - start },
            sleep: { until in
                guard clock.now < start + until else { return try Task.checkCancellation() }
                // A tenth of a second is nothing in a demo, and lets the kernel wake the process less often.
                try await Task.sleep(until: start + until, tolerance: .milliseconds(100), clock: clock)
            })
    }
}
