import Files
import Glibc
import JSON
import Log
import RelayProtocol
import Secrets

/// What the client keeps on disk: profiles, what the merge remembers, the last snapshot of each node, the settings and the tokens.
///
/// Tokens are in the secret store only, never in the other files.
public struct ClientStore: Sendable {
    /// The name under which tokens are kept.
    public static let tokenService = "codex-deck relay token"

    public let environment: ClientEnvironment
    private var state: String { environment.directories.stateHome + "/client" }
    private var cache: String { environment.directories.cacheHome + "/snapshots" }
    private var profilesPath: String { state + "/nodes.json" }
    private var memoryPath: String { state + "/memory.json" }
    /// Held by the one engine that writes, for as long as it runs.
    private var lockPath: String { state + "/engine.lock" }
    var databasePath: String { state + "/events.db" }
    /// What widgets read.
    public var widgetPath: String { state + "/widget.json" }
    /// Where the settings are, which their owner may edit.
    public var settingsPath: String { environment.directories.configHome + "/client.json" }
    /// Where a running engine listens.
    public var socketPath: String { environment.directories.runtimeDirectory + "/client.sock" }

    public init(_ environment: ClientEnvironment) { self.environment = environment }

    // MARK: Profiles

    /// Reads the profiles; a damaged file is set aside and named in the log.
    public func profiles() throws -> ProfileBook {
        guard let bytes = try read(profilesPath, limit: 1 << 20) else { return ProfileBook() }
        do { return try ProfileBook(decoding: bytes) } catch {
            try setAside(profilesPath, "\(error)")
            return ProfileBook()
        }
    }

    /// Changes the profiles while no other command does.
    public func update<Result>(_ change: (inout ProfileBook) throws -> Result) throws -> Result {
        try makeFolder()
        return try AdvisoryLock.hold(state + "/nodes.lock") {
            var book = try profiles()
            let before = book
            let result = try change(&book)
            if book != before { try AtomicFile.write(book.encoded(), to: profilesPath) }
            return result
        }
    }

    // MARK: The engine's own

    /// Makes the folder of the state, for those who write there by themselves.
    func makeFolder() throws {
        try PrivateDirectory.ensure(environment.directories.stateHome)
        try PrivateDirectory.ensure(state)
    }

    /// Takes the place of the one engine that writes.
    ///
    /// - Parameter waiting: Whether to block until the present one ends.
    /// - Throws: ``LockError``, `.heldBy` when another engine runs.
    func engineLock(waiting: Bool = false) throws -> AdvisoryLock {
        try makeFolder()
        return try AdvisoryLock(lockPath, waiting: waiting)
    }

    // MARK: Settings

    /// The settings; what is wrong in the file is said in the log and counts as its default.
    public func settings() -> ClientSettings {
        do {
            let (settings, problems) = try settingsDocument().settings()
            for problem in problems { environment.logger.logOnce("setting \(problem)", .warning, "\(settingsPath): \(problem)") }
            return settings
        } catch {
            environment.logger.logOnce("settings", .warning, "\(settingsPath) is not used: \(error)")
            return ClientSettings()
        }
    }

    /// The file of the settings; an empty one when there is none.
    ///
    /// - Throws: ``SettingsError/damaged`` or ``FileError``.
    public func settingsDocument() throws -> SettingsDocument {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(settingsPath, limit: SettingsDocument.maximumBytes)
        } catch {
            if case .missing = error { return SettingsDocument() }
            throw error
        }
        return try SettingsDocument(decoding: bytes)
    }

    /// Changes the settings while no other command does. A file that makes no sense is left as it is, for its owner wrote it.
    public func updateSettings<Result>(_ change: (inout SettingsDocument) throws -> Result) throws -> Result {
        try makeFolder()
        return try AdvisoryLock.hold(state + "/settings.lock") {
            var document = try settingsDocument()
            let before = document
            let result = try change(&document)
            guard document != before else { return result }
            try PrivateDirectory.ensure(environment.directories.configHome)
            try AtomicFile.write(document.encoded(), to: settingsTarget)
            return result
        }
    }

    /// Where the file really is: owners keep their settings elsewhere and link to them, and the link is to stay.
    private var settingsTarget: String {
        guard let resolved = realpath(settingsPath, nil) else { return settingsPath }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    // MARK: Memory

    /// What was acknowledged and joined; damaged memory is set aside.
    public func memory() throws -> MergeMemory {
        guard let bytes = try read(memoryPath, limit: 4 << 20) else { return MergeMemory() }
        do { return try MergeMemory(decoding: bytes) } catch {
            try setAside(memoryPath, "\(error)")
            return MergeMemory()
        }
    }

    public func save(_ memory: MergeMemory) throws {
        try makeFolder()
        try AtomicFile.write(memory.encoded(), to: memoryPath)
    }

    // MARK: Snapshots

    /// The last snapshot of a node and its host; `nil` when there is none or it is of no use any more.
    public func cachedSnapshot(of profileID: String) -> (host: Host, report: HostReport)? {
        guard let bytes = try? read(snapshotPath(profileID), limit: 1 << 17) ?? [] else { return nil }
        guard let end = bytes.firstIndex(of: 0x0a), let received = Int64(String(decoding: bytes[..<end], as: UTF8.self)),
            let receivedAt = UnixMilliseconds(received),
            case .snapshot(let host, let observedAt, let snapshot)? = try? NodeMessage(decoding: bytes[(end + 1)...])
        else { return nil }  // A cache that cannot be read is as good as none: the node sends its state again.
        return (host, HostReport(snapshot: snapshot, observedAt: observedAt, receivedAt: receivedAt))
    }

    func cache(_ view: HostView) throws {
        guard let report = view.report else { return }
        try PrivateDirectory.ensure(environment.directories.cacheHome)
        try PrivateDirectory.ensure(cache)
        let message = NodeMessage.snapshot(host: view.host, observedAt: report.observedAt, report.snapshot)
        try AtomicFile.write(Array("\(report.receivedAt.value)\n".utf8) + message.encoded(), to: snapshotPath(view.profileID))
    }

    private func snapshotPath(_ profileID: String) -> String { cache + "/\(profileID).snapshot" }

    // MARK: Tokens

    /// The store in use; `file` insists on files, else the keyring is taken when the session has one.
    public func secrets(file: Bool = false) async throws -> ChosenSecretStore {
        let isFile = file || environment.variables["CODEX_DECK_SECRETS"] == "file"
        let preference = isFile ? SecretStorePreference.file : settings().secrets
        return try await chooseSecretStore(
            preference: preference, environment: environment.variables, stateHome: environment.directories.stateHome)
    }

    public static func tokenKey(_ profileID: String) -> SecretKey? { SecretKey(service: tokenService, account: profileID) }

    /// Deletes a profile with its token and its snapshot.
    public func remove(_ profile: NodeProfile) async throws {
        if let key = Self.tokenKey(profile.id) { try await secrets().store.remove(key) }
        _ = try File.remove(snapshotPath(profile.id))
        _ = try update { try $0.remove(id: profile.id) }
    }

    // MARK: Files

    private func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            _ = try PrivateFile.check(path)
            return try File.read(path, limit: limit, followingLink: false)
        } catch {
            if case .missing = error { return nil }
            throw error
        }
    }

    private func setAside(_ path: String, _ reason: String) throws {
        let moved = try DamagedFile.setAside(path, now: .milliseconds(environment.now().value))
        environment.logger.warning("\(reason) It is now \(moved).")
    }
}
