import Log
import Synchronization

/// Keeps what is logged.
final class LogLines: LogSink {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func write(_ record: LogRecord) { lines.withLock { $0.append(record.message) } }
}
