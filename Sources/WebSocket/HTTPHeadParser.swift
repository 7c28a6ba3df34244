/// Reads one HTTP head, byte by byte, so that how the bytes were cut never changes the outcome.
struct HTTPHeadParser: Sendable {
    private let maxBytes: Int
    private let maxFields: Int
    private var buffer: [UInt8] = []
    /// Bytes of the buffer already looked at.
    private var position = 0
    private var lineStart = 0
    private var afterCarriageReturn = false
    private var hasStartLine = false
    private var head = HTTPHead()
    private var isComplete = false
    private var violation: HTTPHeadViolation?

    init(maxBytes: Int, maxFields: Int) {
        self.maxBytes = maxBytes
        self.maxFields = maxFields
    }

    mutating func receive(_ bytes: some Collection<UInt8>) {
        guard violation == nil else { return }
        bytes.withContiguousBytes { buffer.append(contentsOf: $0) }
    }

    /// - Returns: The head once its empty line is there, `nil` before that; the same head when called again.
    /// - Throws: The first rule broken; final.
    mutating func nextHead() throws(HTTPHeadViolation) -> HTTPHead? {
        if let violation { throw violation }
        do throws(HTTPHeadViolation) {
            while !isComplete, position < buffer.count {
                try step(buffer[position])
            }
        } catch {
            violation = error
            buffer = []
            throw error
        }
        return isComplete ? head : nil
    }

    /// Removes what was received behind the head; empty before it is complete.
    mutating func takeLeftover() -> [UInt8] {
        guard isComplete else { return [] }
        let leftover = Array(buffer[position...])
        buffer = []
        position = 0
        return leftover
    }

    private mutating func step(_ byte: UInt8) throws(HTTPHeadViolation) {
        position += 1
        switch (byte, afterCarriageReturn) {
        case (0x0A, true):
            afterCarriageReturn = false
            try endLine(buffer[lineStart..<position - 2])
            lineStart = position
        case (_, true): throw .bareCarriageReturn
        case (0x0D, false): afterCarriageReturn = true
        case (0x0A, false): throw .bareLineFeed
        case (0x09, false), (0x20...0x7E, false), (0x80...0xFF, false): break
        default: throw .controlCharacter(byte)
        }
        guard isComplete || position < maxBytes else { throw .tooLong }
    }

    private mutating func endLine(_ line: ArraySlice<UInt8>) throws(HTTPHeadViolation) {
        guard hasStartLine else {
            guard !line.isEmpty else { throw .malformedStartLine }
            head.startLine = String(decoding: line, as: UTF8.self)
            hasStartLine = true
            return
        }
        guard let first = line.first else {
            isComplete = true
            return
        }
        guard head.fields.count < maxFields else { throw .tooManyFields }
        guard first != 0x20, first != 0x09 else { throw .foldedField }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(HTTPHead.isTokenCharacter)
        else { throw .malformedField }
        let value = HTTPHead.trimmed(line[(colon + 1)...])
        head.fields.append(.init(name: HTTPHead.lowercased(line[..<colon]), value: String(decoding: value, as: UTF8.self)))
    }
}
