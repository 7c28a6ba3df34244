/// Where a node may listen.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    case ipv4(IPv4Address)
    case ipv6(IPv6Address)
    /// A `*.ts.net` name, lower case. What it resolves to must be a tailnet address, which ``ListenPolicy/remote(_:port:)`` tells.
    case tailnetName(String)

    public var description: String {
        switch self {
        case .ipv4(let address): address.description
        case .ipv6(let address): address.description
        case .tailnetName(let name): name
        }
    }
}

/// Why a node does not listen there.
public enum ListenRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Holds no text of the caller: it may be anything.
    case notAnAddress
    case wildcard
    case publicAddress
    case linkLocal
    case multicast
    /// Nearby only.
    case loopback
    /// Nearby only.
    case tailnet
    /// Remote only.
    case privateNetwork
    case port(Int)

    public var description: String {
        switch self {
        case .notAnAddress: "That is not an address a node can listen on; give one address of this computer in numbers."
        case .wildcard: "A node never listens on every address at once; give one address of this computer."
        case .publicAddress: "A node never listens on a public address; use a private one, or Tailscale for access from elsewhere."
        case .linkLocal: "A link-local address reaches no other network; give the private address the router assigned."
        case .multicast: "A multicast or broadcast address belongs to no computer; give one address of this computer."
        case .loopback: "Nearby needs an address other devices can reach, not this computer's own loopback."
        case .tailnet: "Nearby serves the local network; use `decknode relay` for a Tailscale address."
        case .privateNetwork: "Without TLS a node listens on loopback or a Tailscale address only; use Nearby for the local network."
        case .port(let port): "Port \(port) cannot be used; choose one from 1024 to 65535."
        }
    }
}

/// Which addresses a node may listen on: never wildcards, public, link-local or multicast ones, and ports 1024 … 65535.
public enum ListenPolicy {
    /// Nearby: one private IPv4 address, because the certificate and the pairing link name it.
    public static func nearby(_ address: IPv4Address, port: Int) throws(ListenRefusal) {
        try check(port)
        if let refusal = refusalAnywhere(address) { throw refusal }
        if address.isLoopback { throw .loopback }
        if address.isTailnet { throw .tailnet }
        guard address.isPrivate else { throw .publicAddress }
    }

    /// ``nearby(_:port:)-(IPv4Address,_)`` for text.
    public static func nearby(_ text: String, port: Int) throws(ListenRefusal) -> IPv4Address {
        guard let address = IPv4Address(text) else {
            if IPv6Address(text)?.isUnspecified == true { throw .wildcard }
            throw .notAnAddress
        }
        try nearby(address, port: port)
        return address
    }

    /// Remote, which is not encrypted by the node itself: loopback, one tailnet address, or a `*.ts.net` name.
    public static func remote(_ text: String, port: Int) throws(ListenRefusal) -> ListenAddress {
        try check(port)
        if let address = IPv4Address(text) {
            if let refusal = refusalAnywhere(address) { throw refusal }
            if address.isLoopback || address.isTailnet { return .ipv4(address) }
            throw address.isPrivate ? .privateNetwork : .publicAddress
        }
        if let address = IPv6Address(text) { return .ipv6(try remote(address)) }
        if text == "*" { throw .wildcard }
        guard let name = tailnetName(text) else { throw .notAnAddress }
        return .tailnetName(name)
    }

    private static func remote(_ address: IPv6Address) throws(ListenRefusal) -> IPv6Address {
        if address.isLoopback || address.isTailnet { return address }
        if address.isUnspecified { throw .wildcard }
        if address.isLinkLocal { throw .linkLocal }
        if address.isMulticast { throw .multicast }
        throw address.high >> 57 == 0xfc >> 1 ? .privateNetwork : .publicAddress
    }

    private static func refusalAnywhere(_ address: IPv4Address) -> ListenRefusal? {
        if address.isUnspecified { return .wildcard }
        if address.isLinkLocal { return .linkLocal }
        if address.isMulticast || address.isBroadcast { return .multicast }
        return nil
    }

    private static func check(_ port: Int) throws(ListenRefusal) {
        guard let small = UInt16(exactly: port), RelayLimits.ports.contains(small) else { throw .port(port) }
    }

    /// A host name of at least one label below `ts.net`.
    private static func tailnetName(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }  // some letters have an ASCII one as their lower case
        let name = text.lowercased()
        guard name.hasSuffix(".ts.net"), name.utf8.count <= 253 else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isFine = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
        }
        return isFine && labels.count >= 3 ? name : nil
    }
}
