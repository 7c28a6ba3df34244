import HTTP
import LocalServer
import Testing

/// Requests through a proxy that the environment names.
struct ProxyTests {
    @Test func theProxyGetsTheWholeAddress() async throws {
        let proxy = try await LocalServer(answers: [.json(200, "from the proxy")])
        let client = HTTPClient(environment: ["http_proxy": proxy.url])
        let response = try await client.send(HTTPRequest("GET", "http://model.invalid/v1"))
        #expect(response.status == 200)
        #expect(await proxy.requests().first?.target == "http://model.invalid/v1")
        await proxy.stop()
    }

    @Test func exceptionsAreAskedDirectly() async throws {
        let proxy = try await LocalServer(answers: [.json(500, "from the proxy")])
        let server = try await LocalServer(answers: [.json(200, [:])])
        let client = HTTPClient(environment: ["http_proxy": proxy.url, "no_proxy": "example.org,127.0.0.1"])
        #expect(try await client.send(HTTPRequest("GET", server.url)).status == 200)
        #expect(await proxy.connectionCount() == 0)
        await proxy.stop()
        await server.stop()
    }

    @Test func aTunnelThatIsRefusedIsAProxyFailure() async throws {
        let proxy = try await LocalServer(answers: [.json(403, "no")])
        let client = HTTPClient(environment: ["https_proxy": proxy.url])
        let error = await #expect(throws: HTTPError.self) { try await client.send(HTTPRequest("GET", "https://model.invalid/v1")) }
        guard case .proxy? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        await proxy.stop()
    }
}
