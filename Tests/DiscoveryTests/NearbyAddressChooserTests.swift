import RelayProtocol
import Testing

@testable import Discovery

struct NearbyAddressChooserTests {
    static func interface(
        _ index: Int, _ name: String, _ kind: NetworkInterface.Kind, _ addresses: IPv4Address..., isRunning: Bool = true
    ) -> NetworkInterface {
        NetworkInterface(index: index, name: name, kind: kind, isRunning: isRunning, addresses: addresses)
    }

    static let lan = IPv4Address(192, 168, 1, 20)
    static let lo = interface(1, "lo", .loopback, IPv4Address(127, 0, 0, 1))
    static let eth = interface(2, "eth0", .physical, lan)
    static let wlan = interface(3, "wlan0", .physical, IPv4Address(10, 0, 0, 5))
    static let docker = interface(4, "docker0", .bridge, IPv4Address(172, 17, 0, 1))
    static let vpn = interface(5, "tun0", .tunnel, IPv4Address(10, 8, 0, 2))
    static let tailscale = interface(6, "tailscale0", .tunnel, IPv4Address(100, 100, 1, 2))
    static let veth = interface(7, "eth0", .virtualEthernet, IPv4Address(172, 18, 0, 2))

    func choose(_ interfaces: [NetworkInterface], via routes: [Int] = []) -> Result<NearbyAddress, NearbyAddressProblem> {
        NearbyAddressChooser.choose(
            NetworkState(interfaces: interfaces, routes: routes.map { DefaultRoute(interfaceIndex: $0, metric: 0) }))
    }

    @Test func takesTheDefaultRoute() throws {
        let choice = try choose([Self.lo, Self.eth, Self.wlan], via: [2, 3]).get()
        #expect(choice == NearbyAddress(address: Self.lan, interfaceName: "eth0", interfaceIndex: 2))
        #expect(try choose([Self.lo, Self.eth, Self.wlan], via: [3, 2]).get().interfaceName == "wlan0")
    }

    @Test func takesTheLowestAddressWithoutARoute() throws {
        #expect(try choose([Self.lo, Self.eth, Self.wlan]).get().interfaceName == "wlan0")
        let two = Self.interface(9, "eth1", .physical, IPv4Address(192, 168, 9, 9), IPv4Address(10, 0, 0, 4))
        #expect(try choose([Self.wlan, two]).get().address == IPv4Address(10, 0, 0, 4))
    }

    @Test func passesOverPublicDefaultRoutes() throws {
        let uplink = Self.interface(8, "eth1", .physical, IPv4Address(93, 184, 216, 34))
        #expect(try choose([uplink, Self.eth], via: [8]).get().interfaceName == "eth0")
    }

    @Test("A VPN that took the default route leads away from the neighbours", arguments: [5, 6])
    func passesOverTunnels(route: Int) throws {
        #expect(try choose([Self.eth, Self.vpn, Self.tailscale], via: [route, 2]).get().interfaceName == "eth0")
        #expect(try choose([Self.eth, Self.vpn, Self.tailscale], via: [route]).get().interfaceName == "eth0")
    }

    @Test("Never chosen without being the default route", arguments: [docker, vpn, tailscale, veth, lo])
    func passesOverUnreal(interface: NetworkInterface) throws {
        #expect(throws: NearbyAddressProblem.self) { try choose([interface]).get() }
        #expect(try choose([interface, Self.eth]).get().interfaceIndex == 2)
    }

    @Test("Containers and bridged computers have their default route there", arguments: [docker, veth])
    func followsTheRouteOverBridges(interface: NetworkInterface) throws {
        #expect(try choose([interface, Self.wlan], via: [interface.index]).get().interfaceIndex == interface.index)
    }

    @Test("Inside containers the way out is told", arguments: [[veth], [lo, docker, veth]])
    func namesTheVirtualLink(interfaces: [NetworkInterface]) throws {
        guard case .failure(let problem) = choose(interfaces) else { return #expect(Bool(false), "it is chosen") }
        let address = NearbyAddress(address: IPv4Address(172, 18, 0, 2), interfaceName: "eth0", interfaceIndex: 7)
        #expect(problem == .onlyVirtual(address))
        #expect(
            problem.description.contains(
                "Only virtual links have one (eth0 172.18.0.2); use it with \"decknode pair --listen 172.18.0.2\"."))
    }

