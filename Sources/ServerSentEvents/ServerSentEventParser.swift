/// Reads an event stream (the `text/event-stream` of the WHATWG HTML standard) from bytes in pieces of any size.
///
/// Feed it with ``receive(_:)``, then take events until ``nextEvent()`` gives `nil`. Lines end with LF, CR or CRLF; comments, unknown
/// fields and a byte-order mark at the beginning are skipped; an event without a data line is none. Work is linear in the input.
public struct ServerSentEventParser: Sendable {
    /// The most bytes of one line, and of one event's data.
    public let maximumLength: Int
    /// What the last `retry` field said, in milliseconds.
    public private(set) var reconnectionTime: Int?

    private var buffer: [UInt8] = []
    /// Where the line begins that is read now.
    private var lineStart = 0
    /// How far that line was searched for its end.
    private var searched = 0
    private var isAtBeginning = true
    private var endedWithCarriageReturn = false
    private var data: [UInt8] = []
    private var hasData = false
    private var type = ""
    private var lastEventID = ""
    private var failure: ServerSentEventError?

    public init(maximumLength: Int = 32 << 20) { self.maximumLength = max(maximumLength, 1) }

    /// Takes more of the stream.
    public mutating func receive(_ bytes: some Sequence<UInt8>) {
        guard failure == nil else { return }
        if lineStart > 0 {
            buffer.removeSubrange(..<lineStart)
            searched -= lineStart
            lineStart = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next event that is complete; `nil` when more bytes are needed.
    ///
    /// - Throws: ``ServerSentEventError``, which is final.
    public mutating func nextEvent() throws(ServerSentEventError) -> ServerSentEvent? {
        if let failure { throw failure }
        while let line = nextLine() {
            guard line.count <= maximumLength else { throw fail() }
            if line.isEmpty {
                if let event = dispatch() { return event }
                continue
            }
            take(line)
            guard data.count <= maximumLength else { throw fail() }
        }
        guard buffer.count - lineStart <= maximumLength else { throw fail() }
        return nil
    }

    /// The event that the end of the stream cut off before its empty line, with the line that was not ended, if any.
    ///
    /// The standard drops it; a reader who can tell by other means whether the data is whole need not.
    public mutating func unfinishedEvent() -> ServerSentEvent? {
        guard failure == nil else { return nil }
        if lineStart < buffer.count {
            let line = buffer[lineStart...]
            lineStart = buffer.count
            searched = lineStart
            take(line)
        }
        return dispatch()
    }

    private mutating func fail() -> ServerSentEventError {
        let error = ServerSentEventError.tooLarge(limit: maximumLength)
        failure = error
        buffer = []
        data = []
        (lineStart, searched) = (0, 0)
        return error
    }

    // MARK: Lines

    /// The next line without its end; `nil` when its end has not come.
    private mutating func nextLine() -> ArraySlice<UInt8>? {
        skipRestOfLineEnd()
        guard skipByteOrderMark() else { return nil }
        let end = buffer.withUnsafeBufferPointer { bytes -> Int? in
            var index = searched
            while index < bytes.count {
                if bytes[index] == 0x0A || bytes[index] == 0x0D { return index }
                index += 1
            }
            return nil
        }
        guard let end else {
            searched = buffer.count
            return nil
        }
        let line = buffer[lineStart..<end]
        endedWithCarriageReturn = buffer[end] == 0x0D
        lineStart = end + 1
        searched = lineStart
        return line
    }

    /// Skips the line feed of a CRLF, which may come later than its carriage return.
    private mutating func skipRestOfLineEnd() {
        guard endedWithCarriageReturn, lineStart < buffer.count else { return }
        endedWithCarriageReturn = false
        guard buffer[lineStart] == 0x0A else { return }
        lineStart += 1
        searched = max(searched, lineStart)
    }

    /// Whether the beginning is behind us; `false` while it may still become a byte-order mark.
    private mutating func skipByteOrderMark() -> Bool {
        guard isAtBeginning else { return true }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = buffer.prefix(3)
        guard mark.starts(with: start) else {
            isAtBeginning = false
            return true
        }
        guard start.count == 3 else { return false }
        isAtBeginning = false
        lineStart = 3
        searched = 3
        return true
    }

    // MARK: Fields

    private mutating func take(_ line: ArraySlice<UInt8>) {
        var name = line
        var value = line[line.endIndex...]
        if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            name = line[..<colon]
            value = line[(colon + 1)...]
            if value.first == 0x20 { value = value.dropFirst() }
        }
        if name.elementsEqual("data".utf8) {
            if hasData { data.append(0x0A) }
            hasData = true
            data.append(contentsOf: value)
        } else if name.elementsEqual("event".utf8) {
            type = String(decoding: value, as: UTF8.self)
        } else if name.elementsEqual("id".utf8) {
            if !value.contains(0) { lastEventID = String(decoding: value, as: UTF8.self) }
        } else if name.elementsEqual("retry".utf8) {
            if let time = Self.decimal(value) { reconnectionTime = time }
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data = []
            hasData = false
            type = ""
        }
        guard hasData else { return nil }
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastEventID: lastEventID)
    }

    private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
