import Testing

@testable import WebSocket

struct UpgradeResponseParserTests {
    static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
    static let lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(accept)"]

    static func response(replacing prefix: String, with new: String...) -> [UInt8] {
        UpgradeRequestParserTests.request(prefix.isEmpty ? lines + new : lines.flatMap { $0.hasPrefix(prefix) ? new : [$0] })
    }

    static func parse(_ bytes: [UInt8], chunk: Int = .max) throws(UpgradeFailure) -> (isUpgraded: Bool, leftover: [UInt8]) {
        var parser = UpgradeResponseParser(expectedAccept: accept)
        var isUpgraded = false
        for piece in bytes.chunks(of: min(chunk, bytes.count)) {
            parser.receive(piece)
            isUpgraded = try parser.isUpgraded()
        }
        return (isUpgraded, parser.takeLeftover())
    }

    @Test func asksAsTheRFCSays() throws {
        var random = SeededRandom(1)
        let request = try ClientUpgradeRequest(host: "10.0.0.1:47653", target: "/x?y", using: &random, sha1: sha1)
        let parsed = try #require(try UpgradeRequestParserTests.parse(request.bytes))
        #expect(parsed.host == "10.0.0.1:47653" && parsed.target == "/x?y" && parsed.origin == nil)
        let next = try ClientUpgradeRequest(host: "10.0.0.1:47653", using: &random, sha1: sha1)
        #expect(next.expectedAccept != request.expectedAccept, "every request has a new key")
    }

    @Test("Client and server agree", arguments: 1...10 as ClosedRange<UInt64>)
    func handshakes(seed: UInt64) throws {
        var random = SeededRandom(seed)
        let request = try ClientUpgradeRequest(host: "localhost", using: &random, sha1: sha1)
        let accepted = try #require(try UpgradeRequestParserTests.parse(request.bytes, chunk: 5))
        var parser = UpgradeResponseParser(expectedAccept: request.expectedAccept)
        parser.receive(accepted.acceptance(sha1: sha1) + [0x89, 0])
        let isUpgraded = try parser.isUpgraded()
        #expect(isUpgraded)
        #expect(parser.takeLeftover() == [0x89, 0])
    }

    @Test(
        "Values that would break the request are refused",
        arguments: [("", "/"), ("a b", "/"), ("a\r\nX: y", "/"), ("ä", "/"), ("a", ""), ("a", "x"), ("a", "/ x")])
    func refusesBrokenValues(host: String, target: String) {
        var random = SeededRandom(1)
        #expect(throws: WebSocketError.misuse(.invalidRequestValue)) {
            try ClientUpgradeRequest(host: host, target: target, using: &random, sha1: sha1)
        }
    }

    @Test(
        "Harmless variety is accepted",
        arguments: [
            response(replacing: "", with: "Server: x"), response(replacing: "HTTP", with: "HTTP/1.1 101"),
            response(replacing: "HTTP", with: "HTTP/1.1 101 "),
            response(replacing: "Upgrade", with: "upgrade: WebSocket"), response(replacing: "Connection", with: "CONNECTION: keep-alive, upgrade"),
            response(replacing: "", with: "Sec-WebSocket-Extensions:", "Sec-WebSocket-Protocol:"),
        ], [1, 1000])
    func acceptsVariety(bytes: [UInt8], chunk: Int) throws {
        let result = try Self.parse(bytes + [0x81, 1, 0x61], chunk: chunk)
        #expect(result.isUpgraded && result.leftover == [0x81, 1, 0x61])
        let early = try Self.parse(Array(bytes.dropLast()), chunk: chunk)
        #expect(!early.isUpgraded && early.leftover == [])
    }

    @Test(
        "Anything else is no WebSocket",
        arguments: [
            (response(replacing: "HTTP", with: "HTTP/1.1 200 OK"), .refused(status: 200)),
            (response(replacing: "HTTP", with: "HTTP/1.1 403 Forbidden"), .refused(status: 403)),
            (response(replacing: "HTTP", with: "HTTP/1.0 404 Not Found"), .refused(status: 404)),
            (response(replacing: "HTTP", with: "HTTP/1.1 100 Continue"), .refused(status: 100)),
            (response(replacing: "HTTP", with: "HTTP/1.0 101 X"), .malformedHead(.malformedStartLine)),
            (response(replacing: "HTTP", with: "HTTP/1.1 1010 X"), .malformedHead(.malformedStartLine)),
            (response(replacing: "HTTP", with: "HTTP/1.1 +10 X"), .malformedHead(.malformedStartLine)),
            (response(replacing: "HTTP", with: "HTTP/1.1 099 X"), .malformedHead(.malformedStartLine)),
            (response(replacing: "HTTP", with: "HTTP/2 101 X"), .malformedHead(.malformedStartLine)),
            (response(replacing: "HTTP", with: "SSH-2.0-OpenSSH_9.2"), .malformedHead(.malformedStartLine)),
            (response(replacing: "Upgrade"), .notUpgraded), (response(replacing: "Connection", with: "Connection: close"), .notUpgraded),
            (response(replacing: "Sec-WebSocket-Accept"), .wrongAccept),
            (response(replacing: "Sec-WebSocket-Accept", with: "Sec-WebSocket-Accept: \(accept.lowercased())"), .wrongAccept),
            (response(replacing: "", with: "Sec-WebSocket-Accept: \(accept)"), .wrongAccept),
            (response(replacing: "", with: "Sec-WebSocket-Extensions: permessage-deflate"), .unexpectedExtension),
            (response(replacing: "", with: "Sec-WebSocket-Protocol: chat"), .unexpectedSubprotocol),
            (response(replacing: "", with: " folded"), .malformedHead(.foldedField)),
            (response(replacing: "", with: "X: \(String(repeating: "x", count: 9000))"), .malformedHead(.tooLong)),
        ] as [([UInt8], UpgradeFailure)])
    func refuses(bytes: [UInt8], failure: UpgradeFailure) {
        for chunk in [1, 10_000] {
            #expect(throws: failure) { _ = try Self.parse(bytes, chunk: chunk) }
        }
    }
}
