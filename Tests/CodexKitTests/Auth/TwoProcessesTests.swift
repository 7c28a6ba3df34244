import HTTP
import LocalServer
import Testing

@testable import CodexKit

/// Processes that share one stored session.
struct TwoProcessesTests {
    /// What one process does: signs in, renews and signs out in random order, as fast as it can.
    private static func live(issuer: String, home: String) async throws {
        let manager = manager(issuer: issuer, home: home)
        for _ in 0..<150 {
            do {
                switch Int.random(in: 0..<10) {
                case 0..<2: _ = try await manager.signIn()
                case 2: try await manager.signOut()
                case 3..<5: try await manager.restore()
                default:
                    if let session = await manager.currentSession() { _ = try await manager.session(replacing: session) }
                }
            } catch AgentRuntimeError.Code.missingSession {
                // The other one has signed out.
            }
        }
    }

    private static func manager(issuer: String, home: String) -> ChatGPTSessionManager {
        // Waits for the other process are real; those for a person are not.
        let clock = AuthClock(now: AuthClock.system.now) { if $0 < .seconds(1) { try await Task.sleep(for: $0) } }
        let provider = ChatGPTDeviceCodeAuthProvider(
            presenter: RecordingPresenter(), configuration: ChatGPTAuthConfiguration(issuer: issuer), http: HTTPClient(environment: [:]), clock: clock
        )
        let store = KeychainSessionSecureStore(
            service: "s", account: "a", fallback: .alwaysFile, environment: ["HOME": home, "XDG_DATA_HOME": home])
        return ChatGPTSessionManager(authProvider: provider, secureStore: store, refreshMargin: .zero, clock: clock)
    }

    @Test func signingInRenewingAndSigningOutAtOnceLeavesOneConsistentSession() async throws {
        let folder = try TemporaryFolder()
        let script = AuthScript()
        script.change { $0.pendingPolls = 0 }
        let server = try await LocalServer(script.answer)
        let issuer = server.url
        let home = folder.path
        async let one = #expect(processExitsWith: .success) { [issuer = issuer as String, home = home as String] in
            try await Self.live(issuer: issuer, home: home)
        }
        async let two = #expect(processExitsWith: .success) { [issuer = issuer as String, home = home as String] in
            try await Self.live(issuer: issuer, home: home)
        }
        _ = await (one, two)
        // No token was spent twice, and what is stored, if anything is, still works.
        #expect(script.reuses == 0)
        #expect(script.refreshes > 0)
        let manager = Self.manager(issuer: issuer, home: home)
        if let session = try await manager.restore() {
            #expect(script.accepts(session))
            #expect(script.accepts(try await manager.session(replacing: session)))
        }
        await server.stop()
    }
}
