import FoundationEssentials
import HTTP
import LocalServer
import Testing

@testable import CodexKit
@testable import EventLoop

/// The life of a session: restored, renewed once for all, replaced, ended.
struct SessionManagerTests {
    private let script = AuthScript()
    private let clock = FakeClock(now: 1_800_000_000)
    private let store = InMemorySessionStore()

    private func manager(_ server: LocalServer, _ store: (any SessionSecureStoring)? = nil) -> ChatGPTSessionManager {
        let fake = clock.clock
        // A lock is waited for in small steps, and its holder is real: time that does not pass would be over before it lets go.
        let clock = AuthClock(now: fake.now) { if $0 < .seconds(1) { try await Task.sleep(for: $0) } else { try await fake.sleep($0) } }
        let provider = ChatGPTDeviceCodeAuthProvider(
            presenter: RecordingPresenter(), configuration: ChatGPTAuthConfiguration(issuer: server.url), http: HTTPClient(environment: [:]),
            clock: clock)
        return ChatGPTSessionManager(authProvider: provider, secureStore: store ?? self.store, refreshMargin: .seconds(300), clock: clock)
    }

    /// Stores a session that the server knows.
    private func seed(expires: Double = 4_000_000_000) async {
        script.change { $0.live = ["refresh-0"] }
        await store.saveSession(TestTokens.session(expires: expires))
    }

    @Test func signsInStoresAndRestores() async throws {
        let server = try await LocalServer(script.answer)
        let first = manager(server)
        #expect(await first.currentSession() == nil)
        let session = try await first.signIn()
        #expect(await first.currentSession() == session)
        let second = manager(server)
        #expect(await second.currentSession() == nil)
        #expect(try await second.restore() == session)
        #expect(try await second.validSession() == session)
        try await second.signOut()
        #expect(await second.currentSession() == nil)
        #expect(await store.loadSession() == nil)
        await server.stop()
    }

    @Test func withoutASessionNothingIsSent() async throws {
        let server = try await LocalServer(script.answer)
        let error = await #expect(throws: AgentRuntimeError.self) { try await manager(server).validSession() }
        #expect(error?.code == .missingSession)
        #expect(await server.requests().isEmpty)
        await server.stop()
    }

    @Test("A storm of callers makes one request", arguments: [true, false])
    func storm(isNearExpiry: Bool) async throws {
        await seed(expires: isNearExpiry ? 1_800_000_100 : 4_000_000_000)
        script.change { $0.delay = .milliseconds(30) }
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        let old = try #require(try await manager.restore())
        let sessions = try await withThrowingTaskGroup(of: ChatGPTSession.self) { group in
            for _ in 0..<100 {
                group.addTask { isNearExpiry ? try await manager.validSession() : try await manager.session(replacing: old) }
            }
            return try await group.reduce(into: Set<ChatGPTSession>()) { $0.insert($1) }
        }
        #expect(sessions.count == 1)
        #expect(sessions.first?.refreshToken == "refresh-1")
        #expect(script.refreshes == 1)
        #expect(await store.loadSession() == sessions.first)
        await server.stop()
    }

    @Test func aFreshSessionIsUsedAsItIs() async throws {
        await seed(expires: 1_800_000_301)
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        try await manager.restore()
        #expect(try await manager.validSession().refreshToken == "refresh-0")
        clock.advance(by: 2)
        #expect(try await manager.validSession().refreshToken == "refresh-1")
        #expect(script.refreshes == 1)
        await server.stop()
    }

    @Test func aRejectedSessionThatWasReplacedMeanwhileIsNotRenewedAgain() async throws {
        await seed()
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        let old = try #require(try await manager.restore())
        let new = try await manager.session(replacing: old)
        #expect(try await manager.session(replacing: old) == new)
        #expect(script.refreshes == 1)
        await server.stop()
    }

    @Test("While the session still holds, a passing failure of renewing it is no failure", arguments: [
        (LocalAnswer.json(429, [:]), 1_800_000_100.0, true), (LocalAnswer([.close]), 1_800_000_100, true), (.json(429, [:]), 1_800_000_000, false),
        (.json(400, ["error": "invalid_grant"]), 1_800_000_100, false), (.html(403), 1_800_000_100, false),
    ])
    func passingFailure(answer: LocalAnswer, expires: Double, isUsable: Bool) async throws {
        await seed(expires: expires)
        script.change { $0.special = [answer] }
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        try await manager.restore()
        let session = try? await manager.validSession()
        #expect(session?.refreshToken == (isUsable ? "refresh-0" : nil))
        #expect(await store.loadSession() != nil)
        await server.stop()
    }

