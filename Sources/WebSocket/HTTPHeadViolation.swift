/// Why bytes are not the head of an HTTP/1.1 message that we accept.
public enum HTTPHeadViolation: Error, Equatable, Sendable {
    /// More bytes than allowed before the empty line.
    case tooLong
    /// More header lines than allowed.
    case tooManyFields
    /// A carriage return without a line feed after it.
    case bareCarriageReturn
    /// A line feed without a carriage return before it.
    case bareLineFeed
    /// NUL or another control character; 0x16 first of all is a TLS handshake.
    case controlCharacter(UInt8)
    /// A header line that begins with a space or tab (obsolete folding).
    case foldedField
    /// A header line without a colon, or with a name that is not a token.
    case malformedField
    /// A first line of the wrong shape.
    case malformedStartLine
}

extension HTTPHeadViolation: CustomStringConvertible {
    /// A clause without capital or full stop; never holds what the peer sent, but for one control character's number.
    public var description: String {
        switch self {
        case .tooLong: "the HTTP head is too long"
        case .tooManyFields: "the HTTP head has too many lines"
        case .bareCarriageReturn: "the HTTP head has a carriage return without a line feed"
        case .bareLineFeed: "the HTTP head has a line feed without a carriage return"
        case .controlCharacter(0x16): "a TLS handshake or a control character came where an HTTP head was expected"
        case .controlCharacter(let byte): "the HTTP head has the control character \(byte)"
        case .foldedField: "the HTTP head has a folded header line"
        case .malformedField: "the HTTP head has a malformed header line"
        case .malformedStartLine: "the HTTP head has a malformed first line"
        }
    }
}
