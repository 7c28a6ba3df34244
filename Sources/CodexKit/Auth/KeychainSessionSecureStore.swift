import Files
import Log
import Secrets

/// Keeps the session in the desktop's keyring (the Secret Service), or, where there is none and that is allowed, in a file that only this
/// user can read.
public struct KeychainSessionSecureStore: SessionSecureStoring {
    /// What to do where there is no keyring, or a locked one.
    public enum Fallback: String, Hashable, Sendable {
        /// Storing fails.
        case none
        /// A file with mode 0600 below `$XDG_DATA_HOME/codexkit`; not encrypted. A session in it moves to the keyring once there is one.
        case file
        /// The file always, keyring or not.
        case alwaysFile
    }

    /// Where the session is kept.
    public struct Placement: Hashable, Sendable {
        public let isKeyring: Bool
        /// What is lost without a keyring, in one sentence; `nil` with one.
        public let remark: String?
    }

    public let service: String
    public let account: String
    public let fallback: Fallback
    private let environment: [String: String]
    private let choice: StoreChoice

    /// The variable with which the user of a program allows a fallback: `file`, `alwaysFile` or `none`, the default.
    public static let fallbackVariable = "CODEXKIT_SESSION_FALLBACK"

    /// - Parameters:
    ///   - service: 1 to 64 bytes; with `account`, the name under which the session is kept. Different names are different sign-ins.
    ///   - account: 1 to 64 bytes.
    ///   - fallback: `nil` for what ``fallbackVariable`` says.
    ///   - environment: The process's own by default.
    public init(service: String, account: String, fallback: Fallback? = nil, environment: [String: String]? = nil) {
        let environment = environment ?? ProcessEnvironment.current()
        self.service = service
        self.account = account
        self.environment = environment
        self.fallback = fallback ?? environment[Self.fallbackVariable].flatMap { Fallback(rawValue: $0) } ?? .none
        choice = StoreChoice(preference: self.fallback.preference, environment: environment)
    }

    /// Where the session is kept, or would be.
    ///
    /// - Throws: ``AgentRuntimeError`` `sessionStoreFailed` when there is no place for it.
    public func placement() async throws -> Placement {
        let chosen = try await chosen()
        return Placement(isKeyring: chosen.place == .service, remark: chosen.remark)
    }

    public func loadSession() async throws -> ChatGPTSession? {
        let store = try await chosen().store, key = try key()
        return try await reporting { () async throws(SecretStoreError) in try await store.lookup(key) }
            .map { (secret) throws(AgentRuntimeError) in try SessionCoding.decode(secret.reveal()) }
    }

    public func saveSession(_ session: ChatGPTSession) async throws {
        let store = try await chosen().store, key = try key(), secret = Secret(try SessionCoding.encode(session))
        try await reporting { () async throws(SecretStoreError) in try await store.store(secret, for: key) }
    }

    public func deleteSession() async throws {
        let store = try await chosen().store, key = try key()
        _ = try await reporting { () async throws(SecretStoreError) in try await store.remove(key) }
    }

    /// In the data folder: the runtime folder goes when the user logs out, while a service of theirs may live on.
    public var lockPath: String? {
        guard let folder = StoreChoice.folder(environment: environment) else { return nil }
        let name = FormCoding.encode(service) + "." + FormCoding.encode(account)
        return folder + "/locks/" + name + ".lock"
    }

    private func key() throws(AgentRuntimeError) -> SecretKey {
        guard let key = SecretKey(service: service, account: account) else {
            throw AgentRuntimeError(
                code: .invalidConfiguration, message: "The service and account of the session's store must be 1 to 64 bytes of plain text.")
        }
        return key
    }

    private func chosen() async throws(AgentRuntimeError) -> ChosenSecretStore {
        try await reporting { () async throws(SecretStoreError) in try await choice.chosen() }
    }

    private func reporting<Value>(_ body: () async throws(SecretStoreError) -> Value) async throws(AgentRuntimeError) -> Value {
        do throws(SecretStoreError) {
            return try await body()
        } catch {
            let isMissing =
                switch error {
                case .libraryMissing, .noService, .noCollection, .locked: fallback == .none
                default: false
                }
            let hint = isMissing ? " Or allow a file with \(Self.fallbackVariable)=file." : ""
            throw AgentRuntimeError(code: .sessionStoreFailed, message: "The session's store failed: \(error.description)\(hint)")
        }
    }
}

extension KeychainSessionSecureStore.Fallback {
    fileprivate var preference: SecretStorePreference {
        switch self {
        case .none: .service
        case .file: .automatic
        case .alwaysFile: .file
        }
    }
}

/// Looks once for the place where secrets are kept; again after a failure.
private actor StoreChoice {
    private let preference: SecretStorePreference
    private let environment: [String: String]
    private var made: ChosenSecretStore?

    init(preference: SecretStorePreference, environment: [String: String]) {
        self.preference = preference
        self.environment = environment
    }

    func chosen() async throws(SecretStoreError) -> ChosenSecretStore {
        if let made { return made }
        guard let folder = Self.folder(environment: environment) else { throw .file(.noHome) }
        let chosen = try await chooseSecretStore(preference: preference, environment: environment, stateHome: folder)
        made = chosen
        return chosen
    }

    /// Our folder in the user's data; `nil` without a home.
    static func folder(environment: [String: String]) -> String? {
        guard let directories = try? BaseDirectories(environment: environment) else { return nil }
        return directories.dataHome.dropLast(BaseDirectories.folder.count) + "codexkit"
    }
}
