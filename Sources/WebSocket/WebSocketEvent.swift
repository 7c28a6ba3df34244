/// What a connection tells the program that drives it.
public enum WebSocketEvent: Equatable, Sendable {
    /// A whole text message: valid UTF-8, within the limit.
    case text([UInt8])
    /// A whole binary message within the limit.
    case binary([UInt8])
    /// The peer pinged (0…125 bytes); the pong is already among the bytes to send.
    case ping([UInt8])
    /// The peer's pong (0…125 bytes), asked for or not.
    case pong([UInt8])
    /// The peer's Close frame, on its own initiative or in answer to ours. The last event. `code` is `nil` if it gave none.
    case close(code: CloseCode?, reason: String)
    /// The connection ended otherwise: ``WebSocketError/peer(_:)`` or ``WebSocketError/network(_:)``. The last event.
    case failed(WebSocketError)
}
