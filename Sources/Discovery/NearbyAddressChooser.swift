import RelayProtocol

/// The address a node serves its neighbourhood on, and the one interface it is announced on.
public struct NearbyAddress: Hashable, Sendable {
    public var address: IPv4Address
    public var interfaceName: String
    public var interfaceIndex: Int
    /// How many bits of the address name its network: 0 … 32.
    public var prefixLength: Int

    public init(address: IPv4Address, interfaceName: String, interfaceIndex: Int, prefixLength: Int = 24) {
        self.address = address
        self.interfaceName = interfaceName
        self.interfaceIndex = interfaceIndex
        self.prefixLength = prefixLength
    }

    /// The network of the address, such as `192.168.1.0/24`.
    public var network: String {
        let length = min(max(prefixLength, 0), 32)
        let mask = length == 0 ? 0 : UInt32.max << UInt32(32 - length)
        return "\(IPv4Address(value: address.value & mask))/\(length)"
    }
}

/// Why there is no address to serve the neighbourhood on.
public enum NearbyAddressProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// No interface that neighbours could reach has a private address.
    case noPrivateAddress
    /// Only a link into a container or a virtual network has one, as it is inside containers.
    case onlyVirtual(NearbyAddress)
    /// The configured address is public, loopback, link-local, or a tailnet's.
    case notPrivate(IPv4Address)
    /// No running interface has the configured address.
    case notAssigned(IPv4Address)

    public var description: String {
        switch self {
        case .noPrivateAddress:
            "This computer has no private network address that neighbours could reach; connect it to a local network or name an address."
        case .onlyVirtual(let found):
            "This computer has no private network address that neighbours surely reach. Only virtual links have one "
                + "(\(found.interfaceName) \(found.address)); use it with \"decknode pair --listen \(found.address)\"."
        case .notPrivate(let address):
            "\(address) is not a private network address; choose one in 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16."
        case .notAssigned(let address):
            "No network interface of this computer has the address \(address) now; the node listens there as soon as one has."
        }
    }
}

/// Decides which address neighbours reach.
public enum NearbyAddressChooser {
    /// Chooses by itself: the default route's address when it is private, else the lowest private address of a real interface.
    ///
    /// A default route decides even when it leads over a bridge or into a container, for the neighbours are there then; never
    /// through a tunnel, which leads away from them.
    public static func choose(_ network: NetworkState) -> Result<NearbyAddress, NearbyAddressProblem> {
        for route in network.routes {
            guard let interface = network.interfaces.first(where: { $0.index == route.interfaceIndex }), interface.isRunning,
                interface.kind != .tunnel, interface.kind != .loopback
            else { continue }
            if let address = interface.addresses.filter(\.isPrivate).min() { return .success(interface.at(address)) }
        }
        if let lowest = lowest(in: network, where: { $0 == .physical }) { return .success(lowest) }
        // Bridges are left out: those of container engines are on every second computer, and lead to no neighbour.
        return .failure(lowest(in: network, where: \.isVirtualLink).map { .onlyVirtual($0) } ?? .noPrivateAddress)
    }

    private static func lowest(in network: NetworkState, where fits: (NetworkInterface.Kind) -> Bool) -> NearbyAddress? {
        network.interfaces.filter { fits($0.kind) && $0.isRunning }
            .flatMap { interface in interface.addresses.filter(\.isPrivate).map(interface.at) }
            .min { ($0.address, $0.interfaceIndex) < ($1.address, $1.interfaceIndex) }
    }

    /// Finds the interface of an address that the owner configured; any kind of interface will do.
    public static func find(_ address: IPv4Address, in network: NetworkState) -> Result<NearbyAddress, NearbyAddressProblem> {
        guard address.isPrivate else { return .failure(.notPrivate(address)) }
        guard let interface = network.interfaces.first(where: { $0.addresses.contains(address) && $0.isRunning }) else {
            return .failure(.notAssigned(address))
        }
        return .success(interface.at(address))
    }
}

extension NetworkInterface {
    fileprivate func at(_ address: IPv4Address) -> NearbyAddress {
        NearbyAddress(address: address, interfaceName: name, interfaceIndex: index, prefixLength: prefixLengths[address] ?? 24)
    }
}

extension NetworkInterface.Kind {
    fileprivate var isVirtualLink: Bool {
        switch self {
        case .virtualEthernet, .virtual: true
        case .physical, .loopback, .bridge, .tunnel: false
        }
    }
}
