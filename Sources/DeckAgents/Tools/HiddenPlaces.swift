import Glibc

/// Files and folders with secrets, which no tool shows to a model: keys, tokens and sessions of the owner and of this node.
struct HiddenPlaces: Hashable, Sendable {
    /// Absolute paths.
    var paths: [String]
    /// What lay there once: it stays hidden from whoever looks for it under another name.
    var known: Set<FileIdentity> = []

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
            ".mozilla", ".thunderbird", ".bash_history", ".zsh_history", ".python_history", ".cargo/credentials.toml", ".cargo/credentials",
            "snap", ".var/app", ".claude", ".vault-token", ".my.cnf", ".terraform.d", ".m2/settings.xml", ".gem", ".boto", ".s3cfg", ".fly", ".pki",
            ".Xauthority",
        ].map { home + "/" + $0 }
        paths += [
            "gh", "gcloud", "google-chrome", "chromium", "BraveSoftware", "codex-deck", "git/credentials", "rclone", "containers", "op", "hub",
            "doctl", "microsoft-edge", "vivaldi", "Signal",
        ].map { config + "/" + $0 }
        paths += ["keyrings", "codexkit", "codex-deck", "kwalletd", "fish", "gnupg"].map { data + "/" + $0 }
        paths += [state + "/codex-deck", folder("CODEX_HOME", ".codex")] + more
        // Sockets of the session, wherever they lie: through them a command could have others act for it, this node included.
        paths += ["XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "GPG_AGENT_INFO"].compactMap { variables[$0] }.filter { $0.hasPrefix("/") }
    }

    /// Those that exist now, whatever else they are called.
    var identities: Set<FileIdentity> {
        Set(
            paths.compactMap { path in
                var status = stat()
                return stat(path, &status) == 0 ? FileIdentity(status) : nil
            })
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

/// A file whatever it is called.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
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
