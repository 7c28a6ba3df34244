import HTTP
import LocalServer
import Testing

/// Where a request may be sent on to.
struct RedirectTests {
    private let client = HTTPClient(environment: [:])

    private static func to(_ location: String, _ status: Int = 302) -> LocalAnswer {
        LocalAnswer([.raw(LocalAnswer.head(status, [("Location", location), ("Content-Length", "0")]))])
    }

    private func request(_ url: String, _ fields: [HTTPField] = []) -> HTTPRequest {
        var request = HTTPRequest("GET", url, fields: fields)
        request.redirects = .followed(maximum: 3)
        return request
    }

    @Test("All kinds are followed within an origin, with credentials", arguments: [301, 302, 303, 307, 308])
    func sameOrigin(status: Int) async throws {
        let server = try await LocalServer { $0.path == "/a/b" ? Self.to("../c?d", status) : .json(200, "there") }
        let response = try await client.send(request(server.url + "/a/b", [HTTPField("Authorization", "Bearer canary")]))
        #expect(response.status == 200)
        #expect(response.url == server.url + "/c?d")
        let requests = await server.requests()
        #expect(requests.map(\.target) == ["/a/b", "/c?d"])
        #expect(requests.allSatisfy { $0["Authorization"] == "Bearer canary" })
        await server.stop()
    }

    @Test("Credentials go to no other origin", arguments: ["Authorization", "cookie", "ChatGPT-Account-ID"])
    func credentialsStay(name: String) async throws {
        let other = try await LocalServer(answers: [.json(200, "caught")])
        let server = try await LocalServer(answers: [Self.to(other.url)])
        var request = request(server.url, [HTTPField(name, "canary")])
        request.credentialFields = ["chatgpt-account-id"]
        await #expect(throws: HTTPError.redirectRefused(from: "127.0.0.1", to: "127.0.0.1")) { try await client.send(request) }
        #expect(await other.connectionCount() == 0)
        await server.stop()
        await other.stop()
    }

    @Test func withoutCredentialsAnotherOriginIsFine() async throws {
        let other = try await LocalServer(answers: [.json(200, "there")])
        let server = try await LocalServer(answers: [Self.to(other.url + "/x")])
        let response = try await client.send(request(server.url, [HTTPField("Accept", "*/*")]))
        #expect(response.url == other.url + "/x")
        await server.stop()
        await other.stop()
    }

    @Test func circlesEnd() async throws {
        let server = try await LocalServer { _ in Self.to("/again") }
        await #expect(throws: HTTPError.tooManyRedirects(3)) { try await client.send(request(server.url)) }
        #expect(await server.requests().count == 4)
        await server.stop()
    }

    @Test(
        "A redirect to what is no web address is refused", arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/", "http://"])
    func strangeTargets(location: String) async throws {
        let server = try await LocalServer(answers: [Self.to(location)])
        await #expect(throws: HTTPError.invalidURL) { try await client.send(request(server.url)) }
        await server.stop()
    }

    @Test func postsAndUnaskedRedirectsAreAnswers() async throws {
        let server = try await LocalServer(answers: [Self.to("/x", 307)])
        var post = HTTPRequest("POST", server.url, body: [1])
        post.redirects = .followed(maximum: 3)
        #expect(try await client.send(post).status == 307)
        #expect(try await client.send(HTTPRequest("GET", server.url)).status == 307)
        await server.stop()
    }
}
