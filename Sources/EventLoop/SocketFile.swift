import CLinux
import Glibc

/// The file of a unix socket that this process made, and how to remove that very file again.
struct SocketFile: Sendable {
    let path: String
    private let device: UInt
    private let inode: UInt

    /// Binds `descriptor` to `path` with mode 0600.
    ///
    /// The folder is locked meanwhile: of two processes that both find a dead socket, the second would otherwise remove
    /// the one that the first has just made.
    static func bind(_ descriptor: Int32, to path: String, _ address: SocketAddress) throws(BindError) -> SocketFile {
        let folder = folder(of: path)
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else {
            let code = errno
            throw code == EACCES ? .permission(address) : .unsafeFolder(folder)
        }
        defer { Glibc.close(lock) }
        guard isPrivate(lock) else { throw .unsafeFolder(folder) }
        guard takeLock(lock) else { throw .addressInUse(address) }

        // Linux gives the file the descriptor's mode less the umask: never, not for a moment, is it open to others.
        guard fchmod(descriptor, 0o600) == 0 else { throw .system(.last("fchmod"), address) }
        var code = address.withNative { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
        if code == EADDRINUSE {
            try removeIfDead(path, address)
            code = address.withNative { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
        }
        if code != 0 { throw .from("bind", code, address) }
        // A umask that takes even the owner's bits away would leave a socket nobody can use.
        guard chmod(path, 0o600) == 0, let made = identity(path) else { throw .system(.last("chmod"), address) }
        return SocketFile(path: path, device: made.device, inode: made.inode)
    }

    /// Removes the file, unless another has taken its place.
    func remove() {
        guard let now = Self.identity(path), now.device == device, now.inode == inode else { return }
        unlink(path)
    }

    private static func removeIfDead(_ path: String, _ address: SocketAddress) throws(BindError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }   // gone meanwhile
        guard status.st_mode & 0o170000 == 0o140000 else { throw .notASocket(path) }
        let probe = deck_stream_socket(AF_UNIX)
        guard probe >= 0 else { throw .system(.last("socket"), address) }
        defer { Glibc.close(probe) }
        let code = address.withNative { Glibc.connect(probe, $0, $1) == 0 ? 0 : errno }
        // Only a refusal proves that nobody listens: a full backlog or a missing permission does not.
        guard code == ECONNREFUSED || code == ENOENT else { throw .addressInUse(address) }
        guard code == ENOENT || unlink(path) == 0 else { throw .from("unlink", errno, address) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func isPrivate(_ folder: Int32) -> Bool {
        var status = stat()
        return fstat(folder, &status) == 0 && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
    }

    private static func takeLock(_ folder: Int32) -> Bool {
        for attempt in 0..<20 {
            if attempt > 0 { usleep(1000) }
            if flock(folder, LOCK_EX | LOCK_NB) == 0 { return true }
            if errno != EWOULDBLOCK && errno != EINTR { return true }   // a file system without locks
        }
        return false
    }

    private static func identity(_ path: String) -> (device: UInt, inode: UInt)? {
        var status = stat()
        return lstat(path, &status) == 0 ? (UInt(status.st_dev), UInt(status.st_ino)) : nil
    }
}
