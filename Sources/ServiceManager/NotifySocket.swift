import EventLoop
import Glibc

/// A socket that can say one thing at a time to the service manager, and never waits.
final class NotifySocket: Sendable {
    private let address: NotifyAddress
    private let descriptor: Int32

    /// - Throws: ``SystemError`` when the process is out of descriptors.
    init(_ address: NotifyAddress) throws(SystemError) {
        self.address = address
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
    }

    deinit { close(descriptor) }

    /// - Throws: ``SystemError``: EAGAIN while the manager has too much to read, ECONNREFUSED or ENOENT when it is gone.
    func send(_ bytes: [UInt8]) throws(SystemError) {
        while true {
            let sent = address.withNative { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
            if sent >= 0 { return }
            let code = errno
            if code != EINTR { throw SystemError(call: "sendto", code: code) }
        }
    }
}
