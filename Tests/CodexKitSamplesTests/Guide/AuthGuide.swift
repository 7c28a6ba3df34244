import CodexKit
import CodexKitUI
import Foundation
import Testing

// The Swift of `docs/codexkit/auth.md`, word for word. What leads to the real service is compiled only.

private func providers() throws {
    let device = try ChatGPTAuthProvider(
        method: .deviceCode,
        deviceCodePresenter: TerminalDeviceCodePresenter { print($0) }
    )
    let browser = try ChatGPTAuthProvider(method: .oauth)

    _ = (device, browser)
}

private func placement() async throws {
    let store = KeychainSessionSecureStore(service: "com.example.app", account: "main", fallback: .file)
    if let remark = try await store.placement().remark { print(remark) }
}

struct AuthGuideTests {
    @Test func aLocalIssuer() throws {
        let local = ChatGPTAuthConfiguration(issuer: "http://127.0.0.1:8080", clientID: "test")
        let provider = try ChatGPTAuthProvider(
            method: .deviceCode,
            deviceCodePresenter: TerminalDeviceCodePresenter { print($0) },
            configuration: local
        )

        #expect(provider.method == .deviceCode)
    }

    @Test func sessions() async throws {
        let server = try await SampleServer([.says("Hi.")])
        let runtime = try await server.runtime()

        let session = ChatGPTSession(
            accessToken: "the token",
            account: ChatGPTAccount(id: "account", email: "ada@example.com", plan: .plus, name: "Ada"),
            isExternallyManaged: true
        )
        await runtime.useSession(session)

        #expect(await runtime.currentSession()?.account.displayName == "Ada")

        await runtime.useSession(CodexCLISession())

        await server.stop()
    }

    @Test func theLife() async throws {
        let server = try await SampleServer([.says("Hi.")])
        let runtime = try await server.runtime()

        let restoration = try await runtime.restore()
        if restoration.session == nil { try await runtime.signIn() }
        if let session = await runtime.currentSession() { print("Signed in as \(session.account.displayName)") }

        try await runtime.signOut()

        #expect(await runtime.currentSession() == nil)
        await server.stop()
    }

    @Test func errors() async throws {
        let server = try await SampleServer([.says("Hi.")])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        try await runtime.signOut()
        let shown = Printed()
        func show(_ text: String) { shown.add(text) }
        func askToSignIn() { shown.add("sign in") }

        do {
            print(try await runtime.send(Request(text: "Hello"), in: thread.id))
        } catch AgentRuntimeError.Code.missingSession {
            askToSignIn()
        } catch let error as AgentRuntimeError where error.code == .refreshFailed && error.status == 401 {
            askToSignIn()
        } catch let error as AgentRuntimeError {
            show(error.message)
        }

        #expect(shown.text == "sign in")
        await server.stop()
    }
}
