import EventLoop
import Glibc

/// Makes the next close of a connection a reset. The loop's sockets keep their descriptor to themselves, so it is found by its addresses.
enum SocketReset {
    static func prepare(from local: SocketAddress?, to peer: SocketAddress?) {
        guard let local = local?.port, let peer = peer?.port else { return }
        for descriptor in Int32(3)..<1024 where port(of: descriptor, getsockname) == local && port(of: descriptor, getpeername) == peer {
            var value = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        }
    }

    private typealias Query = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

    private static func port(of descriptor: Int32, _ query: Query) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { query(descriptor, $0, &length) }
        }
        return code == 0 && address.sin_family == UInt16(AF_INET) ? UInt16(bigEndian: address.sin_port) : nil
    }
}
