/// Reads a rollout backwards from its end until it is known how its session stands.
struct TailReader {
    /// What the end of a file says.
    struct Tail {
        /// In the order of the file.
        var records: [RolloutRecord] = []
        /// Where reading of what is appended later begins: behind the last newline.
        var resume: Int64 = 0
        /// `resume` is in the middle of a line that began before what was read.
        var resumesInsideLine = false
        /// Lines left out because of their length.
        var skippedLines = 0
        /// Lines that are no records.
        var damagedLines = 0
        /// The beginning of the newest turn is in `records`, or the file has no other.
        var isComplete = false
    }

    /// Bytes to look at, at most.
    var limit: Int64
    /// Longest line, in bytes.
    var maximumLength: Int
    /// Whether the beginning of the newest turn is all that is looked for.
    var wantsOnlyStart = false
    private let parser = RecordParser(wantsPreview: false)

    init(limit: Int64, maximumLength: Int) {
        self.limit = limit
        self.maximumLength = maximumLength
    }

    private struct Search {
        var tail = Tail()
        var foundStart = false
        var foundContext: Bool
        /// The line end of the file was passed: what follows backwards are whole lines.
        var isPastEnd = false
        /// The line that is being put together is too long.
        var isOversized = false

        var isSatisfied: Bool { foundStart && foundContext }
    }

    /// - Parameters:
    ///   - end: Where to begin, usually the size of the file.
    ///   - start: Bytes before this offset are not looked at.
    func read(_ file: borrowing OpenFile, end: Int64, start: Int64 = 0) throws(FileFailure) -> Tail {
        var search = Search(foundContext: wantsOnlyStart)
        var position = end
        var size: Int64 = 65_536
        var carry: [UInt8] = []
        let floor = max(start, end - limit)
        while position > floor, !search.isSatisfied {
            let count = Int(min(size, position - floor))
            size = min(size * 2, 524_288)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count + carry.count, alignment: 16)
            defer { buffer.deallocate() }
            let fresh = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            // Truncated meanwhile: the event of that is on its way.
            guard try file.read(at: position - Int64(count), into: fresh).count == count else { break }
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyBytes(from: carry)
            position -= Int64(count)
            carry = lines(of: UnsafeRawBufferPointer(buffer), fresh: count, base: position, &search)
        }
        finish(&search, carry: carry, position: position, end: end)
        search.tail.records.reverse()
        return search.tail
    }

    /// Hands on the lines that end in `buffer`, last one first.
    ///
    /// - Parameters:
    ///   - fresh: Bytes at the front that were not searched for newlines yet.
    ///   - base: Offset of the buffer in the file.
    /// - Returns: The bytes of the line whose beginning lies before the buffer.
    private func lines(of buffer: UnsafeRawBufferPointer, fresh: Int, base: Int64, _ search: inout Search) -> [UInt8] {
        var end = buffer.count
        var limit = fresh
        while let newline = ByteSearch.lastNewline(buffer, before: limit) {
            take(UnsafeRawBufferPointer(rebasing: buffer[(newline + 1)..<end]), at: base + Int64(newline) + 1, &search)
            end = newline
            limit = newline
            if search.isSatisfied { return [] }
        }
        guard end <= maximumLength, !search.isOversized else {
            search.isOversized = true
            return []
        }
        return Array(buffer[..<end])
    }

    private func take(_ line: UnsafeRawBufferPointer, at offset: Int64, _ search: inout Search) {
        defer { search.isOversized = false }
        guard search.isPastEnd else {
            search.isPastEnd = true
            search.tail.resume = offset
            return
        }
        guard !search.isOversized, line.count <= maximumLength else {
            search.tail.skippedLines += 1
            return
        }
        guard !line.isEmpty else { return }
        guard let record = parser.parse(line, offset: offset) else {
            search.tail.damagedLines += 1
            return
        }
        if wantsOnlyStart, !record.isTurnStart { return }
        switch record.kind {
        case .bookkeeping, .sessionMeta, .userItem: return
        case .turnStarted: search.foundStart = true
        case .tokenCount(let count): search.foundContext = search.foundContext || count.lastTotal != nil
        default: break
        }
        search.tail.records.append(record)
    }

    private func finish(_ search: inout Search, carry: [UInt8], position: Int64, end: Int64) {
        if !search.isPastEnd {
            // No newline at all: with the whole file looked at, its only line is not finished; else it began further up.
            search.tail.resume = position == 0 ? 0 : end
            search.tail.resumesInsideLine = position > 0
        } else if position == 0, !search.isSatisfied {
            carry.withUnsafeBytes { take($0, at: 0, &search) }
        }
        search.tail.isComplete = search.foundStart || position == 0
    }
}
