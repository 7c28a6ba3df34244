import FoundationEssentials
import HTTP
import Testing

@testable import CodexKit

/// The small codings of signing in.
struct CodingTests {
    @Test("Form coding there and back", arguments: ["", "a b", "ä=&+%", "http://localhost:1455/auth/callback", "\u{1F600}\n\0"])
    func form(text: String) {
        #expect(FormCoding.decode("x=" + FormCoding.encode(text)) == ["x": text])
    }

    @Test("Broken queries are refused", arguments: ["a=%", "a=%4", "a=%zz", "a=%FF", "%=1"])
    func brokenQuery(text: String) { #expect(FormCoding.decode(text) == nil) }

    @Test func theFirstOfTwoCounts() {
        #expect(FormCoding.decode("a=1&a=2&&b&c=x+y") == ["a": "1", "b": "", "c": "x y"])
    }

    @Test("Base64 for URLs", arguments: [([], ""), ([0xFB, 0xFF], "-_8"), ([1], "AQ"), ([1, 2, 3], "AQID")] as [([UInt8], String)])
    func base64(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test("Other forms of Base64 are refused", arguments: ["AQ==", "+/8", "A", "A Q", "AQ\n"])
    func otherBase64(text: String) { #expect(Base64URL.decode(text) == nil) }

    /// The example of RFC 7636, appendix B.
    @Test func challengeOfTheStandard() throws {
        let octets: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240, 91, 88, 5, 88, 83,
            132, 141, 121,
        ]
        let pkce = try PKCE { _ in octets }
        #expect(pkce.verifier == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(
        "Retry-After in both forms",
        arguments: [
            ("0", .zero), ("120", .seconds(120)), (" 7 ", .seconds(7)), ("99999999999999999999", .seconds(86_400)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(37)), ("Sun, 06 Nov 1994 08:48:00 GMT", .zero),
            ("Thu, 29 Feb 2024 00:00:00 GMT", .seconds(86_400)),
            ("-1", nil), ("1.5", nil), ("", nil), ("soon", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Sun, 99 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", nil),
        ] as [(String, Duration?)])
    func retryAfter(text: String, expected: Duration?) {
        #expect(RetryAfter.parse(text, now: 784_111_740) == expected)  // 08:49:00 that day
    }

    @Test(
        "What the browser may ask the listener",
        arguments: [
            ("GET /auth/callback?code=c&state=s HTTP/1.1\r\nHost: x\r\n\r\n", .code("c", state: "s")),
            ("GET /auth/callback?state=s&code=a%2Fb HTTP/1.0\n\n", .code("a/b", state: "s")),
            ("GET /auth/callback?error=access_denied&state=s HTTP/1.1\r\n\r\n", .refused(reason: "access_denied", state: "s")),
            ("GET /auth/callback?error=e&error_description=no%20way&state=s HTTP/1.1\r\n\r\n", .refused(reason: "no way", state: "s")),
            ("GET /cancel HTTP/1.1\r\n\r\n", .cancel), ("GET /favicon.ico HTTP/1.1\r\n\r\n", .other),
            ("POST /auth/callback?code=c&state=s HTTP/1.1\r\n\r\n", .other),
            ("POST /cancel HTTP/1.1\r\n\r\n", .other), ("GET /auth/callback?code=c HTTP/1.1\r\n\r\n", .malformed),
            ("GET /auth/callback?code=&state=s HTTP/1.1\r\n\r\n", .malformed), ("GET /auth/callback HTTP/1.1\r\n\r\n", .malformed),
            ("GET /auth/callback?code=%ZZ&state=s HTTP/1.1\r\n\r\n", .malformed),
            ("GET http://x/auth/callback?code=c&state=s HTTP/1.1\r\n\r\n", .malformed),
            ("", .malformed), ("GET", .malformed), ("\u{16}\u{3}\u{1}", .malformed), ("GET /cancel HTTP/2\r\n\r\n", .malformed),
        ] as [(String, CallbackRequest)])
    func callback(text: String, expected: CallbackRequest) { #expect(CallbackRequest(head: text.utf8) == expected) }

    @Test(
        "Pages where an interface should be",
        arguments: [
            (403, [HTTPField("Content-Type", "text/html; charset=UTF-8")], "x", true), (200, [HTTPField("content-type", "TEXT/HTML")], "", true),
            (503, [HTTPField("Cf-Mitigated", "challenge")], "{}", true), (200, [], " \r\n<!DOCTYPE html><p>", true), (200, [], "<HTML>", true),
            (403, [HTTPField("Content-Type", "application/json")], "{\"a\":\"<html>\"}", false), (200, [], "", false), (200, [], "<ht", false),
        ])
    func challenge(status: Int, fields: [HTTPField], body: String, expected: Bool) {
        #expect(ServerAnswer(status: status, fields: fields, body: Array(body.utf8)).isChallenge == expected)
    }

    @Test func textsOfServersAreMaskedCutAndOnOneLine() {
        let text = ServerAnswer.presentable("bad\n\u{1B}[31mtoken=CANARY " + String(repeating: "long ", count: 400))
        #expect(!text.contains("CANARY"))
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(text.count <= 300)
    }
}
