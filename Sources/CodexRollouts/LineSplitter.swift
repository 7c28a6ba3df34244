import Glibc

/// Cuts a growing file into lines, fed with its bytes as they come.
///
/// Memory is bounded: of a line that is longer than allowed nothing is kept but the fact, and the next line is found again.
struct LineSplitter: Equatable {
    /// Offset of the next byte to feed.
    private(set) var offset: Int64
    /// Lines left out because of their length.
    private(set) var skippedLines = 0
    /// Bytes of the last line that has no newline yet.
    private var partial: [UInt8] = []
    private var isSkipping: Bool
    private let maximumLength: Int

    /// - Parameters:
    ///   - offset: Where feeding begins.
    ///   - isInsideLine: Whether that is in the middle of a line, whose rest is then left out.
    ///   - maximumLength: Longest line in bytes, without its newline.
    init(offset: Int64 = 0, isInsideLine: Bool = false, maximumLength: Int) {
        self.offset = offset
        isSkipping = isInsideLine
        self.maximumLength = maximumLength
    }

    /// Whether a line lies behind, or one that is too long is on its way.
    var hasEndedLine: Bool { isSkipping || offset > Int64(partial.count) }

    /// Whether all that was fed ended with a newline.
    var isAtLineStart: Bool { partial.isEmpty && !isSkipping }

    /// Takes the next bytes of the file and hands out each line they complete, with the offset it begins at. Empty lines are left out.
    mutating func feed(_ chunk: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer, Int64) -> Void) {
        var rest = chunk
        while let base = rest.baseAddress, let newline = memchr(base, 0x0a, rest.count) {
            let length = UnsafeRawPointer(newline) - base
            finish(UnsafeRawBufferPointer(rebasing: rest[..<length]), line)
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        offset += Int64(rest.count)
        guard !isSkipping, !rest.isEmpty else { return }
        guard partial.count + rest.count <= maximumLength else {
            isSkipping = true
            skippedLines += 1
            partial = []
            return
        }
        partial.append(contentsOf: rest)
    }

    /// Ends the line that `end` completes and moves past its newline.
    private mutating func finish(_ end: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer, Int64) -> Void) {
        defer {
            offset += Int64(end.count) + 1
            isSkipping = false
            partial = []
        }
        guard !isSkipping else { return }
        guard partial.count + end.count <= maximumLength else {
            skippedLines += 1
            return
        }
        let start = offset - Int64(partial.count)
        if partial.isEmpty {
            if !end.isEmpty { line(end, start) }
        } else {
            partial.append(contentsOf: end)
            partial.withUnsafeBytes { line($0, start) }
        }
    }
}
