import Log
import Synchronization

/// Keeps what is logged.
final class RecordingSink: LogSink {
    private let kept = Mutex<[LogRecord]>([])

    func write(_ record: LogRecord) { kept.withLock { $0.append(record) } }

    var records: [LogRecord] { kept.withLock { $0 } }
    var messages: [String] { records.map(\.message) }
}
