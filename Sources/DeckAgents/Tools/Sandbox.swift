import Glibc

/// How a command is confined with bubblewrap: a value that only makes words.
///
/// The computer can be read but for what is hidden, the working folder written; there is no network unless asked for, no other process to be
/// seen, no socket of a service to talk to (`/run`, `/tmp`), and everything ends with the command.
struct Sandbox: Hashable, Sendable {
    /// The path of `bwrap`.
    var program: String
    /// Absolute and without links.
    var folder: String
    /// Files and folders that exist and are not to be read, absolute and without links.
    var hidden: [Hidden]

    struct Hidden: Hashable, Sendable {
        var path: String
        var isFolder: Bool
    }

    /// The command and everything before it.
    func words(of command: [String], network: Bool) -> [String] {
        // Named one by one: a hardened service may make these and no others.
        var words = [program, "--unshare-user", "--unshare-ipc", "--unshare-pid"] + (network ? [] : ["--unshare-net"])
        words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"]
        // Where systems with systemd-resolved keep the servers of names; files, no sockets.
        if network { for name in Self.resolverFiles { words += ["--ro-bind-try", name, name] } }
        // What hides the folder too is covered before the folder is put in, so that the rest of it stays hidden.
        let (around, within) = (hidden.filter { Self.contains($0.path, folder) }, hidden.filter { !Self.contains($0.path, folder) })
        for place in around { words += ["--tmpfs", place.path] }
        if folder != "/" { words += ["--bind", folder, folder] }
        for place in around where place.path != folder { words += ["--remount-ro", place.path] }
        for place in within {
            words += place.isFolder ? ["--tmpfs", place.path, "--remount-ro", place.path] : ["--ro-bind", "/dev/null", place.path]
        }
        return words + ["--chdir", folder, "--"] + command
    }

    private static let resolverFiles = [
        "/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf", "/run/resolvconf/resolv.conf", "/run/NetworkManager/resolv.conf",
    ]

    /// Whether `path` is `folder` or lies in it.
    static func contains(_ folder: String, _ path: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? "/" : folder + "/")
    }
}
