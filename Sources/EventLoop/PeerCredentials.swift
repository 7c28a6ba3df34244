import CLinux
import Glibc

/// Who is at the other end of a unix socket, as the kernel noted it when the connection was made.
public struct PeerCredentials: Hashable, Sendable {
    public let processID: Int32
    public let userID: UInt32
    public let groupID: UInt32
}

extension StreamSocket {
    /// Who connected; `nil` for TCP, and once closed.
    public var peerCredentials: PeerCredentials? {
        guard descriptor >= 0, SocketAddress.local(of: descriptor)?.family == AF_UNIX else { return nil }
        var raw = deck_credentials()
        guard deck_peer_credentials(descriptor, &raw) == 0 else { return nil }
        return PeerCredentials(processID: raw.pid, userID: raw.uid, groupID: raw.gid)
    }

    /// Small messages go out at once instead of waiting for the last one's acknowledgement.
    static func disableNagle(_ descriptor: Int32) {
        var on: Int32 = 1
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
