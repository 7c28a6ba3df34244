import CLinux
import RelayProtocol
import Testing

@testable import Discovery

/// Builds what the kernel would send.
private struct Datagram {
    var bytes: [UInt8] = []

    static func integer(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    static func attribute(_ type: Int, _ body: [UInt8]) -> [UInt8] {
        let length = 4 + body.count
        return integer(UInt16(length)) + integer(UInt16(type)) + body + [UInt8](repeating: 0, count: (4 - length % 4) % 4)
    }

    mutating func add(_ type: Int, _ body: [UInt8]) {
        bytes += Self.integer(UInt32(16 + body.count)) + Self.integer(UInt16(type)) + [UInt8](repeating: 0, count: 10) + body
    }

    mutating func addLink(_ index: Int, _ name: String, driver: String? = nil, flags: UInt32 = 0x1 | 0x40, hardware: UInt16 = 1) {
        var body = [0, 0] + Self.integer(hardware) + Self.integer(Int32(index)) + Self.integer(flags) + Self.integer(UInt32(0))
        body += Self.attribute(3, Array(name.utf8) + [0])
        if let driver { body += Self.attribute(18 | 0x8000, Self.attribute(1, Array(driver.utf8))) }
        add(16, body)
    }

    mutating func addAddress(_ index: Int, local: [UInt8]?, remote: [UInt8], family: UInt8 = 2) {
        var body = [family, 24, 0, 0] + Self.integer(UInt32(index)) + Self.attribute(1, remote)
        if let local { body += Self.attribute(2, local) }
        add(20, body)
    }

    mutating func addRoute(to prefix: UInt8 = 0, table: UInt8 = 254, type: UInt8 = 1, _ attributes: [UInt8]) {
        add(24, [2, prefix, 0, 0, table, 4, 0, type, 0, 0, 0, 0] + attributes)
    }

    func received() -> (NetlinkMessages, NetlinkMessages.End) {
        var messages = NetlinkMessages()
        let end = bytes.withUnsafeBytes { messages.receive($0) }
        return (messages, end)
    }
}

struct NetlinkMessagesTests {
    private static func sample() -> Datagram {
        var datagram = Datagram()
        datagram.addLink(1, "lo", flags: 0x1 | 0x8 | 0x40, hardware: 772)
        datagram.addLink(3, "docker0", driver: "bridge", flags: 0x1)
        datagram.addLink(2, "eth0")
        datagram.addLink(4, "ppp0", flags: 0x1 | 0x10 | 0x40, hardware: 512)
        datagram.addAddress(2, local: [192, 168, 1, 20], remote: [192, 168, 1, 20])
        datagram.addAddress(2, local: [10, 0, 0, 2], remote: [10, 0, 0, 2])
        datagram.addAddress(4, local: [10, 1, 0, 1], remote: [10, 1, 0, 2])
        datagram.addAddress(2, local: nil, remote: [UInt8](repeating: 1, count: 16), family: 10)
        datagram.addRoute(Datagram.attribute(4, Datagram.integer(UInt32(4))) + Datagram.attribute(6, Datagram.integer(UInt32(600))))
        datagram.addRoute(Datagram.attribute(4, Datagram.integer(UInt32(2))) + Datagram.attribute(6, Datagram.integer(UInt32(100))))
        datagram.addRoute(to: 24, Datagram.attribute(4, Datagram.integer(UInt32(3))))
        datagram.addRoute(table: 52, Datagram.attribute(4, Datagram.integer(UInt32(3))))
        datagram.addRoute(table: 0, Datagram.attribute(4, Datagram.integer(UInt32(3))) + Datagram.attribute(15, Datagram.integer(UInt32(1000))))
        datagram.addRoute(type: 7, Datagram.attribute(4, Datagram.integer(UInt32(3))))
        return datagram
    }

    @Test func readsLinksAddressesAndRoutes() {
        let (messages, end) = Self.sample().received()
        #expect(end == .more)
        var state = messages.state
        #expect(state.interfaces[1].prefixLengths == [IPv4Address(192, 168, 1, 20): 24, IPv4Address(10, 0, 0, 2): 24])
        for index in state.interfaces.indices { state.interfaces[index].prefixLengths = [:] }
        #expect(state == NetworkState(
            interfaces: [
                NetworkInterface(index: 1, name: "lo", kind: .loopback, addresses: []),
                NetworkInterface(index: 2, name: "eth0", kind: .physical, addresses: [IPv4Address(192, 168, 1, 20), IPv4Address(10, 0, 0, 2)]),
                NetworkInterface(index: 3, name: "docker0", kind: .bridge, isRunning: false, addresses: []),
                NetworkInterface(index: 4, name: "ppp0", kind: .tunnel, addresses: [IPv4Address(10, 1, 0, 1)]),
            ], routes: [DefaultRoute(interfaceIndex: 2, metric: 100), DefaultRoute(interfaceIndex: 4, metric: 600)]))
    }

    @Test func readsRoutesOfSeveralHops() {
        func hop(_ index: Int32) -> [UInt8] { Datagram.integer(UInt16(8)) + [0, 0] + Datagram.integer(index) }
        var datagram = Datagram()
        datagram.addRoute(Datagram.attribute(9, hop(5) + hop(6)))
        #expect(datagram.received().0.state.routes.map(\.interfaceIndex) == [5, 6])
    }

    @Test func endsWhereTheKernelSaysSo() {
        var datagram = Datagram()
        datagram.add(3, Datagram.integer(Int32(0)))
        datagram.addLink(1, "late")
        #expect(datagram.received().1 == .done && datagram.received().0.links.isEmpty)
        var refusal = Datagram()
        refusal.add(2, Datagram.integer(-Int32(EPERM)))
        #expect(refusal.received().1 == .failed(EPERM))
        var strange = Datagram()
        strange.add(2, Datagram.integer(Int32.min))
        #expect(strange.received().1 == .failed(.min))
    }

    @Test("Cut anywhere or with any byte changed, it never traps")
    func survivesDamage() {
        let whole = Self.sample().bytes
        for length in 0..<whole.count { _ = Datagram(bytes: Array(whole[..<length])).received().0.state }
        for position in whole.indices {
            for value: UInt8 in [0, 1, 3, 4, 0x7f, 0xff] {
                var bytes = whole
                bytes[position] = value
                _ = Datagram(bytes: bytes).received().0.state
            }
        }
    }

    @Test func agreesWithThisComputer() throws {
        let state = try NetworkState.current()
        let loopback = try #require(state.interfaces.first { $0.kind == .loopback })
        #expect(loopback.name == "lo" && loopback.index == 1)
        #expect(!loopback.isRunning || loopback.addresses.contains(IPv4Address(127, 0, 0, 1)))
    }
}
