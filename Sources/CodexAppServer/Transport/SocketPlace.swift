import EventLoop
import Glibc

/// A socket file, found through whatever links lead to it.
///
/// The CLI's path is a symbolic link to a socket with a shorter path, because a unix socket's path has little room.
struct SocketPlace {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// - Throws: ``TransportEnd/absent`` when nothing is there, ``TransportEnd/lost(_:)`` when it cannot be looked at.
    init(of path: String) throws(TransportEnd) {
        guard let real = realpath(path, nil) else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { throw .absent }
            throw .lost(SystemError(call: "realpath", code: code).description)
        }
        defer { free(real) }
        var information = stat()
        guard stat(real, &information) == 0 else { throw .absent }
        self.path = String(cString: real)
        (device, inode) = (information.st_dev, information.st_ino)
    }

    func address() throws(TransportEnd) -> SocketAddress {
        do throws(SocketAddressError) { return try SocketAddress(unixPath: path) } catch { throw .lost("\(error)") }
    }

    /// Whether `path` leads to another socket by now. One that leads nowhere has no other.
    func isSucceeded(at path: String) -> Bool {
        var information = stat()
        guard stat(path, &information) == 0 else { return false }
        return (information.st_dev, information.st_ino) != (device, inode)
    }
}
