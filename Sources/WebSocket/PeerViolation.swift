/// What a remote did against RFC 6455 or our limits.
public enum PeerViolation: Error, Equatable, Sendable {
    /// RSV1, RSV2 or RSV3 is set though no extension was agreed on.
    case reservedBits
    /// Opcode 3…7 or 11…15.
    case reservedOpcode(UInt8)
    /// A Close, Ping or Pong frame without FIN.
    case fragmentedControl
    /// A Close, Ping or Pong frame of more than 125 bytes.
    case controlTooLong
    /// A frame from a client without a mask.
    case unmasked
    /// A frame from a server with a mask.
    case masked
    /// A length written in more bytes than it needs.
    case lengthNotMinimal
    /// A 64-bit length with its highest bit set.
    case lengthOverflow
    /// A continuation frame with nothing to continue.
    case unexpectedContinuation
    /// A new text or binary frame before the last fragmented message ended.
    case messageInterleaved
    /// A message whose frames so far announce this many bytes, more than the limit; seen from the header, before the payload is read.
    case messageTooLarge(bytes: UInt64)
    /// Text that is not UTF-8.
    case textNotUTF8
    /// A Close frame with a payload of one byte.
    case closePayloadTooShort
    /// A Close frame with a code that may not be sent.
    case invalidCloseCode(UInt16)
    /// A Close frame with a reason that is not UTF-8.
    case closeReasonNotUTF8

    /// The code to close with in answer.
    public var closeCode: CloseCode {
        switch self {
        case .messageTooLarge: .messageTooBig
        case .textNotUTF8, .closeReasonNotUTF8: .invalidPayload
        case .reservedBits, .reservedOpcode, .fragmentedControl, .controlTooLong, .unmasked, .masked, .lengthNotMinimal,
            .lengthOverflow, .unexpectedContinuation, .messageInterleaved, .closePayloadTooShort, .invalidCloseCode:
            .protocolError
        }
    }
}

extension PeerViolation: CustomStringConvertible {
    /// A clause without capital or full stop, also sent as the reason in the Close frame (at most 123 bytes).
    public var description: String {
        switch self {
        case .reservedBits: "a reserved bit is set"
        case .reservedOpcode(let opcode): "opcode \(opcode) is reserved"
        case .fragmentedControl: "a control frame is fragmented"
        case .controlTooLong: "a control frame is longer than 125 bytes"
        case .unmasked: "a client frame is not masked"
        case .masked: "a server frame is masked"
        case .lengthNotMinimal: "a frame length is not in its shortest form"
        case .lengthOverflow: "a frame length has its highest bit set"
        case .unexpectedContinuation: "a continuation frame continues nothing"
        case .messageInterleaved: "a message started before the previous one ended"
        case .messageTooLarge(let bytes): "a message of \(bytes) bytes is over the limit"
        case .textNotUTF8: "a text message is not UTF-8"
        case .closePayloadTooShort: "a close frame has half a status code"
        case .invalidCloseCode(let code): "close code \(code) may not be sent"
        case .closeReasonNotUTF8: "the reason in a close frame is not UTF-8"
        }
    }
}
