/// Why a WebSocket cannot go on, by whose fault it is.
public enum WebSocketError: Error, Equatable, Sendable {
    /// The remote broke RFC 6455 or exceeded a limit: answer with `closeCode`, then drop the connection.
    case peer(PeerViolation)
    /// Nobody broke a rule; the connection is gone. A client may connect again.
    case network(NetworkLoss)
    /// Our own caller asked for something impossible: a bug on this side, the connection is unharmed.
    case misuse(Misuse)
}

/// A connection that ended without a closing handshake.
public enum NetworkLoss: Equatable, Sendable {
    /// The stream ended while the WebSocket was open or closing.
    case endOfStream
    /// Nothing, not even the answer to a ping, arrived within the time allowed.
    case silence
    /// Our Close frame was not answered within the time allowed.
    case closeUnanswered
}

/// What our own code may not ask for.
public enum Misuse: Equatable, Sendable {
    /// Sending after a Close frame went out or came in, or after a failure.
    case notOpen
    /// A message to send of more bytes than the connection's limit.
    case messageTooLarge(bytes: Int)
    /// Bytes sent as text that are not UTF-8.
    case textNotUTF8
    /// A ping payload of more than 125 bytes.
    case controlPayloadTooLong(bytes: Int)
    /// An unmasked, ready-made frame given to a client connection.
    case serverFrameOnClient
    /// A host or target for the upgrade request that is empty or contains spaces, controls or non-ASCII characters.
    case invalidRequestValue
}

extension WebSocketError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .peer(let violation): "The peer broke the WebSocket protocol: \(violation)."
        case .network(.endOfStream): "The connection ended without a closing handshake; connect again."
        case .network(.silence): "The peer stopped answering; connect again when it is reachable."
        case .network(.closeUnanswered): "The peer did not answer the closing handshake, so the connection was dropped."
        case .misuse(let misuse): "The WebSocket was used wrongly by this program: \(misuse); please report this."
        }
    }
}

extension Misuse: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notOpen: "something was sent on a connection that is no longer open"
        case .messageTooLarge(let bytes): "a message of \(bytes) bytes is over the limit"
        case .textNotUTF8: "a text message was not UTF-8"
        case .controlPayloadTooLong(let bytes): "a ping payload of \(bytes) bytes is over 125"
        case .serverFrameOnClient: "an unmasked frame was sent from the client side"
        case .invalidRequestValue: "the host or target of the upgrade request is not plain visible ASCII"
        }
    }
}
