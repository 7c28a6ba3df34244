import Glibc

/// Where this user's files of Codex Deck live, after the XDG base directory specification. Nothing is created here.
public struct BaseDirectories: Sendable, Equatable {
    /// The user's home folder.
    public let home: String
    /// State that should outlive a restart: `~/.local/state/codex-deck`.
    public let stateHome: String
    /// Settings: `~/.config/codex-deck`.
    public let configHome: String
    /// Data of the user: `~/.local/share/codex-deck`.
    public let dataHome: String
    /// What may be deleted at any time: `~/.cache/codex-deck`.
    public let cacheHome: String
    /// Sockets: below `XDG_RUNTIME_DIR`, else `/run/user/<uid>`, else `run` in the state folder.
    public let runtimeDirectory: String

    /// The name of our folder in each of them.
    public static let folder = "codex-deck"

    /// - Parameters:
    ///   - environment: Where `HOME` and the `XDG_` variables are looked up; empty and relative values count as unset.
    ///   - user: The user id in `/run/user/<uid>`, and the owner that a runtime folder must have.
    /// - Throws: ``FileError/noHome``.
    public init(environment: [String: String], user: UInt32 = geteuid()) throws(FileError) {
        try self.init(environment: environment, user: user, homeInUserDatabase: Self.homeInUserDatabase, isOwnFolder: Self.isOwnFolder)
    }

    init(
        environment: [String: String], user: UInt32, homeInUserDatabase: (UInt32) -> String?, isOwnFolder: (String, UInt32) -> Bool
    ) throws(FileError) {
        func absolute(_ name: String) -> String? { environment[name].flatMap(Self.absolute) }
        guard let home = absolute("HOME") ?? homeInUserDatabase(user).flatMap(Self.absolute) else { throw .noHome }
        func folder(_ name: String, _ fallback: String) -> String {
            Self.join(absolute(name) ?? Self.join(home, fallback), Self.folder)
        }
        self.home = home
        let stateHome = folder("XDG_STATE_HOME", ".local/state")
        self.stateHome = stateHome
        configHome = folder("XDG_CONFIG_HOME", ".config")
        dataHome = folder("XDG_DATA_HOME", ".local/share")
        cacheHome = folder("XDG_CACHE_HOME", ".cache")
        // After `su` or `sudo` the variable may still name the folder of the other user, which is none for us.
        let candidates = [absolute("XDG_RUNTIME_DIR"), "/run/user/\(user)"].compactMap { $0 }
        let runtime = candidates.first { isOwnFolder($0, user) }
        runtimeDirectory = runtime.map { Self.join($0, Self.folder) } ?? Self.join(stateHome, "run")
    }

    /// The path without slashes at its end, or `nil` when it is not absolute.
    private static func absolute(_ path: String) -> String? {
        guard path.hasPrefix("/") else { return nil }
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func join(_ base: String, _ name: String) -> String { base == "/" ? "/" + name : base + "/" + name }

    private static func isOwnFolder(_ path: String, _ user: UInt32) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.isDirectory && status.st_uid == user
    }

    private static func homeInUserDatabase(_ user: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16384)
        guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, found != nil, let home = entry.pw_dir else { return nil }
        return String(cString: home)
    }
}
