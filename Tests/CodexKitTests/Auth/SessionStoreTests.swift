import FoundationEssentials
import Glibc
import Testing

@testable import CodexKit

/// Where sessions are kept, and the CLI's own.
struct SessionStoreTests {
    private let folder: TemporaryFolder
    private var environment: [String: String] { ["HOME": folder.path, "XDG_DATA_HOME": folder.path + "/data"] }

    init() throws { folder = try TemporaryFolder() }

    private func store(_ account: String = "main", _ fallback: KeychainSessionSecureStore.Fallback? = .file) -> KeychainSessionSecureStore {
        KeychainSessionSecureStore(service: "CodexKit.ChatGPTSession", account: account, fallback: fallback, environment: environment)
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func withoutAKeyringAndLeaveNothingIsStored() async throws {
        for store in [store("main", nil), store("main", KeychainSessionSecureStore.Fallback.none)] {
            let error = await #expect(throws: AgentRuntimeError.self) { try await store.saveSession(TestTokens.session()) }
            #expect(error?.code == .sessionStoreFailed)
            #expect(error?.message.contains(KeychainSessionSecureStore.fallbackVariable) == true)
        }
    }

    @Test func theUserOfTheProgramMayAllowAFile() async throws {
        var environment = environment
        environment[KeychainSessionSecureStore.fallbackVariable] = "file"
        let store = KeychainSessionSecureStore(service: "s", account: "a", environment: environment)
        #expect(store.fallback == .file)
        try await store.saveSession(TestTokens.session())
        #expect(try await store.loadSession() == TestTokens.session())
    }

    @Test func keepsASessionInAFileOnlyWeCanRead() async throws {
        let one = store()
        let other = store("other")
        #expect(try await one.loadSession() == nil)
        try await one.saveSession(TestTokens.session())
        #expect(try await store().loadSession() == TestTokens.session())
        #expect(try await other.loadSession() == nil)
        let placement = try await one.placement()
        #expect(!placement.isKeyring)
        #expect(placement.remark?.contains(folder.path + "/data/codexkit") == true)
        #expect(mode(folder.path + "/data/codexkit/secrets") == 0o700)
        #expect(
            mode(folder.path + "/data/codexkit/secrets/CodexKit%2EChatGPTSession/main") == 0o600
                || mode(folder.path + "/data/codexkit/secrets/CodexKit.ChatGPTSession/main") == 0o600)
        try await one.deleteSession()
        try await one.deleteSession()
        #expect(try await one.loadSession() == nil)
    }

    /// Tokens of accounts with many organizations have several kilobytes each.
    @Test func keepsALargeSession() async throws {
        let long = String(repeating: "t", count: 6000)
        let session = ChatGPTSession(
            accessToken: long, refreshToken: "r", idToken: long, account: ChatGPTAccount(id: "1", email: "e", plan: .plus),
            acquiredAt: Date(timeIntervalSince1970: 5))
        try await store().saveSession(session)
        #expect(try await store().loadSession() == session)
    }

    @Test func namesThatNoStoreTakesAreAnError() async throws {
        let store = KeychainSessionSecureStore(service: "", account: "a", fallback: .alwaysFile, environment: environment)
        let error = await #expect(throws: AgentRuntimeError.self) { try await store.loadSession() }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func differentStoresHaveDifferentLocks() {
        #expect(store("a").lockPath != store("b").lockPath)
        #expect(store("a").lockPath?.hasPrefix(folder.path + "/data/codexkit/locks/") == true)
        let strange = KeychainSessionSecureStore(service: "../x", account: "/y", environment: environment).lockPath
        #expect(strange?.dropFirst(folder.path.count).contains("..%2F") == true)
    }
}

