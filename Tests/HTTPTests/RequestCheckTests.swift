import Testing

@testable import HTTP

/// What is refused before anything is sent, and how a proxy is chosen.
struct RequestCheckTests {
    private let client = HTTPClient(environment: [:])

    @Test(
        "Addresses that are none", arguments: [
            "", "http://", "localhost", "/path", "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://user@127.0.0.1/",
            "http://user:secret@127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1:99999/", "http://[::1/",
            "http://127.0.0.1/" + String(repeating: "a", count: 8200),
        ])
    func invalidAddress(url: String) async {
        await #expect(throws: HTTPError.invalidURL) { try await client.send(HTTPRequest("GET", url)) }
    }

    @Test(
        "Fields that would end their line", arguments: [
            HTTPField("X", "a\r\nEvil: 1"), HTTPField("X", "a\nb"), HTTPField("X", "\0"), HTTPField("", "a"), HTTPField("A B", "c"),
            HTTPField("A:", "c"), HTTPField("Ä", "c"), HTTPField("A\r\n", "c"), HTTPField("X", String(repeating: "v", count: 65_537)),
        ])
    func invalidField(field: HTTPField) async throws {
        let error = await #expect(throws: HTTPError.self) { try await client.send(HTTPRequest("GET", "http://127.0.0.1:1/", fields: [field])) }
        guard case .invalidRequest(let text)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(!text.contains("Evil"))
    }

    @Test("Methods that are no word", arguments: ["", "GET /", "GET\r\n", String(repeating: "A", count: 33)])
    func invalidMethod(method: String) async {
        await #expect(throws: HTTPError.invalidRequest("the method is no word")) { try await client.send(HTTPRequest(method, "http://127.0.0.1:1/")) }
    }

    @Test(
        "The proxy is chosen as curl does", arguments: [
            ([:], false, "", ""),
            (["http_proxy": "http://p:1"], false, "http://p:1", ""),
            (["HTTP_PROXY": "http://p:1"], false, "", ""),
            (["http_proxy": "http://p:1"], true, "", ""),
            (["HTTPS_PROXY": "http://p:2"], true, "http://p:2", ""),
            (["https_proxy": "http://low", "HTTPS_PROXY": "http://up"], true, "http://low", ""),
            (["ALL_PROXY": "socks5h://p:3", "no_proxy": "a,b"], true, "socks5h://p:3", "a,b"),
            (["all_proxy": "http://p:4", "http_proxy": "", "NO_PROXY": "*"], false, "http://p:4", "*"),
        ] as [([String: String], Bool, String, String)])
    func proxy(environment: [String: String], isSecure: Bool, proxy: String, exceptions: String) {
        let options = ProxySettings(environment: environment).options(isSecure: isSecure)
        #expect(options.proxy == proxy)
        #expect(options.exceptions == exceptions)
    }

    @Test func aLibraryThatIsNotThereIsAnError() {
        guard case .failure(.libraryMissing) = CurlLibrary.load("libdeck-no-such-library.so.4") else { return #expect(Bool(false)) }
    }

    @Test("Texts of errors are one sentence or two, for people", arguments: [
        HTTPError.invalidURL, .libraryMissing, .unknownHost("a"), .idleTimedOut(.milliseconds(1500)), .idleTimedOut(.milliseconds(5)),
        .bodyTooLarge(limit: 3), .redirectRefused(from: "a", to: "b"), .other(code: 56, text: "x"),
    ])
    func texts(error: HTTPError) {
        #expect(error.description.hasSuffix("."))
        #expect(error.description.first?.isUppercase == true || error.description.first?.isLowercase == true)
    }
}
