/// The server's half of the opening handshake: bytes in, a valid request or a refusal out.
///
/// Any path is accepted. Offered extensions and subprotocols are ignored, which refuses them.
public struct UpgradeRequestParser: Sendable {
    private let allowedOrigins: Set<String>
    private var parser: HTTPHeadParser

    /// - Parameters:
    ///   - allowedOrigins: Web origins that may connect, spelled as browsers send them (`https://example.org`). A request with another one
    ///     is refused, a request without one comes from no browser and is fine.
    ///   - maxHeadBytes: Of the request with its empty line; 8,192 by default.
    ///   - maxHeaderLines: 64 by default.
    public init(allowedOrigins: Set<String> = [], maxHeadBytes: Int = 8192, maxHeaderLines: Int = 64) {
        self.allowedOrigins = allowedOrigins
        parser = HTTPHeadParser(maxBytes: maxHeadBytes, maxFields: maxHeaderLines)
    }

    /// Appends bytes from the client.
    public mutating func receive(_ bytes: some Collection<UInt8>) {
        parser.receive(bytes)
    }

    /// Reads the request.
    ///
    /// - Returns: `nil` while the head is incomplete.
    /// - Throws: Why the request is refused, as soon as that is certain.
    public mutating func nextRequest() throws(UpgradeRefusal) -> UpgradeRequest? {
        let complete: HTTPHead?
        do throws(HTTPHeadViolation) { complete = try parser.nextHead() } catch { throw .malformedHead(error) }
        guard let head = complete else { return nil }
        return try UpgradeRequest(head, allowedOrigins: allowedOrigins)
    }

    /// Removes what the client sent behind its request, the beginning of its first frames; to be called after ``nextRequest()`` returned one.
    public mutating func takeLeftover() -> [UInt8] {
        parser.takeLeftover()
    }
}