    @Test("What leads to no neighbour is not proposed", arguments: [docker, vpn, tailscale, lo])
    func proposesNothing(interface: NetworkInterface) {
        #expect(choose([interface]) == .failure(.noPrivateAddress))
    }

    @Test(arguments: [
        (24, "192.168.1.0/24"), (16, "192.168.0.0/16"), (30, "192.168.1.20/30"), (32, "192.168.1.20/32"), (0, "0.0.0.0/0"), (-1, "0.0.0.0/0"),
        (99, "192.168.1.20/32"),
    ])
    func clearsTheBitsOfTheHost(length: Int, network: String) {
        #expect(NearbyAddress(address: Self.lan, interfaceName: "e", interfaceIndex: 1, prefixLength: length).network == network)
    }

    @Test func takesThePrefixLengthOfTheInterface() throws {
        var interface = Self.wlan
        interface.prefixLengths = [IPv4Address(10, 0, 0, 5): 9]
        #expect(try choose([interface]).get().network == "10.0.0.0/9")
    }

    @Test func ignoresWhatIsDown() {
        var down = Self.eth
        down.isRunning = false
        #expect(choose([down], via: [2]) == .failure(.noPrivateAddress))
        #expect(choose([]) == .failure(.noPrivateAddress))
        #expect(choose([], via: [77]) == .failure(.noPrivateAddress))
    }

    @Test func ignoresLinkLocalAndTailnetAddresses() {
        let odd = Self.interface(2, "eth0", .physical, IPv4Address(169, 254, 3, 4), IPv4Address(100, 64, 0, 1))
        #expect(choose([odd], via: [2]) == .failure(.noPrivateAddress))
    }

    @Test func findsConfiguredAddressesAnywhere() throws {
        let network = NetworkState(interfaces: [Self.lo, Self.eth, Self.docker], routes: [])
        #expect(try NearbyAddressChooser.find(IPv4Address(172, 17, 0, 1), in: network).get().interfaceName == "docker0")
        #expect(NearbyAddressChooser.find(IPv4Address(10, 9, 9, 9), in: network) == .failure(.notAssigned(IPv4Address(10, 9, 9, 9))))
        #expect(NearbyAddressChooser.find(IPv4Address(127, 0, 0, 1), in: network) == .failure(.notPrivate(IPv4Address(127, 0, 0, 1))))
        #expect(NearbyAddressChooser.find(IPv4Address(100, 100, 1, 2), in: network) == .failure(.notPrivate(IPv4Address(100, 100, 1, 2))))
    }

    @Test("Kinds of interface", arguments: [
        ("lo", nil, NetworkInterface.Kind.loopback), ("eth0", nil, .physical), ("wlp3s0", nil, .physical), ("docker0", "bridge", .bridge),
        ("docker0", nil, .bridge), ("br-1a2b3c", "bridge", .bridge), ("br0", "bridge", .bridge), ("virbr0", "bridge", .bridge),
        ("veth12ab", "veth", .virtualEthernet), ("eth0", "veth", .virtualEthernet), ("tun0", "tun", .tunnel), ("tap0", "tun", .tunnel),
        ("vnet3", "tun", .tunnel), ("tailscale0", "tun", .tunnel), ("tailscale0", nil, .tunnel), ("wg0", "wireguard", .tunnel),
        ("home", "wireguard", .tunnel), ("ztabc", "tun", .tunnel), ("eth0.5", "vlan", .physical), ("bond0", "bond", .physical),
        ("macvlan0", "macvlan", .physical), ("dummy0", "dummy", .virtual("dummy")), ("ifb0", "ifb", .virtual("ifb")),
        ("vxlan7", "vxlan", .tunnel), ("wwan0", nil, .tunnel),
    ] as [(String, String?, NetworkInterface.Kind)])
    func tellsKinds(name: String, driver: String?, kind: NetworkInterface.Kind) {
        let isEthernet = name != "wwan0"
        #expect(NetworkInterface.Kind(name: name, driver: driver, isLoopback: name == "lo", isPointToPoint: false, isEthernet: isEthernet) == kind)
    }
}