    @Test func aRefreshTokenThatWasRefusedIsNotTriedAgain() async throws {
        await seed()
        script.change { $0.live = [] }
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        let old = try #require(try await manager.restore())
        for _ in 0..<3 {
            let error = await #expect(throws: AgentRuntimeError.self) { try await manager.session(replacing: old) }
            #expect(error?.code == .refreshFailed)
            #expect(error?.status == 400)
            #expect(error?.message.contains("refresh-0") == false)
        }
        #expect(script.refreshes == 1)
        _ = try await manager.signIn()
        #expect(try await manager.validSession().refreshToken == "refresh-1")
        await server.stop()
    }

    @Test func whatAnotherProcessHasRenewedIsTakenOver() async throws {
        await seed(expires: 1_800_000_100)
        let server = try await LocalServer(script.answer)
        let one = manager(server), other = manager(server)
        try await one.restore()
        try await other.restore()
        let renewed = try await one.validSession()
        #expect(try await other.validSession() == renewed)
        #expect(script.refreshes == 1)
        await server.stop()
    }

    @Test func whatAnotherProcessHasEndedIsNotBroughtBack() async throws {
        await seed(expires: 1_800_000_100)
        let server = try await LocalServer(script.answer)
        let one = manager(server), other = manager(server)
        try await one.restore()
        try await other.restore()
        try await one.signOut()
        let error = await #expect(throws: AgentRuntimeError.self) { try await other.validSession() }
        #expect(error?.code == .missingSession)
        #expect(await other.currentSession() == nil)
        #expect(script.refreshes == 0)
        await server.stop()
    }

    @Test func signingOutDuringARenewalWins() async throws {
        let folder = try TemporaryFolder()
        let locked = LockedStore(base: store, lockPath: folder.path + "/a/b.lock")
        await seed(expires: 1_800_000_100)
        script.change { $0.delay = .milliseconds(50) }
        let server = try await LocalServer(script.answer)
        let manager = manager(server, locked)
        try await manager.restore()
        let renewal = Task { try await manager.validSession() }
        await server.waitForRequests(1)
        try await manager.signOut()
        let error = await #expect(throws: AgentRuntimeError.self) { try await renewal.value }
        #expect(error?.code == .missingSession)
        #expect(await manager.currentSession() == nil)
        #expect(await store.loadSession() == nil)
        await server.stop()
    }

    @Test func aCallerWhoGivesUpDoesNotEndTheRenewal() async throws {
        await seed(expires: 1_800_000_100)
        script.change { $0.delay = .milliseconds(50) }
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        try await manager.restore()
        let impatient = Task { try await manager.validSession() }
        await server.waitForRequests(1)
        impatient.cancel()
        _ = await impatient.result
        #expect(try await manager.validSession().refreshToken == "refresh-1")
        #expect(script.refreshes == 1)
        await server.stop()
    }

    @Test func anExternalSessionIsNeitherStoredNorRenewed() async throws {
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        let external = TestTokens.session(refresh: nil, expires: 1_000)
        await manager.useSession(external)
        #expect(await manager.currentSession() == external)
        #expect(try await manager.validSession() == external)
        #expect(try await manager.restore() == external)
        let error = await #expect(throws: AgentRuntimeError.self) { try await manager.session(replacing: external) }
        #expect(error?.code == .unauthorized)
        #expect(await store.loadSession() == nil)
        #expect(await server.requests().isEmpty)
        await server.stop()
    }

    @Test func lettingGoOfAnExternalSessionLeavesTheStoredOne() async throws {
        await seed()
        let server = try await LocalServer(script.answer)
        let manager = manager(server)
        await manager.useSession(TestTokens.session(serial: 9, refresh: nil))
        try await manager.signOut()
        #expect(await manager.currentSession() == nil)
        #expect(await store.loadSession() != nil)
        await server.stop()
    }
}

/// A store with a lock file, as one on disk has.
private struct LockedStore: SessionSecureStoring {
    let base: InMemorySessionStore
    let lockPath: String?

    func loadSession() async throws -> ChatGPTSession? { await base.loadSession() }
    func saveSession(_ session: ChatGPTSession) async throws { await base.saveSession(session) }
    func deleteSession() async throws { await base.deleteSession() }
}
