import Log
import Synchronization
import Testing

struct LoggerTests {
    private let sink = RecordingSink()
    private let start = ContinuousClock.now

    @Test(arguments: LogLevel.allCases)
    func writesTheThresholdAndWhatIsAboveIt(threshold: LogLevel) {
        let logger = Logger(category: "relay", threshold: threshold, sink: sink)
        for level in LogLevel.allCases { logger.log(level, level.rawValue) }
        #expect(sink.records == LogLevel.allCases.filter { $0 >= threshold }.map { LogRecord(level: $0, category: "relay", message: $0.rawValue) })
    }

    @Test func namedMethodsHaveTheirLevels() {
        let logger = Logger(threshold: .debug, sink: sink)
        logger.debug("a")
        logger.info("b")
        logger.notice("c")
        logger.warning("d")
        logger.error("e")
        #expect(sink.records.map(\.level) == [.debug, .info, .notice, .warning, .error])
    }

    @Test func aMessageBelowTheThresholdIsNotBuilt() {
        let built = Mutex(0)
        func text() -> String {
            built.withLock { $0 += 1 }
            return "costly"
        }
        let logger = Logger(threshold: .warning, sink: sink)
        logger.debug(text())
        logger.logOnce("key", .info, text())
        logger.logLimited("key", every: .seconds(1), now: start, .info, text())
        #expect(built.withLock { $0 } == 0)
        logger.warning(text())
        #expect(built.withLock { $0 } == 1)
    }

    @Test func anOutageIsOneLineUntilItIsOver() {
        let logger = Logger(sink: sink)
        logger.recovered("avahi", "never was away")
        for _ in 0..<3 { logger.logOnce("avahi", "Avahi is away.") }
        logger.logOnce("codex", "Codex is away.")
        logger.recovered("avahi", "Avahi is back.")
        logger.recovered("avahi", "Avahi is back.")
        logger.logOnce("avahi", "Avahi is away.")
        #expect(sink.messages == ["Avahi is away.", "Codex is away.", "Avahi is back.", "Avahi is away."])
    }

    @Test func copiesShareWhatWasSaidAndCategoriesDoNot() {
        let logger = Logger(category: "a", sink: sink)
        let copy = logger
        logger.logOnce("key", "first")
        copy.logOnce("key", "second")
        logger.category("b").logOnce("key", "third")
        logger.category("a").logOnce("key", "fourth")
        #expect(sink.messages == ["first", "third"])
        #expect(sink.records.map(\.category) == ["a", "b"])
    }

    @Test func onceMeansOnceFromManyThreads() async {
        let logger = Logger(sink: sink)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { logger.logOnce("key", "once") } }
        }
        #expect(sink.messages == ["once"])
    }

    @Test func limitedLinesCountWhatTheyLeaveOut() {
        let logger = Logger(sink: sink)
        for offset in [0, 1, 9, 10, 25] {
            logger.logLimited("peer", every: .seconds(10), now: start + .seconds(offset), .notice, "refused")
        }
        #expect(sink.messages == ["refused", "refused (2 more like it were left out)", "refused"])
    }

    @Test func keysFromOutsideCannotGrowTheMemoryWithoutBound() {
        let logger = Logger(sink: sink)
        for number in 0..<3000 { logger.logLimited("k\(number)", every: .seconds(10), now: start, .warning, "x") }
        for number in 0..<3000 { logger.logOnce("k\(number)", "x") }
        #expect(sink.messages.count == 6000)
        // The earliest key was forgotten, so it is said again rather than kept for ever.
        logger.logOnce("k0", "again")
        #expect(sink.messages.last == "again")
    }

    @Test func theSilentLoggerWritesNothing() {
        #expect(!Logger.silent.isEnabled(.warning))
        Logger.silent.error("nobody hears this")
    }
}
