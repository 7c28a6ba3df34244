/// Why a listener could not be opened.
public enum BindError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process, or this one, listens there.
    case addressInUse(SocketAddress)
    /// No interface of this computer has the address.
    case addressNotAvailable(SocketAddress)
    /// Not allowed: a low port, or a folder that cannot be written.
    case permission(SocketAddress)
    /// The folder of a unix socket is not a folder of this user that no one else can write to, or does not exist.
    case unsafeFolder(String)
    /// Something that is not a socket has the path.
    case notASocket(String)
    /// Another failure.
    case system(SystemError, SocketAddress)

    public var description: String {
        switch self {
        case .addressInUse(let address):
            "\(address) is already in use by another program; stop it or choose another address."
        case .addressNotAvailable(let address):
            "This computer does not have the address \(address) now; choose one that `ip address` lists."
        case .permission(let address):
            "This user may not listen on \(address); choose a port of 1024 or more, or a folder of your own."
        case .unsafeFolder(let path):
            "The folder \(path) must exist, belong to you and be writable by you only before a socket can be made in it."
        case .notASocket(let path):
            "\(path) exists and is not a socket; move it away."
        case .system(let error, let address):
            "Listening on \(address) failed: \(SystemError.text(error.code)) (\(error.call), errno \(error.code))."
        }
    }
}
