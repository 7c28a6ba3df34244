/// Cuts a stream of bytes into lines of bounded length.
struct LineReader {
    private var buffer: [UInt8] = []
    /// How much of the buffer is known to hold no line end: a long line that comes in pieces is looked through once.
    private var searched = 0
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Returns: The complete lines without their ends; `nil` once a line is longer than the limit.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]]? {
        buffer.append(contentsOf: bytes)
        var lines: [[UInt8]] = []
        var start = 0
        while let end = buffer[searched...].firstIndex(of: 0x0a) {
            guard end - start <= limit else { return nil }
            lines.append(Array(buffer[start..<end]))
            start = end + 1
            searched = start
        }
        buffer.removeSubrange(..<start)
        searched = buffer.count
        return buffer.count > limit ? nil : lines
    }
}
