import FoundationEssentials
import HTTP
import LocalServer
import Testing

@testable import CodexKit
@testable import EventLoop

/// Signing in with a browser, which a local server and a scripted browser stand in for.
struct OAuthTests {
    private let script = AuthScript()

    private func provider(
        _ server: LocalServer, _ browser: FakeBrowser, port: UInt16 = 0, clock: AuthClock = .system
    ) -> ChatGPTOAuthProvider {
        ChatGPTOAuthProvider(
            presenter: browser, configuration: ChatGPTAuthConfiguration(issuer: server.url, callbackPort: port),
            http: HTTPClient(environment: [:]), clock: clock)
    }

    private static func callback(_ query: [String: String], code: String = "code-1") -> String {
        "/auth/callback?code=\(code)&state=\(query["state"] ?? "")"
    }

    @Test func signsIn() async throws {
        let server = try await LocalServer(script.answer)
        let browser = FakeBrowser { ["/favicon.ico", Self.callback($0)] }
        let session = try await provider(server, browser).signInInteractively()
        #expect(session.account.name == "Ada Lovelace")
        let page = try #require(browser.page.withLock { $0.url })
        let pairs = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let query = Dictionary(pairs.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        #expect(page.absoluteString.hasPrefix(server.url + "/oauth/authorize?"))
        #expect(query["response_type"] == "code")
        #expect(query["code_challenge_method"] == "S256")
        #expect(query["id_token_add_organizations"] == "true")
        #expect(query["codex_cli_simplified_flow"] == "true")
        #expect(query["originator"] == "codexkit")
        #expect(query["scope"] == "openid profile email offline_access api.connectors.read api.connectors.invoke")
        #expect(Base64URL.decode(query["state"] ?? "")?.count == 32)
        let redirect = query["redirect_uri"] ?? ""
        #expect(redirect.hasPrefix("http://localhost:") && redirect.hasSuffix("/auth/callback"))

        let form = FormCoding.decode(await server.requests().last?.text ?? "") ?? [:]
        #expect(form["redirect_uri"] == redirect)
        #expect(form["code"] == "code-1")
        let challenge = try PKCE { _ in Base64URL.decode(form["code_verifier"] ?? "") ?? [] }.challenge
        #expect(challenge == query["code_challenge"])
        #expect(try await browser.statuses(2) == [404, 200])

        // The listener lives only while signing in.
        let port = UInt16(redirect.dropFirst("http://localhost:".count).prefix { $0 != "/" }) ?? 0
        await #expect(throws: HTTPError.unreachable("127.0.0.1")) {
            try await HTTPClient(environment: [:]).send(HTTPRequest("GET", "http://127.0.0.1:\(port)/auth/callback"))
        }
        await server.stop()
    }

    @Test(
        "What may come back instead of a code",
        arguments: [
            ("/auth/callback?code=c&state=other", AgentRuntimeError.Code.callbackMismatch),
            ("/auth/callback?error=access_denied&state=other", .callbackMismatch),
            ("/auth/callback?error=access_denied&state=STATE", .signInRefused), ("/cancel", .signInCancelled),
        ])
    func comesBackOtherwise(target: String, code: AgentRuntimeError.Code) async throws {
        let server = try await LocalServer(script.answer)
        let browser = FakeBrowser { query in [target.replacing("STATE", with: query["state"] ?? "")] }
        let error = await #expect(throws: AgentRuntimeError.self) { try await provider(server, browser).signInInteractively() }
        #expect(error?.code == code)
        #expect(await server.requests().isEmpty)
        await server.stop()
    }

    @Test func whatIsNoAnswerChangesNothing() async throws {
        let server = try await LocalServer(script.answer)
        let browser = FakeBrowser { ["/", "/auth/callback", "/auth/callback?code=%ZZ&state=x", "/auth/callback?state=x", Self.callback($0)] }
        #expect(try await provider(server, browser).signInInteractively().account.id == "acc-1")
        #expect(try await browser.statuses(5) == [404, 400, 400, 400, 200])
        await server.stop()
    }

    @Test func aTakenPortIsSaid() async throws {
        let other = try await LocalServer(script.answer)
        let browser = FakeBrowser { _ in [] }
        let error = await #expect(throws: AgentRuntimeError.self) { try await provider(other, browser, port: other.port).signInInteractively() }
        #expect(error?.code == .callbackUnavailable)
        #expect(error?.message.contains(String(other.port)) == true)
        #expect(browser.page.withLock { $0.url } == nil)
        await other.stop()
    }

    @Test func nobodyComesBack() async throws {
        let server = try await LocalServer(script.answer)
        let error = await #expect(throws: AgentRuntimeError.self) {
            try await provider(server, FakeBrowser { _ in [] }, clock: FakeClock().clock).signInInteractively()
        }
        #expect(error?.code == .signInTimedOut)
        await server.stop()
    }

    @Test func givingUpIsACancelledSignIn() async throws {
        let server = try await LocalServer(script.answer)
        let browser = FakeBrowser { _ in [] }
        let provider = provider(server, browser)
        let signIn = Task { try await provider.signInInteractively() }
        while browser.page.withLock({ $0.url == nil }) { await Task.yield() }
        signIn.cancel()
        let error = await #expect(throws: AgentRuntimeError.self) { try await signIn.value }
        #expect(error?.code == .signInCancelled)
        await server.stop()
    }

    @Test func eachSignInHasItsOwnStateAndProof() async throws {
        let server = try await LocalServer(script.answer)
        let states = Locked<Set<String>>([])
        for _ in 0..<3 {
            let browser = FakeBrowser { query in
                states.withLock { _ = $0.insert((query["state"] ?? "") + (query["code_challenge"] ?? "")) }
                return [Self.callback(query)]
            }
            _ = try await provider(server, browser).signInInteractively()
        }
        #expect(states.withLock { $0.count } == 3)
        await server.stop()
    }
}
