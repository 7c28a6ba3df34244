/// Writes lines of one category to a sink; a small value to pass around and keep.
///
/// A message is built only when its level is printed, so that a line of debug text costs one comparison when it is off.
public struct Logger: Sendable {
    /// The part of the program that speaks, such as `relay`; may be empty.
    public let category: String
    /// The lowest level that is written.
    public let threshold: LogLevel
    private let sink: any LogSink
    private let gate: RepetitionGate

    public init(category: String = "", threshold: LogLevel = .notice, sink: any LogSink) {
        self.init(category: category, threshold: threshold, sink: sink, gate: RepetitionGate())
    }

    private init(category: String, threshold: LogLevel, sink: any LogSink, gate: RepetitionGate) {
        self.category = category
        self.threshold = threshold
        self.sink = sink
        self.gate = gate
    }

    /// Writes nothing.
    public static let silent = Logger(threshold: .error, sink: SilentSink())

    /// The same logger speaking for another part; repetitions are still counted per category.
    public func category(_ name: String) -> Logger {
        Logger(category: name, threshold: threshold, sink: sink, gate: gate)
    }

    public func isEnabled(_ level: LogLevel) -> Bool { level >= threshold }

    @inline(__always)
    public func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if level >= threshold { write(level, message()) }
    }

    public func debug(_ message: @autoclosure () -> String) { log(.debug, message()) }
    public func info(_ message: @autoclosure () -> String) { log(.info, message()) }
    public func notice(_ message: @autoclosure () -> String) { log(.notice, message()) }
    public func warning(_ message: @autoclosure () -> String) { log(.warning, message()) }
    public func error(_ message: @autoclosure () -> String) { log(.error, message()) }

    /// Writes a line the first time only, until ``recovered(_:_:)`` is called with the same key: one line an outage.
    ///
    /// - Parameter key: What is out of order, such as `avahi`; never text that others choose, as keys are remembered.
    public func logOnce(_ key: String, _ level: LogLevel, _ message: @autoclosure () -> String) {
        guard level >= threshold, gate.enter(scoped(key)) else { return }
        write(level, message())
    }

    /// The same as a warning.
    public func logOnce(_ key: String, _ message: @autoclosure () -> String) { logOnce(key, .warning, message()) }

    /// Says that an outage is over, if one was logged for this key, and lets the next one be logged again.
    public func recovered(_ key: String, _ message: @autoclosure () -> String) {
        guard gate.leave(scoped(key)) else { return }
        log(.notice, message())
    }

    /// Writes a line at most once in `interval` for each key; the next one says how many were left out.
    ///
    /// - Parameter now: The present; instants must not run backwards.
    public func logLimited(
        _ key: String, every interval: Duration, now: ContinuousClock.Instant,
        _ level: LogLevel, _ message: @autoclosure () -> String
    ) {
        guard level >= threshold, let skipped = gate.pass(scoped(key), every: interval, now: now) else { return }
        write(level, skipped == 0 ? message() : message() + " (\(skipped) more like it were left out)")
    }

    private func scoped(_ key: String) -> String { category + "\0" + key }

    @inline(never)
    private func write(_ level: LogLevel, _ message: String) {
        sink.write(LogRecord(level: level, category: category, message: message))
    }
}
