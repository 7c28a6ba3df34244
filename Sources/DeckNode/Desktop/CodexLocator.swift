import Glibc

/// Finds the Codex CLI. A service has a shorter `PATH` than its user's shell, so the folders of the usual installers are looked at too.
public struct CodexLocator: Sendable {
    /// A CLI that can be run.
    public struct Found: Hashable, Sendable {
        public let path: String
        /// The `PATH` to run it with: the CLI from npm is a script that needs the `node` beside it.
        public let searchPath: String
    }

    /// Why there is none.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The setting `codex.path` names something that cannot be run.
        case setting(String)
        /// It is in none of these folders.
        case nowhere([String])

        /// One sentence with paths in it: for the owner, not for screens.
        public var description: String {
            switch self {
            case .setting(let path):
                "The setting codex.path names \(path), which is no program this user may run; correct it with `decknode config set codex.path`."
            case .nowhere(let folders):
                "There is no `codex` in \(Self.shortened(folders)); install it, or tell where it is with `decknode config set codex.path`."
            }
        }

        private static func shortened(_ folders: [String]) -> String {
            let first = folders.prefix(3).joined(separator: ", ")
            return folders.count > 3 ? "\(first), and \(folders.count - 3) more folders" : first
        }
    }

    let setting: String?
    let home: String
    let searchPath: String?

    /// - Parameters:
    ///   - setting: ``NodeSettings/codexPath``: when it is set nothing else is looked at.
    ///   - home: The home folder.
    ///   - variables: Where `PATH` is looked up.
    public init(setting: String?, home: String, variables: [String: String]) {
        self.setting = setting
        self.home = home
        searchPath = variables["PATH"]
    }

    public func locate() -> Result<Found, Failure> {
        if let setting { return ExecutableSearch.isExecutable(setting) ? .success(found(setting)) : .failure(.setting(setting)) }
        let folders = self.folders
        guard let path = folders.lazy.map({ $0 + "/codex" }).first(where: ExecutableSearch.isExecutable) else { return .failure(.nowhere(folders)) }
        return .success(found(path))
    }

    private func found(_ path: String) -> Found {
        let usual = ExecutableSearch(path: searchPath).folders
        let own = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        return Found(path: path, searchPath: (usual.contains(own) || own.isEmpty ? usual : [own] + usual).joined(separator: ":"))
    }

    /// Where it is looked for, in order, each folder once.
    var folders: [String] {
        let below = [".local/bin", ".npm-global/bin"].map { home + "/" + $0 }
        let others = [".volta/bin", ".bun/bin", ".local/share/pnpm", ".cargo/bin", ".asdf/shims", ".local/share/mise/shims"].map { home + "/" + $0 }
        let system = ["/usr/local/bin", "/usr/bin", "/home/linuxbrew/.linuxbrew/bin"]
        var seen: Set<String> = []
        return (ExecutableSearch(path: searchPath).folders + below + nodeVersions + others + system).filter { seen.insert($0).inserted }
    }

    /// The folders of nvm, the newest version of Node first.
    private var nodeVersions: [String] {
        let root = home + "/.nvm/versions/node"
        guard let stream = opendir(root) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < 100, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
            if name.hasPrefix("v") { names.append(name) }
        }
        func numbers(_ name: String) -> [Int] { name.dropFirst().split(separator: ".").map { Int($0) ?? -1 } }
        return names.sorted { numbers($1).lexicographicallyPrecedes(numbers($0)) }.map { root + "/" + $0 + "/bin" }
    }
}
