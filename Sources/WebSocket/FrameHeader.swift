/// The 2 to 14 bytes in front of a payload, checked by every rule that needs no knowledge of earlier frames.
struct FrameHeader: Equatable, Sendable {
    let isFinal: Bool
    let opcode: Opcode
    /// As announced, up to 2^63 − 1: compare it with a limit before making it an `Int`.
    let payloadLength: UInt64
    let mask: MaskingKey?
    /// Of the header itself.
    let byteCount: Int

    /// Reads the header at the front of `queue` without removing it.
    ///
    /// - Returns: `nil` while bytes are missing. A wrong byte is reported as soon as it is there.
    /// - Throws: The first rule broken, in the order of the bytes, so that it does not depend on how they were cut.
    init?(_ queue: ByteQueue, receivedBy role: WebSocketRole) throws(PeerViolation) {
        guard queue.count >= 1 else { return nil }
        let first = queue[0]
        guard first & 0x70 == 0 else { throw .reservedBits }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode(first & 0x0F) }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw .fragmentedControl }

        guard queue.count >= 2 else { return nil }
        let second = queue[1]
        let isMasked = second & 0x80 != 0
        switch role {
        case .server: guard isMasked else { throw .unmasked }
        case .client: guard !isMasked else { throw .masked }
        }
        let shortLength = second & 0x7F
        guard !opcode.isControl || shortLength <= 125 else { throw .controlTooLong }

        let lengthBytes = shortLength == 127 ? 8 : shortLength == 126 ? 2 : 0
        guard queue.count >= 2 + lengthBytes else { return nil }
        payloadLength = try Self.length(queue, short: shortLength, extraBytes: lengthBytes)

        byteCount = 2 + lengthBytes + (isMasked ? 4 : 0)
        guard queue.count >= byteCount else { return nil }
        let key = 2 + lengthBytes
        mask = isMasked ? MaskingKey(queue[key], queue[key + 1], queue[key + 2], queue[key + 3]) : nil
        self.isFinal = isFinal
        self.opcode = opcode
    }

    private static func length(_ queue: ByteQueue, short: UInt8, extraBytes: Int) throws(PeerViolation) -> UInt64 {
        guard extraBytes > 0 else { return UInt64(short) }
        var value: UInt64 = 0
        for offset in 0..<extraBytes {
            value = value << 8 | UInt64(queue[2 + offset])
        }
        guard value >> 63 == 0 else { throw .lengthOverflow }
        guard value > (extraBytes == 2 ? 125 : 65_535) else { throw .lengthNotMinimal }
        return value
    }
}
