import Testing

@testable import WebSocket

struct UpgradeRequestParserTests {
    static let lines = [
        "GET / HTTP/1.1", "Host: 192.168.1.7:47653", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]

    static func request(_ lines: [String]) -> [UInt8] {
        Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The good request with the line that starts like `prefix` replaced, or with lines added when `prefix` is empty.
    static func request(replacing prefix: String, with new: String...) -> [UInt8] {
        request(prefix.isEmpty ? lines + new : lines.flatMap { $0.hasPrefix(prefix) ? new : [$0] })
    }

    static func parse(_ bytes: [UInt8], chunk: Int = .max, origins: Set<String> = []) throws(UpgradeRefusal) -> UpgradeRequest? {
        var parser = UpgradeRequestParser(allowedOrigins: origins)
        for piece in bytes.chunks(of: min(chunk, max(1, bytes.count))) {
            parser.receive(piece)
            if let request = try parser.nextRequest() { return request }
        }
        return nil
    }

    static func expect(_ refusal: UpgradeRefusal, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        for chunk in [1, 7, .max] {
            #expect(throws: refusal, sourceLocation: sourceLocation) { try parse(bytes, chunk: chunk) }
        }
    }

    @Test func answersTheExampleOfTheRFC() throws {
        let request = try #require(try Self.parse(Self.request(Self.lines)))
        #expect(request.target == "/" && request.host == "192.168.1.7:47653" && request.origin == nil)
        #expect(
            String(decoding: request.acceptance(sha1: sha1), as: UTF8.self)
                == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    }

    @Test("Frames behind the request are kept, however the bytes are cut", arguments: [1, 2, 3, 50, 1000])
    func keepsLeftover(chunk: Int) throws {
        let frames = frame(from: .client, text: "first")
        var chunks = (Self.request(Self.lines) + frames).chunks(of: chunk)[...]
        var parser = UpgradeRequestParser()
        var isFound = false
        while !isFound, let next = chunks.popFirst() {
            #expect(parser.takeLeftover() == [])
            parser.receive(next)
            isFound = try parser.nextRequest() != nil
        }
        #expect(isFound)
        let leftover = parser.takeLeftover()
        #expect(leftover + chunks.joined() == frames)
        #expect(parser.takeLeftover() == [])
    }

    @Test(
        "Harmless variety is accepted",
        arguments: [
            request(replacing: "GET", with: "GET /any/path?x=%20&y HTTP/1.1"), request(replacing: "GET", with: "GET http://h/ HTTP/1.1"),
            request(replacing: "Upgrade", with: "UPGRADE: WebSocket"), request(replacing: "Upgrade", with: "upgrade:\th2c , websocket\t "),
            request(replacing: "Connection", with: "Connection: keep-alive, Upgrade"), request(replacing: "Connection", with: "connection:,upgrade,"),
            request(replacing: "Connection", with: "Connection: keep-alive", "Connection: UPGRADE"),
            request(replacing: "Sec-WebSocket-Version", with: "sec-websocket-version:13"), request(replacing: "", with: "Content-Length: 0"),
            request(replacing: "", with: "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits", "Sec-WebSocket-Protocol: chat"),
            request(replacing: "", with: "X-Empty:", "X-Text: h\u{E9}llo: \"w\u{F6}rld\""),
        ])
    func acceptsVariety(bytes: [UInt8]) throws {
        #expect(try Self.parse(bytes) != nil)
        #expect(try Self.parse(bytes, chunk: 1) != nil)
    }

    @Test(
        "First lines are read strictly",
        arguments: [
            ("POST / HTTP/1.1", .methodNotAllowed), ("get / HTTP/1.1", .methodNotAllowed), ("PRI * HTTP/2.0", .unsupportedHTTPVersion),
            ("GET / HTTP/1.0", .unsupportedHTTPVersion), ("GET / HTTP/1.12", .unsupportedHTTPVersion),
            ("GET / http/1.1", .malformedHead(.malformedStartLine)),
            ("GET /", .malformedHead(.malformedStartLine)), ("GET  / HTTP/1.1", .malformedHead(.malformedStartLine)),
            ("GET / HTTP/1.1 ", .malformedHead(.malformedStartLine)), (" GET / HTTP/1.1", .malformedHead(.malformedStartLine)),
            ("", .malformedHead(.malformedStartLine)), ("GET /\u{E4} HTTP/1.1", .malformedHead(.malformedStartLine)),
            ("GET\t/\tHTTP/1.1", .malformedHead(.malformedStartLine)), ("G(T / HTTP/1.1", .malformedHead(.malformedStartLine)),
        ] as [(String, UpgradeRefusal)])
    func readsFirstLinesStrictly(line: String, refusal: UpgradeRefusal) {
        Self.expect(refusal, Self.request(replacing: "GET", with: line))
    }

    @Test(
        "Header lines decide",
        arguments: [
            (request(replacing: "Host"), .invalidField("host")), (request(replacing: "Host", with: "Host:"), .invalidField("host")),
            (request(replacing: "", with: "Host: other"), .invalidField("host")),
            (request(replacing: "Host", with: "Host: a b"), .invalidField("host")),
            (request(replacing: "Upgrade"), .notAnUpgrade), (request(replacing: "Upgrade", with: "Upgrade: h2c"), .notAnUpgrade),
            (request(replacing: "Upgrade", with: "Upgrade: websockets"), .notAnUpgrade), (request(replacing: "Connection"), .notAnUpgrade),
            (request(replacing: "Upgrade", with: "Upgrade: webSoc\u{212A}et"), .notAnUpgrade),
            (request(replacing: "Connection", with: "Connection: keep-alive upgrade"), .notAnUpgrade),
            (request(replacing: "Sec-WebSocket-Version"), .unsupportedWebSocketVersion),
            (request(replacing: "Sec-WebSocket-Version", with: "Sec-WebSocket-Version: 8"), .unsupportedWebSocketVersion),
            (request(replacing: "Sec-WebSocket-Version", with: "Sec-WebSocket-Version: 13, 8"), .unsupportedWebSocketVersion),
            (request(replacing: "", with: "Sec-WebSocket-Version: 13"), .unsupportedWebSocketVersion),
            (request(replacing: "Sec-WebSocket-Key"), .invalidField("sec-websocket-key")),
            (request(replacing: "", with: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), .invalidField("sec-websocket-key")),
            (request(replacing: "Sec-WebSocket-Key", with: "Sec-WebSocket-Key: c2hvcnQ="), .invalidField("sec-websocket-key")),
            (request(replacing: "", with: "Content-Length: 5"), .bodyNotAllowed),
            (request(replacing: "", with: "Content-Length: 00"), .bodyNotAllowed),
            (request(replacing: "", with: "Content-Length: 0", "content-length: 1"), .bodyNotAllowed),
            (request(replacing: "", with: "Content-Length: 0, 0"), .bodyNotAllowed),
            (request(replacing: "", with: "Transfer-Encoding: chunked"), .bodyNotAllowed),
            (request(replacing: "", with: "transfer-encoding:"), .bodyNotAllowed),
            (request(replacing: "", with: "Origin: https://evil.example"), .originNotAllowed("https://evil.example")),
            (request(replacing: "", with: "Origin: null"), .originNotAllowed("null")),
            (request(replacing: "", with: "Origin:"), .originNotAllowed("")),
            (request(replacing: "", with: "Origin: a", "Origin: b"), .invalidField("origin")),
        ] as [([UInt8], UpgradeRefusal)])
    func judgesHeaders(bytes: [UInt8], refusal: UpgradeRefusal) {
        Self.expect(refusal, bytes)
    }

    @Test func allowsListedOriginsLetterByLetter() throws {
        let origins: Set = ["https://deck.example"]
        let good = Self.request(replacing: "", with: "Origin: https://deck.example")
        #expect(try Self.parse(good, origins: origins)?.origin == "https://deck.example")
        for other in ["https://deck.example:443", "http://deck.example", "https://deck.example/", "HTTPS://deck.example", "null"] {
            #expect(throws: UpgradeRefusal.originNotAllowed(other)) {
                try Self.parse(Self.request(replacing: "", with: "Origin: \(other)"), origins: origins)
            }
        }
    }
}
