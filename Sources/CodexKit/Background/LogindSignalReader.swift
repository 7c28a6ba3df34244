/// Finds in the output of `dbus-monitor` that the computer is about to sleep or to shut down.
struct LogindSignalReader: Sendable {
    /// No line of interest is longer; the rest of longer ones is dropped.
    private static let longestLine = 4_096

    private var line: [UInt8] = []
    private var announced = false

    /// - Returns: Whether the bytes say so. Any chunking gives the same.
    mutating func receive(_ bytes: some Sequence<UInt8>) -> Bool {
        var isEnding = false
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if endLine() { isEnding = true }
            } else if line.count < Self.longestLine {
                line.append(byte)
            }
        }
        return isEnding
    }

    /// A signal is a line that names it and a line with its argument: true before, false after the sleep.
    private mutating func endLine() -> Bool {
        defer { line.removeAll(keepingCapacity: true) }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("signal ") || text.hasPrefix("method ") || text.hasPrefix("error ") {
            announced = text.contains("member=PrepareForSleep") || text.contains("member=PrepareForShutdown")
            return false
        }
        defer { announced = false }
        return announced && text.split(separator: " ") == ["boolean", "true"]
    }
}
