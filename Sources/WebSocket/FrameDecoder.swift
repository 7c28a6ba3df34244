/// Turns received bytes into frames, and checks every rule of RFC 6455 about the sequence of frames and their payloads.
///
/// Feed it with ``receive(_:)``, then pull with ``nextFrame()`` until `nil`. The cost is linear in the bytes however they are cut,
/// and a decoder between two frames owns no buffer.
public struct FrameDecoder: Sendable {
    private let role: WebSocketRole
    private var queue = ByteQueue()
    private var message: MessageProgress
    /// The frame whose payload is arriving; its header has left the queue.
    private var header: FrameHeader?
    /// How many bytes of that payload, at the front of the queue, are unmasked and checked.
    private var preparedBytes = 0
    private var violation: PeerViolation?

    /// - Parameters:
    ///   - role: Our own end: a server accepts only masked frames, a client only unmasked ones.
    ///   - maxMessageBytes: Most payload bytes of one message, over all its frames; 65,536 by default. A negative number counts as 0.
    public init(role: WebSocketRole, maxMessageBytes: Int = 65_536) {
        self.role = role
        message = MessageProgress(maxMessageBytes: max(0, maxMessageBytes))
    }

    /// Appends bytes from the peer. Nothing is kept after a violation.
    public mutating func receive(_ bytes: some Collection<UInt8>) {
        guard violation == nil else { return }
        queue.append(bytes)
    }

    /// Removes the next frame.
    ///
    /// - Returns: `nil` while its bytes are incomplete.
    /// - Throws: ``WebSocketError/peer(_:)`` as soon as a wrong byte is there, be it in the header or in the middle of a text; the error is final.
    public mutating func nextFrame() throws(WebSocketError) -> Frame? {
        if let violation { throw .peer(violation) }
        do throws(PeerViolation) {
            return try advance()
        } catch {
            violation = error
            queue.removeAll()
            throw .peer(error)
        }
    }

    private mutating func advance() throws(PeerViolation) -> Frame? {
        guard let header = try currentHeader() else { return nil }
        let length = Int(header.payloadLength)
        try prepare(header, upTo: min(length, queue.count))
        guard preparedBytes == length else { return nil }
        try message.end(header)
        self.header = nil
        preparedBytes = 0
        return Frame(isFinal: header.isFinal, opcode: header.opcode, payload: queue.take(length))
    }

    private mutating func currentHeader() throws(PeerViolation) -> FrameHeader? {
        if let header { return header }
        guard let next = try FrameHeader(queue, receivedBy: role) else { return nil }
        try message.begin(next)
        queue.drop(next.byteCount)
        header = next
        return next
    }

    /// Unmasks and checks what is new of the payload, so that bad text fails before the rest of its frame has come.
    private mutating func prepare(_ header: FrameHeader, upTo end: Int) throws(PeerViolation) {
        guard end > preparedBytes else { return }
        let start = preparedBytes
        let isData = !header.opcode.isControl
        let isAccepted = queue.withMutableBytes(start..<end) { bytes in
            header.mask?.apply(to: bytes, offset: start)
            return isData ? message.accept(UnsafeRawBufferPointer(bytes)) : true
        }
        guard isAccepted else { throw .textNotUTF8 }
        preparedBytes = end
    }
}
