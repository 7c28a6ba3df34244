import RelayProtocol

/// A network interface with what decides whether neighbours can reach a node through it.
public struct NetworkInterface: Hashable, Sendable {
    /// The kernel's number for it, as multicast DNS wants it.
    public var index: Int
    public var name: String
    public var kind: Kind
    /// Whether it is up and has a carrier.
    public var isRunning: Bool
    public var addresses: [IPv4Address]
    /// How many bits of each address name its network, as far as that is known: 0 … 32.
    public var prefixLengths: [IPv4Address: Int] = [:]

    /// What an interface is made of.
    public enum Kind: Hashable, Sendable {
        /// A network card, or something on top of one that is part of the same network (VLAN, bond, macvlan).
        case physical
        case loopback
        /// A bridge, such as containers and virtual machines hang on.
        case bridge
        /// One end of a cable into a container or another network namespace.
        case virtualEthernet
        /// A tunnel: VPN, tailnet, point-to-point.
        case tunnel
        /// Anything else without hardware, named by the kernel's word for it.
        case virtual(String)
    }

    public init(index: Int, name: String, kind: Kind, isRunning: Bool = true, addresses: [IPv4Address]) {
        self.index = index
        self.name = name
        self.kind = kind
        self.isRunning = isRunning
        self.addresses = addresses
    }
}

extension NetworkInterface.Kind {
    /// Tells the kind from what the kernel says of a link.
    ///
    /// - Parameters:
    ///   - driver: The kernel's word for a link made of software, such as `veth`; `nil` for hardware.
    ///   - isEthernet: Whether it has Ethernet addresses; a link without them is a tunnel of some sort.
    init(name: String, driver: String?, isLoopback: Bool, isPointToPoint: Bool, isEthernet: Bool) {
        if isLoopback {
            self = .loopback
        } else if let kind = Self.drivers[driver ?? ""] {
            self = kind
        } else if let kind = Self.names.first(where: { name.hasPrefix($0.prefix) && driver != "vlan" })?.kind {
            self = kind
        } else if isPointToPoint || !isEthernet {
            self = .tunnel
        } else if let driver, !["vlan", "bond", "team", "macvlan", "ipvlan", "hsr"].contains(driver) {
            self = .virtual(driver)
        } else {
            self = .physical
        }
    }

    private static let drivers: [String: Self] = [
        "bridge": .bridge, "openvswitch": .bridge, "veth": .virtualEthernet, "netkit": .virtualEthernet, "tun": .tunnel, "wireguard": .tunnel,
        "gre": .tunnel, "gretap": .tunnel, "ipip": .tunnel, "sit": .tunnel, "vti": .tunnel, "xfrm": .tunnel, "vxlan": .tunnel,
        "geneve": .tunnel, "ppp": .tunnel, "ovpn": .tunnel, "ovpn-dco": .tunnel,
    ]

    /// Names that programs give their links by custom, for kernels and containers that do not say the driver.
    private static let names: [(prefix: String, kind: Self)] = [
        ("docker", .bridge), ("br-", .bridge), ("virbr", .bridge), ("lxcbr", .bridge), ("lxdbr", .bridge), ("cni", .bridge),
        ("podman", .bridge), ("veth", .virtualEthernet), ("tun", .tunnel), ("tap", .tunnel), ("vnet", .tunnel), ("tailscale", .tunnel),
        ("wg", .tunnel), ("zt", .tunnel), ("ppp", .tunnel), ("utun", .tunnel),
    ]
}

/// A default route of this computer.
public struct DefaultRoute: Hashable, Sendable {
    /// The kernel's number of the interface it leads over.
    public var interfaceIndex: Int
    /// The lowest wins.
    public var metric: UInt32

    public init(interfaceIndex: Int, metric: UInt32) {
        self.interfaceIndex = interfaceIndex
        self.metric = metric
    }
}

/// What decides the address of a node: interfaces with their IPv4 addresses, and where the rest of the world is.
public struct NetworkState: Hashable, Sendable {
    /// By their numbers.
    public var interfaces: [NetworkInterface]
    /// Best first.
    public var routes: [DefaultRoute]

    public init(interfaces: [NetworkInterface], routes: [DefaultRoute]) {
        self.interfaces = interfaces
        self.routes = routes
    }
}
