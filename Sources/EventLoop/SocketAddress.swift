import CLinux
import Glibc

/// Where a stream socket listens or connects: an IPv4 or IPv6 address and a port, or a path.
public struct SocketAddress: Hashable, Sendable {
    enum Storage: Hashable, Sendable {
        case ipv4(UInt32, port: UInt16)   // host byte order
        case ipv6([UInt8], port: UInt16, scope: UInt32)
        case unix(String)
    }

    let storage: Storage

    /// The longest path a unix socket may have, in UTF-8 bytes: the kernel's 108 less the closing NUL.
    public static let maximumPathLength = 107

    init(storage: Storage) { self.storage = storage }

    /// A numeric address: four decimal numbers, or IPv6 with or without brackets and `%zone`. Names are not looked up.
    ///
    /// - Throws: ``SocketAddressError/notNumeric(_:)``.
    public init(host: some StringProtocol, port: UInt16) throws(SocketAddressError) {
        var text = Substring(host)
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        guard text.utf8.count <= 64, !text.utf8.contains(0) else { throw .notNumeric(String(host.prefix(64))) }
        var four = in_addr()
        if text.count == host.count, inet_pton(AF_INET, String(text), &four) == 1 {
            storage = .ipv4(UInt32(bigEndian: four.s_addr), port: port)
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var six = in6_addr()
        guard let address = parts.first, inet_pton(AF_INET6, String(address), &six) == 1 else {
            throw .notNumeric(String(host))
        }
        var scope: UInt32 = 0
        if parts.count == 2 {
            scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
            if scope == 0 { throw .notNumeric(String(host)) }
        }
        storage = .ipv6(withUnsafeBytes(of: &six) { Array($0) }, port: port, scope: scope)
    }

    /// A unix socket's path: 1 to 107 bytes, no NUL.
    public init(unixPath path: String) throws(SocketAddressError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .emptyPath }
        guard path.utf8.count <= Self.maximumPathLength else { throw .pathTooLong(path) }
        storage = .unix(path)
    }

    /// Reads `1.2.3.4:80`, `[::1]:80` or an absolute path.
    public init(_ text: some StringProtocol) throws(SocketAddressError) {
        if text.first == "/" {
            try self.init(unixPath: String(text))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
            throw .noPort(String(text.prefix(64)))
        }
        let host = text[..<colon]
        guard !host.contains(":") || (host.first == "[" && host.last == "]") else { throw .noPort(String(text.prefix(64))) }
        try self.init(host: host, port: port)
    }

    private static func port(_ text: some StringProtocol) -> UInt16? {
        guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        return UInt16(text)
    }

    /// The address without port and brackets; `nil` for a unix socket.
    public var host: String? {
        switch storage {
        case .ipv4(let address, _): return [24, 16, 8, 0].map { String(address >> $0 & 255) }.joined(separator: ".")
        case .ipv6(let bytes, _, let scope):
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return nil }
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return scope == 0 ? address : "\(address)%\(scope)"
        case .unix: return nil
        }
    }

    /// The port; `nil` for a unix socket.
    public var port: UInt16? {
        switch storage {
        case .ipv4(_, let port), .ipv6(_, let port, _): port
        case .unix: nil
        }
    }

    /// The path; `nil` for an internet address and for the unnamed end of a unix connection.
    public var path: String? {
        if case .unix(let path) = storage, !path.isEmpty { path } else { nil }
    }

    /// Whether it is in 127/8 (also mapped into IPv6), `::1`, or a unix socket.
    public var isLoopback: Bool {
        switch storage {
        case .ipv4(let address, _): address >> 24 == 127
        case .ipv6(let bytes, _, _):
            bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
                || bytes.prefix(13) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127]
        case .unix: true
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    public var description: String {
        switch storage {
        case .ipv4(_, let port): "\(host ?? "?"):\(port)"
        case .ipv6(_, let port, _): "[\(host ?? "?")]:\(port)"
        case .unix(let path): path.isEmpty ? "unnamed unix socket" : path
        }
    }
}

/// Why a text is no address of a socket.
public enum SocketAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Not a numeric IPv4 or IPv6 address, or an interface that does not exist.
    case notNumeric(String)
    /// No `:port` from 0 to 65535 at the end.
    case noPort(String)
    case emptyPath
    /// Over ``SocketAddress/maximumPathLength`` bytes.
    case pathTooLong(String)

    public var description: String {
        switch self {
        case .notNumeric(let text): "\"\(text)\" is not a numeric IPv4 or IPv6 address."
        case .noPort(let text): "\"\(text)\" needs a port from 0 to 65535, as in 127.0.0.1:47651 or [::1]:47651."
        case .emptyPath: "The path of a socket must not be empty or contain a NUL byte."
        case .pathTooLong(let path):
            "The socket path \(path) has \(path.utf8.count) bytes; Linux allows \(SocketAddress.maximumPathLength), so choose a shorter folder."
        }
    }
}
