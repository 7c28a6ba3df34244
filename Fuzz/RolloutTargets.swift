import RelayProtocol

@testable import CodexRollouts

let rolloutTargets = [
    FuzzTarget("rollout-line") { bytes in
        let line = UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0x0a })
        let record = RecordParser().parse(line, offset: 7)
        let bare = RecordParser(wantsPreview: false).parse(line, offset: 7)
        expect(record?.timestamp == bare?.timestamp && record?.offset == bare?.offset, "looking for a preview changes nothing else")
        if let record {
            expect((7...7 + Int64(line.count)).contains(record.offset), "a record begins inside its line")
            checkPreview(record)
            checkPercent(record)
        }
        _ = RecordParser.meta(ofPrefix: line)
    },
    FuzzTarget("rollout-lines") { bytes in
        let whole = split([bytes])
        expect(whole == split(bytes.pieces), "how a file is cut changes nothing")
        expect(whole.lines == expectedLines(bytes), "every line within the limit comes out, with its place")
    },
    FuzzTarget("rollout-name", maximumLength: 256) { bytes in
        let name = RolloutName(bytes)
        if let name { expect(bytes.text.lowercased().contains(name.identity.uuid), "a file's name holds its session") }
        _ = Timestamp.parse(bytes)
        if let line = Preview.line(of: bytes.text) {
            expect(!line.isEmpty && line.count <= Preview.maximumCharacters, "a preview is short")
            checkLine(String(line.unicodeScalars.filter { $0.value != 0x200d }.map(Character.init)))
        }
    },
    FuzzTarget("writer-locks", maximumLength: 2048) { bytes in
        let lines = WriterLocks.parse(Array(bytes))
        expect(lines.count <= bytes.count / 12, "a lock has a line of its own")
        // The kernel writes a newline behind each lock, so that tables joined mean the same as apart.
        let twice = WriterLocks.parse(Array(bytes) + [0x0a] + Array(bytes))
        expect(twice == lines + lines, "lines do not depend on each other")
    },
    FuzzTarget("inotify", maximumLength: 1024) { bytes in
        let events = WatchEvent.parse(bytes)
        expect(events.count <= bytes.count / 16, "an event has a header of its own")
        expect(events.allSatisfy { !$0.name.utf8.contains(0) }, "a name ends at its zero")
    },
]

private func checkPreview(_ record: RolloutRecord) {
    switch record.kind {
    case .userMessage(let preview?), .userItem(let preview?):
        expect(!preview.isEmpty && preview.count <= Preview.maximumCharacters, "a preview is short")
    case .sessionMeta(let meta):
        expect((meta.originator?.count ?? 0) <= 64 && (meta.cliVersion?.count ?? 0) <= 64, "a description is short")
    default: break
    }
}

private func checkPercent(_ record: RolloutRecord) {
    var state = SessionState()
    state.apply(record)
    expect((0...100).contains(state.contextUsedPercent ?? 0), "a share is within 0 … 100")
    for window in [state.limits.primary, state.limits.secondary] {
        expect(window.map { (0...100).contains($0.usedPercent) } ?? true, "a usage is within 0 … 100")
    }
}

// MARK: Lines

/// The longest line in bytes: short, so that small inputs pass it.
private let lineLimit = 96

private struct Line: Equatable {
    var bytes: [UInt8]
    var offset: Int64
}

private struct Lines: Equatable {
    var lines: [Line] = []
    var splitter: LineSplitter
    var state = SessionState()
}

private func split(_ pieces: [UnsafeRawBufferPointer]) -> Lines {
    var result = Lines(splitter: LineSplitter(maximumLength: lineLimit))
    for piece in pieces {
        result.splitter.feed(piece) { line, offset in
            result.lines.append(Line(bytes: Array(line), offset: offset))
            if let record = RecordParser().parse(line, offset: offset) { result.state.apply(record) }
        }
    }
    return result
}

private func expectedLines(_ bytes: UnsafeRawBufferPointer) -> [Line] {
    var lines: [Line] = []
    var start = bytes.startIndex
    while let end = bytes[start...].firstIndex(of: 0x0a) {
        if end > start, end - start <= lineLimit { lines.append(Line(bytes: Array(bytes[start..<end]), offset: Int64(start))) }
        start = end + 1
    }
    return lines
}
