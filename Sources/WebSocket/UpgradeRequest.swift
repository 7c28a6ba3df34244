/// A valid request to become a WebSocket, as a server sees it.
public struct UpgradeRequest: Equatable, Sendable {
    /// What was asked for, usually `/`; visible ASCII, otherwise unchecked.
    public let target: String
    /// The host the client believes to speak to, with or without a port; visible ASCII, otherwise unchecked.
    public let host: String
    /// The web page that asks, already found in the allow list; `nil` for programs other than browsers.
    public let origin: String?
    let key: String

    /// The response that agrees, without extensions and subprotocols; frames follow it.
    ///
    /// - Parameter sha1: SHA-1 of its argument, 20 bytes.
    public func acceptance(sha1: ([UInt8]) -> [UInt8]) -> [UInt8] {
        let lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(AcceptKey.answer(to: key, sha1: sha1))",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    init(_ head: HTTPHead, allowedOrigins: Set<String>) throws(UpgradeRefusal) {
        target = try Self.target(head.startLine)
        guard head.values(of: "transfer-encoding").isEmpty, head.values(of: "content-length").allSatisfy({ $0 == "0" }) else {
            throw .bodyNotAllowed
        }
        host = try Self.single("host", head, where: HTTPHead.isVisibleASCII)
        if head.values(of: "origin").isEmpty {
            origin = nil
        } else {
            let sent = try Self.single("origin", head) { _ in true }
            guard allowedOrigins.contains(sent) else { throw .originNotAllowed(sent) }
            origin = sent
        }
        guard head.list("upgrade", contains: "websocket"), head.list("connection", contains: "upgrade") else { throw .notAnUpgrade }
        guard head.values(of: "sec-websocket-version") == ["13"] else { throw .unsupportedWebSocketVersion }
        key = try Self.single("sec-websocket-key", head, where: Base64.encodesSixteenBytes)
    }

    private static func target(_ requestLine: String) throws(UpgradeRefusal) -> String {
        let parts = requestLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.allSatisfy(HTTPHead.isTokenCharacter), HTTPHead.isVisibleASCII(parts[1])
        else { throw .malformedHead(.malformedStartLine) }
        guard parts[2] == "HTTP/1.1" else {
            throw parts[2].hasPrefix("HTTP/") ? .unsupportedHTTPVersion : .malformedHead(.malformedStartLine)
        }
        guard parts[0] == "GET" else { throw .methodNotAllowed }
        return String(parts[1])
    }

    private static func single(_ name: String, _ head: HTTPHead, where isValid: (String) -> Bool) throws(UpgradeRefusal) -> String {
        let values = head.values(of: name)
        guard let value = values.first, values.count == 1, isValid(value) else { throw .invalidField(name) }
        return value
    }
}
