import Glibc

/// Where the service manager listens for states: a path, or a name in the kernel's abstract space.
public struct NotifyAddress: Hashable, Sendable {
    /// As it stands in the address: an abstract name begins with a zero byte.
    let bytes: [UInt8]

    /// What fits beside the family, with the zero that ends a path.
    private static let capacity = 108

    /// - Parameter text: An absolute path of at most 107 bytes, or `@` and a name of at most 107. Anything else gives `nil`; so do the addresses
    ///   of virtual machines, which this program is never started behind.
    public init?(_ text: String) {
        let utf8 = Array(text.utf8)
        guard utf8.count > 1, utf8.count < Self.capacity, !utf8.contains(0) else { return nil }
        switch utf8[0] {
        case UInt8(ascii: "/"): bytes = utf8
        case UInt8(ascii: "@"): bytes = [0] + utf8.dropFirst()
        default: return nil
        }
    }

    /// Lends the kernel's form of the address.
    func withNative<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var native = sockaddr_un()
        native.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &native.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        // The length ends an abstract name; a path is ended by the zero after it.
        let length = MemoryLayout<sa_family_t>.size + bytes.count + (bytes[0] == 0 ? 0 : 1)
        return withUnsafePointer(to: &native) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}
