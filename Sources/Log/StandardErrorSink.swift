import Glibc

/// Writes each record as one line to a descriptor, in one `write`, so that lines of several threads do not mix.
public struct StandardErrorSink: LogSink {
    public let format: LogFormat
    private let descriptor: CInt

    /// - Parameters:
    ///   - program: The name at the start of lines for people.
    ///   - environment: Where `JOURNAL_STREAM` is looked up.
    ///   - descriptor: Standard error, unless a test says otherwise; not closed by the sink.
    public init(program: String, environment: [String: String], descriptor: CInt = STDERR_FILENO) {
        let journal = JournalStream.isReading(descriptor, environment: environment)
        self.init(format: journal ? .journal : .human(program: program), descriptor: descriptor)
    }

    public init(format: LogFormat, descriptor: CInt = STDERR_FILENO) {
        self.format = format
        self.descriptor = descriptor
    }

    public func write(_ record: LogRecord) {
        let line = Array((format.line(record) + "\n").utf8)
        var done = 0
        while done < line.count {
            let count = line[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                done += count
            } else if errno != EINTR {
                return  // Nobody can be told that the place to tell it is gone; the program must not stop for that.
            }
        }
    }
}

/// Whether journald is at the other end of a descriptor.
enum JournalStream {
    /// The service manager names the device and inode of the stream it made; a redirected descriptor has others.
    static func isReading(_ descriptor: CInt, environment: [String: String]) -> Bool {
        var status = stat()
        guard let value = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else { return false }
        return matches(value, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    static func matches(_ value: String, device: UInt64, inode: UInt64) -> Bool {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && UInt64(parts[0]) == device && UInt64(parts[1]) == inode
    }
}
