import Files
import Glibc
import Log

/// Where the user wants secrets to be kept.
public enum SecretStorePreference: String, Sendable, CaseIterable {
    /// The keyring when the session has one that is open, else files.
    case automatic
    case file
    case service
}

/// The store in use.
public struct ChosenSecretStore: Sendable {
    public enum Place: String, Sendable { case service, file }

    public let store: any SecretStore
    public let place: Place
    /// One sentence about what is lost with files, to be said once; `nil` for the keyring.
    public let remark: String?
}

/// Chooses where secrets are kept.
///
/// - Parameters:
///   - environment: Tells whether there is a session bus; without one libsecret is not even loaded.
///   - stateHome: The state folder of the program, for files.
///   - service: The keyring.
/// - Throws: What ``SecretStorePreference/service`` lacks; the other preferences always give a store.
public func chooseSecretStore(
    preference: SecretStorePreference, environment: [String: String], stateHome: String,
    service: SecretServiceStore = SecretServiceStore()
) async throws(SecretStoreError) -> ChosenSecretStore {
    let files = FileSecretStore(stateHome: stateHome)
    guard preference != .file else {
        return ChosenSecretStore(store: files, place: .file, remark: remark(files.folder, because: "the settings say so"))
    }
    do throws(SecretStoreError) {
        guard SessionBus.isThere(environment: environment) else { throw .noService }
        try await service.probe()
    } catch {
        guard preference == .automatic else { throw error }
        return ChosenSecretStore(store: files, place: .file, remark: remark(files.folder, because: reason(error)))
    }
    guard preference == .automatic else { return ChosenSecretStore(store: service, place: .service, remark: nil) }
    return ChosenSecretStore(store: MigratingSecretStore(new: service, old: files), place: .service, remark: nil)
}

private func remark(_ folder: String, because reason: String) -> String {
    "Secrets are kept in files below \(folder), as \(reason): only you can read them, but unlike in a keyring they are not encrypted."
}

private func reason(_ error: SecretStoreError) -> String {
    switch error {
    case .libraryMissing: "libsecret is not installed"
    case .noService: "this session has no keyring"
    case .noCollection: "the keyring is not set up"
    case .locked: "the keyring is locked"
    case .timedOut: "the keyring does not answer"
    case .refused, .unfitting, .damaged, .file: "the keyring refuses them"
    }
}

/// Whether libsecret could reach a session bus at all.
enum SessionBus {
    static func isThere(environment: [String: String]) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return false }
        return access(runtime + "/bus", F_OK) == 0
    }
}

/// Keeps secrets in a new store and still finds those that were put in an old one when the new was not there.
struct MigratingSecretStore: SecretStore {
    let new: any SecretStore
    let old: any SecretStore

    func store(_ secret: Secret, for key: SecretKey) async throws(SecretStoreError) {
        try await new.store(secret, for: key)
        try await old.remove(key)
    }

    func lookup(_ key: SecretKey) async throws(SecretStoreError) -> Secret? {
        if let secret = try await new.lookup(key) { return secret }
        return try await old.lookup(key)
    }

    func remove(_ key: SecretKey) async throws(SecretStoreError) -> Bool {
        let inOld = try await old.remove(key)
        let inNew = try await new.remove(key)
        return inOld || inNew
    }
}
