import RelayProtocol

/// Where a node is reached: a `ws://` or `wss://` address without user information, query or fragment.
public struct NodeAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, lower case; IPv6 without brackets.
    public let host: String
    /// 1 … 65535.
    public let port: UInt16
    public let isEncrypted: Bool
    /// Begins with `/`.
    public let path: String

    /// A node in the neighbourhood.
    public init(nearby address: IPv4Address, port: UInt16) {
        host = address.description
        self.port = port
        isEncrypted = true
        path = "/"
    }

    /// Reads an address. Which of them a profile may have is for ``check(for:tailnet:)``.
    public init(_ text: String) throws(NodeAddressError) {
        guard text.utf8.count <= Self.maximumBytes, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .malformed }
        let lowered = text.lowercased()
        let rest: Substring
        if lowered.hasPrefix("wss://") {
            isEncrypted = true
            rest = text.dropFirst(6)
        } else if lowered.hasPrefix("ws://") {
            isEncrypted = false
            rest = text.dropFirst(5)
        } else {
            throw .scheme
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let tail = rest[authority.endIndex...]
        guard !authority.contains("@") else { throw .userInformation }
        guard !tail.contains("?"), !tail.contains("#") else { throw .query }
        path = tail.isEmpty ? "/" : String(tail)
        let parts = try Self.hostAndPort(authority.lowercased())
        host = parts.host
        port = parts.port ?? (isEncrypted ? 443 : 80)
    }

    static let maximumBytes = 1024

    private static func hostAndPort(_ authority: String) throws(NodeAddressError) -> (host: String, port: UInt16?) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .malformed }
            let inner = authority[authority.index(after: authority.startIndex)..<end]
            let after = authority[authority.index(after: end)...]
            guard let address = IPv6Address(inner), after.isEmpty || after.hasPrefix(":") else { throw .malformed }
            return (address.description, after.isEmpty ? nil : try number(after.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2, isName(host) else { throw .malformed }
        return (String(host), parts.count == 2 ? try number(parts[1]) : nil)
    }

    private static func number(_ text: Substring) throws(NodeAddressError) -> UInt16 {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(text), port > 0 else { throw .port }
        return port
    }

    private static func isName(_ text: Substring) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x5f }
        }
    }

    private var version4: IPv4Address? { IPv4Address(host) }
    private var version6: IPv6Address? { IPv6Address(host) }

    /// This computer itself.
    public var isLoopback: Bool { host == "localhost" || version4?.isLoopback == true || version6?.isLoopback == true }
    /// An address or a name of a tailnet.
    public var isTailnet: Bool { version4?.isTailnet == true || version6?.isTailnet == true || host.hasSuffix(".ts.net") }

    /// Whether a profile may have this address.
    ///
    /// - Parameter tailnet: The user allowed an unencrypted WebSocket inside the tailnet.
    public func check(for route: RouteKind, tailnet: Bool) throws(NodeAddressError) {
        switch route {
        case .nearby:
            guard isEncrypted else { throw .unencrypted }
            guard version4?.isPrivate == true else { throw .notPrivate }
            guard RelayLimits.ports.contains(port) else { throw .port }
            guard path == "/" else { throw .path }
        case .remote:
            guard isEncrypted || isLoopback || (tailnet && isTailnet) else { throw isTailnet ? .tailnetNotAllowed : .unencrypted }
        }
    }

    public var description: String {
        let name = version6 == nil ? host : "[\(host)]"
        let shownPort = port == (isEncrypted ? 443 : 80) ? "" : ":\(port)"
        return (isEncrypted ? "wss://" : "ws://") + name + shownPort + (path == "/" ? "" : path)
    }
}

/// Why an address is no address of a node. Never holds the address: a user may have pasted a token with it.
public enum NodeAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    case malformed, scheme, userInformation, query, path, port, unencrypted, tailnetNotAllowed, notPrivate

    public var description: String {
        switch self {
        case .malformed: "This is no address of a node; write it as wss://name:port."
        case .scheme: "The address has to begin with wss:// (or ws:// for a tunnel on this computer)."
        case .userInformation: "The address must not hold a user name or password; the token is asked for separately."
        case .query: "The address must not hold a query or a fragment; the token is asked for separately."
        case .path: "The address of a nearby node has no path."
        case .port: "The port of the address is out of range; a nearby node needs one from 1024 to 65535."
        case .unencrypted: "Unencrypted ws:// is only for this computer itself, as the end of an SSH tunnel; use wss://."
        case .tailnetNotAllowed: "Unencrypted ws:// inside a tailnet needs your word: add --tailnet."
        case .notPrivate: "A nearby node has a private IPv4 address; add one that is elsewhere as a remote node."
        }
    }
}
