/// The six kinds of frame that RFC 6455 defines.
public enum Opcode: UInt8, CaseIterable, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether this is Close, Ping or Pong: at most 125 bytes, never fragmented, allowed between the fragments of a message.
    public var isControl: Bool {
        rawValue >= 0x8
    }
}

/// One frame as received, unmasked.
public struct Frame: Equatable, Sendable {
    /// Whether it is the last (or only) frame of its message.
    public var isFinal: Bool
    public var opcode: Opcode
    public var payload: [UInt8]

    public init(isFinal: Bool = true, opcode: Opcode, payload: [UInt8]) {
        self.isFinal = isFinal
        self.opcode = opcode
        self.payload = payload
    }
}
