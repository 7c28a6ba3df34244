/// Cuts the bytes of a pipe into messages: one JSON text a line, as the server speaks on its standard input and output.
public struct LineFraming: Sendable {
    private let limit: Int
    private var buffer: [UInt8] = []
    /// Where the search for the end of the line goes on; a long line that comes in pieces is not searched again and again.
    private var searched = 0
    private var isSkipping = false
    /// Lines that were longer than the limit and were dropped.
    public private(set) var skippedLines = 0

    /// - Parameter limit: Bytes a line may have.
    public init(limit: Int) { self.limit = limit }

    /// Appends bytes and returns the lines that are complete, without their ends and without empty ones.
    public mutating func receive(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        buffer.append(contentsOf: bytes)
        var lines: [[UInt8]] = []
        var start = 0
        while let end = buffer[max(searched, start)...].firstIndex(of: 0x0a) {
            let line = buffer[start..<end]
            if isSkipping { isSkipping = false } else if line.count > limit { skippedLines += 1 } else if !line.isEmpty { lines.append(Array(line)) }
            start = end + 1
            searched = start
        }
        buffer.removeFirst(start)
        searched = buffer.count
        if buffer.count > limit {
            if !isSkipping { skippedLines += 1 }
            isSkipping = true
            buffer = []
            searched = 0
        }
        return lines
    }
}
