/// Why a client did not get its WebSocket; always the server's doing.
public enum UpgradeFailure: Error, Equatable, Sendable {
    case malformedHead(HTTPHeadViolation)
    /// A proper HTTP response with another status than 101, 100…999.
    case refused(status: Int)
    /// A 101 that does not say `Upgrade: websocket` and `Connection: Upgrade`.
    case notUpgraded
    /// The proof is missing, repeated, or not made from our key.
    case wrongAccept
    /// An extension that we never offered.
    case unexpectedExtension
    /// A subprotocol that we never offered.
    case unexpectedSubprotocol
}

extension UpgradeFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformedHead(let violation): "The server did not answer the WebSocket request properly: \(violation)."
        case .refused(403): "The server refused the WebSocket connection (HTTP status 403); its owner must allow this client."
        case .refused(let status): "The server refused the WebSocket connection (HTTP status \(status)); check the address and port."
        case .notUpgraded: "The server answered but did not switch to WebSocket; check the address and port."
        case .wrongAccept: "The server answered with a wrong key, so something between here and there is not a WebSocket server."
        case .unexpectedExtension: "The server chose a WebSocket extension that was not offered."
        case .unexpectedSubprotocol: "The server chose a WebSocket subprotocol that was not offered."
        }
    }
}
