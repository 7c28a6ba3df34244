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
        let (around, within) = places
        if let around { words += ["--tmpfs", around.path] }
        if folder != "/" { words += ["--bind", folder, folder] }
        if let around, around.path != folder { words += ["--remount-ro", around.path] }
        for place in within {
            words += place.isFolder ? ["--tmpfs", place.path, "--remount-ro", place.path] : ["--ro-bind", "/dev/null", place.path]
        }
        return words + ["--chdir", folder, "--"] + command
    }

    /// The outermost place that hides the folder too, and those that are hidden beside or in it: nothing can be mounted in what is covered already.
    private var places: (around: Hidden?, within: [Hidden]) {
        let around = hidden.filter { Self.contains($0.path, folder) }.min { $0.path.utf8.count < $1.path.utf8.count }
        let within = Set(hidden).filter { place in
            guard !Self.contains(place.path, folder) else { return false }
            return !hidden.contains { outer in
                outer.path != place.path && Self.contains(outer.path, place.path)
                    && !(Self.contains(outer.path, folder) && Self.contains(folder, place.path))
            }
        }
        return (around, within.sorted { $0.path < $1.path })
    }

    private static let resolverFiles = [
        "/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf", "/run/resolvconf/resolv.conf", "/run/NetworkManager/resolv.conf",
    ]

    /// Whether `path` is `folder` or lies in it.
    static func contains(_ folder: String, _ path: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? "/" : folder + "/")
    }
}
