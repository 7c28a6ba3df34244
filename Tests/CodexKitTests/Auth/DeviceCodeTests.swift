import FoundationEssentials
import HTTP
import LocalServer
import Testing

@testable import CodexKit

/// Signing in with a code, against a local server.
struct DeviceCodeTests {
    private let presenter = RecordingPresenter()
    private let script = AuthScript()
    private let clock = FakeClock()

    private func provider(_ server: LocalServer) -> ChatGPTDeviceCodeAuthProvider {
        ChatGPTDeviceCodeAuthProvider(
            presenter: presenter, configuration: ChatGPTAuthConfiguration(issuer: server.url + "/"), http: HTTPClient(environment: [:]),
            clock: clock.clock)
    }

    private func failure(_ server: LocalServer) async -> AgentRuntimeError? {
        await #expect(throws: AgentRuntimeError.self) { try await provider(server).signInInteractively() }
    }

    @Test func signsIn() async throws {
        let server = try await LocalServer(script.answer)
        let session = try await provider(server).signInInteractively()
        #expect(session.account == ChatGPTAccount(id: "acc-1", email: "ada@example.org", plan: .plus, name: "Ada Lovelace"))
        #expect(session.refreshToken == "refresh-1")
        #expect(session.expiresAt == Date(timeIntervalSince1970: 4_000_000_000))
        #expect(!session.isExternallyManaged)
        #expect(presenter.prompts.map(\.userCode) == ["ABCD-1234"])
        #expect(presenter.prompts.first?.verificationURL.absoluteString == server.url + "/codex/device")
        #expect(presenter.prompts.first?.expiresAt == Date(timeIntervalSince1970: 1_800_000_900))
        #expect(presenter.dismissals == 1)
        #expect(clock.sleeps == [.seconds(3), .seconds(3), .seconds(3)])

        let requests = await server.requests()
        #expect(requests.map(\.path).suffix(2) == ["/api/accounts/deviceauth/token", "/oauth/token"])
        #expect(requests.first?.json == ["client_id": "app_EMoamEEZ73f0CkXaXp7hrann"])
        #expect(requests[1].json == ["device_auth_id": "dev-1", "user_code": "ABCD-1234"])
        let form = FormCoding.decode(requests.last?.text ?? "")
        #expect(
            form == [
                "grant_type": "authorization_code", "code": "code-1", "code_verifier": "verifier-1",
                "redirect_uri": server.url + "/deviceauth/callback", "client_id": "app_EMoamEEZ73f0CkXaXp7hrann",
            ])
        await server.stop()
    }

    @Test func nobodyTypesTheCode() async throws {
        script.change { $0.pendingPolls = .max }
        let server = try await LocalServer(script.answer)
        #expect(await failure(server)?.code == .signInTimedOut)
        #expect(clock.sleeps.count == 300)
        #expect(presenter.dismissals == 1)
        await server.stop()
    }

    @Test func aBusyServerIsAskedLessOften() async throws {
        let server = try await LocalServer { [script] request in
            request.index == 1 ? .json(429, [:], fields: [("Retry-After", "20")]) : request.index == 2 ? .json(502, [:]) : script.answer(request)
        }
        _ = try await provider(server).signInInteractively()
        #expect(clock.sleeps.prefix(3) == [.seconds(3), .seconds(20), .seconds(40)])
        await server.stop()
    }

    @Test func aBrokenPollIsTriedAgain() async throws {
        let server = try await LocalServer { [script] request in request.index == 1 ? LocalAnswer([.close]) : script.answer(request) }
        #expect(try await provider(server).signInInteractively().refreshToken == "refresh-1")
        await server.stop()
    }

    @Test(
        "What the server may say instead of a code",
        arguments: [
            (LocalAnswer.html(403), AgentRuntimeError.Code.challenged), (.json(429, [:], fields: [("Retry-After", "9")]), .rateLimited),
            (.json(404, ["error": "not_enabled"]), .signInRefused), (.json(500, [:]), .signInRefused), (.json(200, [:]), .invalidResponse),
            (.json(200, ["device_auth_id": "d", "user_code": "a b"]), .invalidResponse),
            (.json(200, ["device_auth_id": 1, "user_code": "a"]), .invalidResponse),
            (.whole(200, Array("nonsense".utf8), type: "application/json"), .invalidResponse), (LocalAnswer([.close]), .network),
        ])
    func noCode(answer: LocalAnswer, code: AgentRuntimeError.Code) async throws {
        let server = try await LocalServer(answers: [answer])
        let error = await failure(server)
        #expect(error?.code == code)
        #expect(error?.retryAfter == (code == .rateLimited ? .seconds(9) : nil))
        #expect(presenter.prompts.isEmpty)
        await server.stop()
    }

    @Test(
        "What the server may say to a typed code",
        arguments: [
            (LocalAnswer.html(403), AgentRuntimeError.Code.challenged), (.json(400, ["error": "expired_token"]), .signInRefused),
            (.json(200, [:]), .invalidResponse),
        ])
    func noApproval(answer: LocalAnswer, code: AgentRuntimeError.Code) async throws {
        let server = try await LocalServer { [script] request in request.index == 1 ? answer : script.answer(request) }
        #expect(await failure(server)?.code == code)
        #expect(presenter.dismissals == 1)
        await server.stop()
    }

    @Test(
        "An interval is a number or a text, and never a hurry",
        arguments: [
            ("0", .seconds(1)), ("-3", .seconds(1)), ("7.5", .milliseconds(7500)), ("soon", .seconds(5)), ("1e999", .seconds(5)),
            ("9999", .seconds(60)),
        ] as [(String, Duration)])
    func interval(text: String, expected: Duration) async throws {
        script.change { $0.pendingPolls = 0 }
        let server = try await LocalServer { [script] request in
            request.index == 0 ? .json(200, ["device_auth_id": "d", "usercode": "A", "interval": .string(text)]) : script.answer(request)
        }
        _ = try await provider(server).signInInteractively()
        #expect(clock.sleeps == [expected])
        await server.stop()
    }

    @Test(
        "An exchange that fails",
        arguments: [
            (
                LocalAnswer.json(400, ["error": "invalid_grant", "error_description": "code CANARY-token=abc expired"]),
                AgentRuntimeError.Code.tokenExchangeFailed
            ),
            (.json(200, ["access_token": "opaque-CANARY"]), .tokenExchangeFailed), (.html(403), .challenged), (.json(429, [:]), .rateLimited),
        ])
    func exchangeFails(answer: LocalAnswer, code: AgentRuntimeError.Code) async throws {
        script.change { $0.pendingPolls = 0 }
        let server = try await LocalServer { [script] request in request.path == "/oauth/token" ? answer : script.answer(request) }
        let error = await failure(server)
        #expect(error?.code == code)
        #expect(error?.message.contains("abc") == false)
        #expect(error?.message.contains("opaque") == false)
        await server.stop()
    }

    @Test func givingUpIsACancelledSignIn() async throws {
        script.change { $0.pendingPolls = .max }
        let server = try await LocalServer(script.answer)
        let provider = ChatGPTDeviceCodeAuthProvider(
            presenter: presenter, configuration: ChatGPTAuthConfiguration(issuer: server.url), http: HTTPClient(environment: [:]), clock: .system)
        let signIn = Task { try await provider.signInInteractively() }
        await server.waitForRequests(1)
        signIn.cancel()
        let error = await #expect(throws: AgentRuntimeError.self) { try await signIn.value }
        #expect(error?.code == .signInCancelled)
        #expect(presenter.dismissals == presenter.prompts.count)
        await server.stop()
    }

    @Test func aDeviceCodeNeedsAPresenter() {
        let error = #expect(throws: AgentRuntimeError.self) { try ChatGPTAuthProvider(method: .deviceCode) }
        #expect(error?.code == .invalidConfiguration)
        #expect(throws: Never.self) { try ChatGPTAuthProvider(method: .oauth) }
    }
}
