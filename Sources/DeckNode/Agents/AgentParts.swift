import CodexKit
import CommandLineKit
import DeckAgents
import FoundationEssentials
import Log
import Secrets
import TLS

/// What the agents are made of, as the settings and the environment say: who signs in, where the session lies, whom they ask.
public struct AgentParts: Sendable {
    private let settings: AgentSettings
    private let variables: [String: String]
    private let codexHome: String

    public init(_ environment: NodeEnvironment) {
        self.init(settings: environment.settings.agents, variables: environment.variables, codexHome: environment.codexHome)
    }

    init(settings: AgentSettings, variables: [String: String], codexHome: String) {
        self.settings = settings
        self.variables = variables
        self.codexHome = codexHome
    }

    /// What the node calls itself to the services.
    static let originator = "codex_deck_linux"

    public var authConfiguration: ChatGPTAuthConfiguration {
        var configuration = ChatGPTAuthConfiguration(originator: Self.originator)
        if let issuer = settings.issuer { configuration = ChatGPTAuthConfiguration(issuer: issuer, originator: Self.originator) }
        if let clientID = settings.clientID { configuration.clientID = clientID }
        return configuration
    }

    /// Renews sessions; it never asks a person, as only `decknode login` does that.
    public var authProvider: any ChatGPTAuthProviding { ChatGPTOAuthProvider(configuration: authConfiguration) }

    /// Where the node's own session lies.
    public var secureStore: KeychainSessionSecureStore { store(fallback: settings.allowsSessionFile ? .file : .none) }

    /// Every place where the session may lie, whatever the settings say now.
    ///
    /// - Throws: ``CommandFailure`` when a keyring is there and cannot be looked into: it may hold one.
    func everyStore() async throws -> KeychainSessionSecureStore {
        do throws(SecretStoreError) {
            _ = try await chooseSecretStore(preference: .service, environment: variables, stateHome: "/")
        } catch {
            switch error {
            case .libraryMissing, .noService, .noCollection: return store(fallback: .alwaysFile)
            default: throw CommandFailure(error.description)
            }
        }
        return store(fallback: .file)
    }

    private func store(fallback: KeychainSessionSecureStore.Fallback) -> KeychainSessionSecureStore {
        KeychainSessionSecureStore(service: "decknode", account: account, fallback: fallback, environment: variables)
    }

    /// A session is for the services that it came from: with others in the settings there is another one.
    private var account: String {
        guard settings.issuer != nil || settings.baseURL != nil else { return "main" }
        let services = Array("\(settings.issuer ?? "")\n\(settings.baseURL ?? "")".utf8)
        guard let digest = try? Digest.sha256(services) else { return "other" }
        return "other-" + digest.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    public var usesCLISession: Bool { settings.session == .codex }

    /// The session of the Codex CLI, read and never written.
    public var cliSession: CodexCLISession { CodexCLISession(codexHome: codexHome, environment: variables) }

    public var backendConfiguration: CodexResponsesBackendConfiguration {
        var configuration = CodexResponsesBackendConfiguration(originator: Self.originator)
        if let model = settings.model { configuration.model = model }
        if let effort = settings.effort.flatMap(ReasoningEffort.init) { configuration.reasoningEffort = effort }
        // The table of settings has checked that it is an address.
        if let url = settings.baseURL.flatMap({ URL(string: $0) }) { configuration.baseURL = url }
        return configuration
    }

    /// What the agents of a node are made of, by its settings as they are now.
    static func configuration(_ environment: NodeEnvironment) -> AgentHost.Configuration { AgentParts(environment).hostConfiguration(environment) }

    private func hostConfiguration(_ environment: NodeEnvironment) -> AgentHost.Configuration {
        let logger = environment.logger.category("agents")
        let logging = AgentLogging(minimumLevel: logger.threshold) { record in logger.log(record.level, record.message) }
        var configuration = AgentHost.Configuration(
            backend: CodexResponsesBackend(configuration: backendConfiguration), authProvider: authProvider, secureStore: secureStore,
            stateHome: environment.directories.stateHome, variables: variables,
            home: environment.settings.newTaskFolder ?? environment.directories.home, now: environment.now)
        if usesCLISession { configuration.externalSession = cliSession }
        configuration.effort = backendConfiguration.reasoningEffort
        configuration.activity = LogindBackgroundActivityProvider(application: "decknode", logging: logging)
        configuration.logging = logging
        // What is said to Codex is no business of these agents.
        configuration.hide([codexHome])
        return configuration
    }
}
