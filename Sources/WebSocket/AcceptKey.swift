/// The proof that a server read the upgrade request as a WebSocket request (RFC 6455, section 4.2.2).
enum AcceptKey {
    /// - Parameter sha1: SHA-1 of its argument, 20 bytes. No secret depends on it; the protocol prescribes it.
    static func answer(to key: String, sha1: ([UInt8]) -> [UInt8]) -> String {
        Base64.encode(sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}
