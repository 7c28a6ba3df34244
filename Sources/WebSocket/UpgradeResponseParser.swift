/// The client's half of the opening handshake: checks the server's answer to a ``ClientUpgradeRequest``.
public struct UpgradeResponseParser: Sendable {
    private let expectedAccept: String
    private var parser: HTTPHeadParser

    /// - Parameters:
    ///   - expectedAccept: From the request that was sent.
    ///   - maxHeadBytes: Of the response with its empty line; 8,192 by default.
    ///   - maxHeaderLines: 64 by default.
    public init(expectedAccept: String, maxHeadBytes: Int = 8192, maxHeaderLines: Int = 64) {
        self.expectedAccept = expectedAccept
        parser = HTTPHeadParser(maxBytes: maxHeadBytes, maxFields: maxHeaderLines)
    }

    /// Appends bytes from the server.
    public mutating func receive(_ bytes: some Collection<UInt8>) {
        parser.receive(bytes)
    }

    /// - Returns: Whether the connection is now a WebSocket; `false` while the head is incomplete.
    /// - Throws: Why it will not become one.
    public mutating func isUpgraded() throws(UpgradeFailure) -> Bool {
        let complete: HTTPHead?
        do throws(HTTPHeadViolation) { complete = try parser.nextHead() } catch { throw .malformedHead(error) }
        guard let head = complete else { return false }
        try check(head)
        return true
    }

    /// Removes what the server sent behind its answer, the beginning of its first frames; to be called after ``isUpgraded()`` said so.
    public mutating func takeLeftover() -> [UInt8] {
        parser.takeLeftover()
    }

    private func check(_ head: HTTPHead) throws(UpgradeFailure) {
        let status = try Self.status(head.startLine)
        guard status == 101 else { throw .refused(status: status) }
        guard head.list("upgrade", contains: "websocket"), head.list("connection", contains: "upgrade") else { throw .notUpgraded }
        guard head.values(of: "sec-websocket-accept") == [expectedAccept] else { throw .wrongAccept }
        guard head.values(of: "sec-websocket-extensions").allSatisfy(\.isEmpty) else { throw .unexpectedExtension }
        guard head.values(of: "sec-websocket-protocol").allSatisfy(\.isEmpty) else { throw .unexpectedSubprotocol }
    }

    /// Reads `HTTP/1.x nnn`, with or without a phrase; 101 needs HTTP/1.1, a refusal may come from an older server.
    private static func status(_ line: String) throws(UpgradeFailure) -> Int {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(parts[1]), status >= 100,
            status != 101 || parts[0] == "HTTP/1.1"
        else { throw .malformedHead(.malformedStartLine) }
        return status
    }
}
