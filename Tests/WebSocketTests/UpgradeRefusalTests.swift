import Testing

@testable import WebSocket

struct UpgradeRefusalTests {
    @Test(
        "Responses have a status, a length that fits, and end the connection",
        arguments: [
            (.malformedHead(.bareLineFeed), "400 Bad Request"), (.malformedHead(.tooLong), "431 Request Header Fields Too Large"),
            (.malformedHead(.tooManyFields), "431 Request Header Fields Too Large"), (.unsupportedHTTPVersion, "400 Bad Request"),
            (.methodNotAllowed, "405 Method Not Allowed"), (.invalidField("host"), "400 Bad Request"), (.bodyNotAllowed, "400 Bad Request"),
            (.originNotAllowed("https://canary.example"), "403 Forbidden"), (.notAnUpgrade, "426 Upgrade Required"),
            (.unsupportedWebSocketVersion, "426 Upgrade Required"), (.timedOut, "408 Request Timeout"),
        ] as [(UpgradeRefusal, String)])
    func writesResponses(refusal: UpgradeRefusal, statusLine: String) throws {
        var parser = HTTPHeadParser(maxBytes: 1000, maxFields: 10)
        parser.receive(refusal.response)
        let head = try #require(try parser.nextHead())
        let body = parser.takeLeftover()
        #expect(head.startLine == "HTTP/1.1 \(statusLine)")
        #expect(refusal.status == Int(statusLine.prefix(3)))
        #expect(head.values(of: "content-length") == ["\(body.count)"])
        #expect(head.values(of: "content-type") == ["text/plain; charset=utf-8"])
        #expect(head.list("connection", contains: "close"))
        #expect(String(decoding: body, as: UTF8.self) == refusal.description + "\n")
        #expect(!refusal.description.contains("canary"))
        #expect(head.values(of: "sec-websocket-version") == (refusal.status == 426 ? ["13"] : []))
        #expect(head.list("upgrade", contains: "websocket") == (refusal.status == 426))
        #expect(head.values(of: "allow") == (refusal.status == 405 ? ["GET"] : []))
    }
}