/// The session of the Codex CLI.
struct CodexCLISessionTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/auth.json" }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o640)
        _ = text.withCString { Glibc.write(descriptor, $0, strlen($0)) }
        close(descriptor)
    }

    private func auth(serial: Int, account: String? = "acc-9") -> String {
        let account = account.map { "\"account_id\":\"\($0)\"," } ?? ""
        return """
            {"OPENAI_API_KEY":null,"auth_mode":"chatgpt","tokens":{\(account)"id_token":"\(TestTokens.id())",
            "access_token":"\(TestTokens.access(serial: serial))","refresh_token":"CANARY"},"last_refresh":"2026-01-01T00:00:00Z"}
            """
    }

    @Test func readsTheSessionAndLeavesTheFileAlone() async throws {
        write(auth(serial: 1))
        var before = stat()
        var after = stat()
        stat(path, &before)
        let session = try await CodexCLISession(codexHome: folder.path).externalSession()
        stat(path, &after)
        #expect(session.account == ChatGPTAccount(id: "acc-9", email: "ada@example.org", plan: .plus, name: "Ada Lovelace"))
        #expect(session.accessToken == TestTokens.access(serial: 1))
        #expect(session.refreshToken == nil)
        #expect(session.isExternallyManaged)
        #expect(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec && before.st_mode == after.st_mode && before.st_size == after.st_size)
    }

    @Test func readsItAgainWhenTheCLIHasChangedIt() async throws {
        let cli = CodexCLISession(codexHome: nil, environment: ["CODEX_HOME": folder.path])
        write(auth(serial: 1))
        #expect(try await cli.externalSession().accessToken == TestTokens.access(serial: 1))
        write(auth(serial: 22, account: nil))
        let second = try await cli.externalSession()
        #expect(second.accessToken == TestTokens.access(serial: 22))
        #expect(second.account.id == "acc-1")
        unlink(path)
        let error = await #expect(throws: AgentRuntimeError.self) { try await cli.externalSession() }
        #expect(error?.code == .missingSession)
    }

    @Test(
        "Files without a ChatGPT session",
        arguments: [
            ("", AgentRuntimeError.Code.sessionDamaged), ("[]", .sessionDamaged), ("{\"tokens\":", .sessionDamaged), ("{}", .missingSession),
            ("{\"OPENAI_API_KEY\":\"sk-CANARY\",\"tokens\":null}", .missingSession),
            ("{\"tokens\":{\"access_token\":\"opaqueCANARY\"}}", .sessionDamaged),
            ("{\"tokens\":{\"access_token\":\"a\\nb\",\"account_id\":\"1\"}}", .missingSession),
        ])
    func otherFiles(text: String, code: AgentRuntimeError.Code) async {
        write(text)
        let error = await #expect(throws: AgentRuntimeError.self) { try await CodexCLISession(codexHome: folder.path).externalSession() }
        #expect(error?.code == code)
        #expect(error?.message.contains("CANARY") == false)
    }

    @Test func theUsualPlaces() {
        #expect(CodexCLISession(environment: ["HOME": "/home/x"]).path == "/home/x/.codex/auth.json")
        #expect(CodexCLISession(environment: ["HOME": "/home/x", "CODEX_HOME": "/c"]).path == "/c/auth.json")
        #expect(CodexCLISession(environment: ["HOME": "/home/x", "CODEX_HOME": ""]).path == "/home/x/.codex/auth.json")
    }

    @Test func aManagerUsesItAndNoticesARenewalByTheCLI() async throws {
        write(auth(serial: 1))
        let manager = ChatGPTSessionManager(
            authProvider: ChatGPTDeviceCodeAuthProvider(presenter: RecordingPresenter()), secureStore: InMemorySessionStore())
        await manager.useSession(CodexCLISession(codexHome: folder.path))
        let first = try await manager.validSession()
        let error = await #expect(throws: AgentRuntimeError.self) { try await manager.session(replacing: first) }
        #expect(error?.code == .unauthorized)
        write(auth(serial: 22))
        #expect(try await manager.session(replacing: first).accessToken == TestTokens.access(serial: 22))
    }
}
