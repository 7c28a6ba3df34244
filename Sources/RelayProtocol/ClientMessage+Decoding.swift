import JSON

/// Why bytes from a client are no message that can be carried out.
public enum ClientMessageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// More than ``RelayLimits/maximumMessageBytes``.
    case tooLarge(bytes: Int)
    /// Not JSON, or not an object.
    case notJSON
    /// `protocol` is not the number 1.
    case otherProtocol
    case unknownType
    /// An `auth` without a token of 1 … 512 bytes.
    case invalidAuth
    /// A command nobody knows, or with a field missing, of another type or out of range.
    ///
    /// It is answered with ``RelayError/invalidCommand``; `nil`, for a request id of other than 1 … 128 bytes, leaves nothing to answer to.
    case invalidCommand(requestID: String?)

    public var description: String {
        switch self {
        case .tooLarge(let bytes): "A client sent \(bytes) bytes in one message; the protocol allows \(RelayLimits.maximumMessageBytes)."
        case .notJSON: "A client sent something that is not a JSON object."
        case .otherProtocol: "A client sent a message of another protocol version; update Codex Deck on one of the two computers."
        case .unknownType: "A client sent a message of a type this version does not know."
        case .invalidAuth: "A client sent an auth message without a usable token."
        case .invalidCommand: "A client sent a command this version does not accept."
        }
    }
}

extension ClientMessage {
    /// Reads what a client sent. Fields this version does not know are ignored; a key given twice makes it no JSON.
    ///
    /// - Parameter bytes: One reassembled text or binary message.
    public init(decoding bytes: some Collection<UInt8>) throws(ClientMessageError) { try self.init(decoding: Array(bytes)) }

    /// See ``init(decoding:)-(Collection<UInt8>)``.
    public init(decoding bytes: [UInt8]) throws(ClientMessageError) {
        guard bytes.count <= RelayLimits.maximumMessageBytes else { throw .tooLarge(bytes: bytes.count) }
        let value: JSONValue
        do { value = try JSONParser(maximumDepth: 32).parse(bytes) } catch { throw .notJSON }
        guard case .object = value else { throw .notJSON }
        guard value["protocol"]?.int == Int64(RelayLimits.version) else { throw .otherProtocol }
        switch value["type"]?.string {
        case "auth":
            guard let token = value["token"]?.string, (1...RelayLimits.maximumTokenBytes).contains(token.utf8.count) else { throw .invalidAuth }
            self = .auth(token: token, fresh: value["capabilities"]?.array?.contains("fresh") ?? false)
        case "command":
            guard let id = value["requestId"]?.string, (1...RelayLimits.maximumRequestIDBytes).contains(id.utf8.count) else {
                throw .invalidCommand(requestID: nil)
            }
            guard let command = Command(value["command"]) else { throw .invalidCommand(requestID: id) }
            self = .command(requestID: id, command)
        default: throw .unknownType
        }
    }
}
