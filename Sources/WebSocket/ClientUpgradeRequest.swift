/// The client's request to become a WebSocket, and the answer that proves the server understood it.
public struct ClientUpgradeRequest: Equatable, Sendable {
    /// The whole request to send.
    public let bytes: [UInt8]
    /// What the server must answer; for ``UpgradeResponseParser``.
    public let expectedAccept: String

    /// - Parameters:
    ///   - host: The `Host` field, with the port unless it is the scheme's own.
    ///   - target: Path and query, from `/` on.
    ///   - random: Draws the 16-byte key.
    ///   - sha1: SHA-1 of its argument, 20 bytes.
    /// - Throws: ``Misuse/invalidRequestValue`` if host or target is not visible ASCII.
    public init(
        host: String, target: String = "/", using random: inout some RandomNumberGenerator, sha1: ([UInt8]) -> [UInt8]
    ) throws(WebSocketError) {
        guard HTTPHead.isVisibleASCII(host), HTTPHead.isVisibleASCII(target), target.hasPrefix("/") else { throw .misuse(.invalidRequestValue) }
        let words = [random.next(), random.next()]
        let key = Base64.encode(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
        let lines = [
            "GET \(target) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
        ]
        bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        expectedAccept = AcceptKey.answer(to: key, sha1: sha1)
    }
}
