import Glibc

/// Files and folders with secrets, which no tool shows to a model: keys, tokens and sessions of the owner and of this node.
struct HiddenPlaces: Hashable, Sendable {
    /// Absolute paths.
    var paths: [String]

    init(_ paths: [String]) { self.paths = paths }

    /// The usual ones of a user.
    init(variables: [String: String], home: String, also more: [String] = []) {
        func folder(_ variable: String, _ usual: String) -> String {
            variables[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/" + usual
        }
        let (data, config, state) = (
            folder("XDG_DATA_HOME", ".local/share"), folder("XDG_CONFIG_HOME", ".config"), folder("XDG_STATE_HOME", ".local/state")
        )
        paths = [
            ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".pgpass", ".npmrc", ".pypirc", ".password-store",
            ".mozilla", ".thunderbird", ".bash_history", ".zsh_history",
        ].map { home + "/" + $0 }
        paths += ["gh", "gcloud", "google-chrome", "chromium", "BraveSoftware", "codex-deck"].map { config + "/" + $0 }
        paths += ["keyrings", "codexkit", "codex-deck", "kwalletd"].map { data + "/" + $0 }
        paths += [state + "/codex-deck", folder("CODEX_HOME", ".codex")] + more
        // Sockets of the session, wherever they lie: through them a command could have others act for it, this node included.
        paths += ["XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "GPG_AGENT_INFO"].compactMap { variables[$0] }.filter { $0.hasPrefix("/") }
    }

    /// Those that exist now, by their real names.
    var existing: [Sandbox.Hidden] {
        paths.compactMap { path in
            guard let real = RealPath.of(path) else { return nil }
            var status = stat()
            guard lstat(real, &status) == 0 else { return nil }
            return Sandbox.Hidden(path: real, isFolder: status.st_mode & S_IFMT == S_IFDIR)
        }
    }
}

/// Paths without links.
enum RealPath {
    /// `nil` when there is nothing.
    static func of(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
