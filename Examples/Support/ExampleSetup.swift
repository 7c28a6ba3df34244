import CodexKit
import CodexKitUI
import FoundationEssentials

/// The parts of a runtime that are the same in all examples. What differs (tools, skills, personas) each example shows itself.
///
///     --base-url URL   a server that answers POST /responses, instead of ChatGPT; or CODEXKIT_BASE_URL
///     --issuer URL     the server that signs people in; or CODEXKIT_ISSUER
///     --sign-in WAY    device (a code to type on any device, the default), browser, cli (the Codex CLI's session),
///                      or token (CODEXKIT_ACCESS_TOKEN and CODEXKIT_ACCOUNT_ID); or CODEXKIT_SIGN_IN
///     --model NAME     gpt-5.4 unless given
///     --state FILE     where threads are kept: SQLite, or one JSON file when the name ends with .json
public struct ExampleSetup: Sendable {
    public let options: ExampleOptions
    private let environment = ProcessInfo.processInfo.environment

    public init(_ options: ExampleOptions) { self.options = options }

    // MARK: Parts of the configuration

    public var backend: CodexResponsesBackend {
        get throws {
            var configuration = CodexResponsesBackendConfiguration(model: options.value("model") ?? "gpt-5.4")
            if let text = options.value("base-url", variable: "CODEXKIT_BASE_URL") { configuration.baseURL = try Self.url(text) }
            return CodexResponsesBackend(configuration: configuration)
        }
    }

    public var authProvider: ChatGPTAuthProvider {
        get throws {
            var configuration = ChatGPTAuthConfiguration()
            if let issuer = options.value("issuer", variable: "CODEXKIT_ISSUER") { configuration.issuer = issuer }
            return try ChatGPTAuthProvider(
                method: signIn == "browser" ? .oauth : .deviceCode, deviceCodePresenter: TerminalDeviceCodePresenter(write: show),
                configuration: configuration)
        }
    }

    /// The keyring of the desktop. A session of the real service never goes to a local server: it has an account name of its own.
    public var secureStore: KeychainSessionSecureStore {
        let isLocal = options.value("base-url", variable: "CODEXKIT_BASE_URL") != nil || options.value("issuer", variable: "CODEXKIT_ISSUER") != nil
        return KeychainSessionSecureStore(service: "CodexKit.Examples", account: isLocal ? "local" : "main")
    }

    /// - Parameter name: Of the example; each has threads of its own.
    public func stateStore(_ name: String) throws -> any RuntimeStateStoring {
        let home = environment["XDG_STATE_HOME"] ?? (environment["HOME"] ?? ".") + "/.local/state"
        let path = options.value("state") ?? home + "/codexkit-examples/\(name).sqlite"
        let url = URL(filePath: path)
        return path.hasSuffix(".json") ? FileRuntimeStateStore(url: url) : SQLiteRuntimeStateStore(url: url)
    }

    // MARK: Signing in

    private var signIn: String { options.value("sign-in", variable: "CODEXKIT_SIGN_IN") ?? "device" }

    /// Restores what was kept, and asks the person to sign in when nobody is.
    @discardableResult
    public func begin(_ runtime: AgentRuntime) async throws -> AgentRuntime.Restoration {
        let isExternal = signIn == "cli" || signIn == "token"
        if signIn == "cli" { await runtime.useSession(CodexCLISession()) }
        if signIn == "token" { await runtime.useSession(try givenSession()) }
        let restoration = try await runtime.restore()
        for notice in restoration.notices { show("! \(notice)\n") }
        if !isExternal, restoration.session == nil { try await runtime.signIn() }
        if let session = await runtime.currentSession() { show("Signed in as \(session.account.displayName).\n") }
        return restoration
    }

    /// A session that somebody else manages: it is neither stored nor renewed.
    private func givenSession() throws -> ChatGPTSession {
        guard let token = environment["CODEXKIT_ACCESS_TOKEN"], let account = environment["CODEXKIT_ACCOUNT_ID"] else {
            throw ExampleFailure("Signing in with a token needs CODEXKIT_ACCESS_TOKEN and CODEXKIT_ACCOUNT_ID.")
        }
        return ChatGPTSession(
            accessToken: token, account: ChatGPTAccount(id: account, email: account, plan: .unknown), isExternallyManaged: true)
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.scheme == "https" || url.scheme == "http" else { throw ExampleFailure("\(text) is no web address.") }
        return url
    }
}
