import CodexRollouts
import EventLoop
import Glibc
import RelayProtocol

/// Reading a Codex home for the first time, and following it.
enum IndexRow {
    static func measure(_ conditions: Conditions) throws -> [Measurement] {
        let loop = try EventLoop(name: "files")
        let clock = try LoopClock(loop)
        let now: @Sendable () -> UnixMilliseconds = { UnixMilliseconds(clamping: wallClock()) }
        let source = RolloutSource(codexHome: conditions.tree, loop: loop, log: .silent, now: now) { _ in }
        let start = ContinuousClock.now
        try waitFor { await source.start() }
        let elapsed = ContinuousClock.now - start
        let statistics = try waitFor { await source.statistics }
        guard statistics.liveFiles >= 2_000, statistics.readSessions >= 128, statistics.pollingReason == nil else {
            throw BenchmarkError("The index is not complete: \(statistics)")
        }
        let indexed = clock.now
        let appended = 200
        try append(appended, to: RolloutTree.newest(in: conditions.tree))
        usleep(20_000)
        let each = (clock.now - indexed) / Double(appended)
        return [
            Measurement(
                "first index", Double(elapsed.components.seconds) * 1e9 + Double(elapsed.components.attoseconds) / 1e9, .nanoseconds,
                target: .value(120e6)),
            Measurement("CPU each record", each, .nanoseconds, target: .value(1e6)),
        ]
    }

    private static func append(_ count: Int, to path: String) throws {
        let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else { throw BenchmarkError("\(path) cannot be written.") }
        defer { close(file) }
        for number in 0..<count {
            let type = number % 2 == 0 ? "task_started" : "task_complete"
            let stamp = RolloutTree.stamp(wallClock() / 1_000)
            let line = Array(#"{"timestamp":"\#(stamp).000Z","type":"event_msg","payload":{"type":"\#(type)","turn_id":"t"}}"#.utf8) + [0x0a]
            guard write(file, line, line.count) == line.count else { throw BenchmarkError("\(path) cannot be written.") }
            usleep(2_000)
        }
    }
}
