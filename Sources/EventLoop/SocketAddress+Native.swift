import CLinux
import Glibc

extension SocketAddress {
    var family: Int32 {
        switch storage {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Lends the kernel's form of the address.
    func withNative<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        switch storage {
        case .ipv4(let address, let port):
            var native = sockaddr_in()
            native.sin_family = sa_family_t(AF_INET)
            native.sin_port = port.bigEndian
            native.sin_addr.s_addr = address.bigEndian
            return Self.lend(&native, MemoryLayout<sockaddr_in>.size, body)
        case .ipv6(let bytes, let port, let scope):
            var native = sockaddr_in6()
            native.sin6_family = sa_family_t(AF_INET6)
            native.sin6_port = port.bigEndian
            native.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &native.sin6_addr) { $0.copyBytes(from: bytes.prefix($0.count)) }
            return Self.lend(&native, MemoryLayout<sockaddr_in6>.size, body)
        case .unix(let path):
            var native = sockaddr_un()
            native.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &native.sun_path) { $0.copyBytes(from: path.utf8.prefix(Self.maximumPathLength)) }
            let length = Self.pathOffset + path.utf8.count + 1
            return Self.lend(&native, length, body)
        }
    }

    /// Reads what the kernel filled in; `nil` for a family that is none of ours.
    init?(native: sockaddr_storage, length: Int) {
        var native = native
        let family = Int32(native.ss_family)
        let storage: Storage? = withUnsafeBytes(of: &native) { raw in
            switch family {
            case AF_INET:
                let four = raw.load(as: sockaddr_in.self)
                return .ipv4(UInt32(bigEndian: four.sin_addr.s_addr), port: UInt16(bigEndian: four.sin_port))
            case AF_INET6:
                var six = raw.load(as: sockaddr_in6.self)
                let bytes = withUnsafeBytes(of: &six.sin6_addr) { Array($0) }
                return .ipv6(bytes, port: UInt16(bigEndian: six.sin6_port), scope: six.sin6_scope_id)
            case AF_UNIX:
                let path = raw.prefix(max(0, min(length, raw.count))).dropFirst(Self.pathOffset).prefix { $0 != 0 }
                return .unix(String(decoding: path, as: UTF8.self))
            default: return nil
            }
        }
        guard let storage else { return nil }
        self.storage = storage
    }

    /// The address of this end of a socket.
    static func local(of descriptor: Int32) -> SocketAddress? { read { getsockname(descriptor, $0, $1) } }

    /// The address of the other end of a socket.
    static func peer(of descriptor: Int32) -> SocketAddress? { read { getpeername(descriptor, $0, $1) } }

    static func read(_ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) -> SocketAddress? {
        var native = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = withUnsafeMutablePointer(to: &native) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
        return code == 0 ? SocketAddress(native: native, length: Int(length)) : nil
    }

    private static var pathOffset: Int { MemoryLayout<sa_family_t>.size }

    private static func lend<Native, Result>(
        _ native: inout Native, _ length: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &native) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
