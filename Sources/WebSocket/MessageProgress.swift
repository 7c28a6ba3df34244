/// What the frames of a message have in common: their order, their total size, and text that is UTF-8 across their borders.
struct MessageProgress: Sendable {
    private let maxMessageBytes: Int
    /// `text` or `binary` from a message's first frame to its last.
    private var kind: Opcode?
    /// Payload bytes of the message's finished frames.
    private var byteCount = 0
    private var utf8 = UTF8Validator()

    init(maxMessageBytes: Int) {
        self.maxMessageBytes = maxMessageBytes
    }

    /// Admits a frame from its header, before its payload is there.
    mutating func begin(_ header: FrameHeader) throws(PeerViolation) {
        switch header.opcode {
        case .close, .ping, .pong: return
        case .continuation: guard kind != nil else { throw .unexpectedContinuation }
        case .text, .binary:
            guard kind == nil else { throw .messageInterleaved }
            kind = header.opcode
        }
        guard header.payloadLength <= UInt64(maxMessageBytes - byteCount) else {
            throw .messageTooLarge(bytes: header.payloadLength.addingReportingOverflow(UInt64(byteCount)).partialValue)
        }
    }

    /// Takes the next piece of a data frame's payload, unmasked.
    mutating func accept(_ piece: UnsafeRawBufferPointer) -> Bool {
        kind == .text ? utf8.consume(piece) : true
    }

    /// Ends a frame whose payload was accepted.
    mutating func end(_ header: FrameHeader) throws(PeerViolation) {
        guard !header.opcode.isControl else { return }
        guard header.isFinal else {
            byteCount += Int(header.payloadLength)
            return
        }
        guard kind != .text || utf8.isComplete else { throw .textNotUTF8 }
        self = MessageProgress(maxMessageBytes: maxMessageBytes)
    }
}
