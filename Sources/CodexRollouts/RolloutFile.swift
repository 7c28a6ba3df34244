import RelayProtocol

/// One session's file and what was read of it so far.
struct RolloutFile {
    /// How much is read, and how.
    struct Limits: Sendable {
        /// Longest line in bytes; longer ones are left out.
        var line = 1 << 20
        /// Bytes read from the end of a file when it is first seen.
        var tail: Int64 = 1 << 20
        /// Bytes looked through for the beginning of a long turn that is still running.
        var turn: Int64 = 64 << 20
        /// Bytes read from the beginning for the description and the first words of the user.
        var head: Int64 = 256 << 10
        /// Bytes a compressed file may unpack to.
        var unpacked: Int64 = 2 << 30
    }

    private(set) var state = SessionState()
    /// `nil` when the first line describes nothing, or is not written yet.
    private(set) var meta: SessionMeta? {
        didSet { state.forkedAt = meta?.isFork == true ? meta?.id?.createdAt : nil }
    }
    /// The file as of the last read.
    private(set) var status: FileStatus
    private(set) var damagedLines = 0
    /// The beginning of the running turn may lie before what was read.
    private(set) var lacksTurnStart = false
    let isCompressed: Bool

    private var splitter: LineSplitter
    private var skippedBefore = 0
    private let limits: Limits

    /// Lines left out because of their length.
    var skippedLines: Int { skippedBefore + splitter.skippedLines }
    /// Bytes that were read and will not be read again.
    var offset: Int64 { splitter.offset }

    /// Whether the first line is there, so that it is known whose session this is.
    var isIntroduced: Bool { meta != nil || splitter.hasEndedLine }

    /// Reads what the file says of its session: all of a small one, beginning and end of a large one.
    init(_ file: borrowing OpenFile, isCompressed: Bool, limits: Limits) throws {
        status = try file.status()
        guard status.kind == .file else { throw FileFailure(code: 22) }
        self.isCompressed = isCompressed
        self.limits = limits
        splitter = LineSplitter(maximumLength: limits.line)
        if isCompressed {
            try unpack(file)
        } else if status.size <= Self.smallFile {
            try readAppended(file)
        } else {
            try readHead(file)
            try readTail(file)
        }
    }

    /// Up to here all of a file is read.
    private static let smallFile: Int64 = 128 << 10

    /// Reads what was appended since.
    ///
    /// - Returns: `false` when the file is another one, was cut off or rewritten: it has to be read anew.
    mutating func update(_ file: borrowing OpenFile) throws -> Bool {
        let now = try file.status()
        guard now.inode == status.inode, now.device == status.device, !isCompressed, now.size >= splitter.offset else { return false }
        if splitter.offset > 0, splitter.isAtLineStart, now.size > splitter.offset, try !endsLine(file) { return false }
        status = now
        try readAppended(file)
        return true
    }

    /// Looks further up for the beginning of a running turn, once.
    mutating func findTurnStart(_ file: borrowing OpenFile) throws(FileFailure) {
        guard lacksTurnStart else { return }
        lacksTurnStart = false
        guard state.lifecycle == .working, state.workStart == nil else { return }
        var reader = TailReader(limit: limits.turn, maximumLength: limits.line)
        reader.wantsOnlyStart = true
        let tail = try reader.read(file, end: splitter.offset)
        if let start = tail.records.first(where: \.isTurnStart) { state.adoptTurnStart(start) }
    }

    /// Whether the byte before what is new is still the end of a line.
    private func endsLine(_ file: borrowing OpenFile) throws(FileFailure) -> Bool {
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        return try file.read(at: splitter.offset - 1, into: byte).first == 0x0a
    }

    private mutating func readAppended(_ file: borrowing OpenFile) throws(FileFailure) {
        let size = Int(min(max(status.size - splitter.offset, 1), 262_144))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let chunk = try file.read(at: splitter.offset, into: buffer)
            take(chunk)
            if chunk.count < buffer.count { return }
        }
    }

    private mutating func take(_ chunk: UnsafeRawBufferPointer) {
        // Taken out while it runs, so that an unfinished line is never copied.
        var running = LineSplitter(maximumLength: 0)
        swap(&running, &splitter)
        running.feed(chunk) { line, offset in take(line: line, at: offset) }
        swap(&running, &splitter)
    }

    private mutating func take(line: UnsafeRawBufferPointer, at offset: Int64) {
        guard let record = RecordParser(wantsPreview: state.wantsPreview).parse(line, offset: offset) else {
            damagedLines += 1
            return
        }
        if case .sessionMeta(let meta) = record.kind, offset == 0 { self.meta = meta }
        state.apply(record)
    }

    private mutating func unpack(_ file: borrowing OpenFile) throws {
        let reader = try ZstdReader(limit: limits.unpacked)
        var failure: ZstdReader.Failure?
        try file.readAll { chunk in
            guard failure == nil else { return }
            do throws(ZstdReader.Failure) { try reader.feed(chunk) { take($0) } } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// The description, and the first words of the user: nothing else of the beginning counts.
    private mutating func readHead(_ file: borrowing OpenFile) throws(FileFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        var head = LineSplitter(maximumLength: limits.line)
        var beginning = SessionState()
        while head.offset < limits.head, beginning.wantsPreview {
            let isFirst = head.offset == 0
            let chunk = try file.read(at: head.offset, into: buffer)
            guard !chunk.isEmpty else { break }
            head.feed(chunk) { line, offset in
                guard beginning.wantsPreview, let record = RecordParser().parse(line, offset: offset) else { return }
                if case .sessionMeta(let meta) = record.kind, offset == 0 { self.meta = meta }
                beginning.apply(record)
            }
            // A first line that is longer than this still says at its beginning whose file it is.
            if isFirst, meta == nil { meta = RecordParser.meta(ofPrefix: chunk) }
        }
        state.adoptPreview(of: beginning)
    }

    private mutating func readTail(_ file: borrowing OpenFile) throws(FileFailure) {
        let tail = try TailReader(limit: limits.tail, maximumLength: limits.line).read(file, end: status.size)
        for record in tail.records { state.apply(record) }
        damagedLines += tail.damagedLines
        skippedBefore += tail.skippedLines
        lacksTurnStart = !tail.isComplete
        splitter = LineSplitter(offset: tail.resume, isInsideLine: tail.resumesInsideLine, maximumLength: limits.line)
        try readAppended(file)
    }
}
