import CLinux
import RelayProtocol

/// Reads what the kernel answers about links, addresses and routes. Bounded by the bytes it is given; anything odd is skipped.
struct NetlinkMessages {
    struct Link: Equatable {
        var index: Int
        var name: String
        var flags: UInt32
        var hardwareType: UInt16
        /// The kernel's word for a link made of software.
        var driver: String?
    }

    private(set) var links: [Link] = []
    private(set) var addresses: [(index: Int, address: IPv4Address, prefixLength: Int)] = []
    private(set) var routes: [DefaultRoute] = []

    /// How the bytes ended.
    enum End: Equatable {
        /// More datagrams follow.
        case more
        case done
        /// The kernel refused with this error number.
        case failed(Int32)
    }

    /// Takes in one datagram.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> End {
        var rest = NetlinkBytes(bytes)
        while let message = rest.message() {
            switch Int32(message.type) {
            case Int32(NLMSG_DONE): return .done
            case Int32(NLMSG_ERROR):
                let code = message.body.integer(at: 0, as: Int32.self) ?? 0
                return code == 0 ? .done : .failed(0 &- code)  // The least number has no opposite.
            case Int32(RTM_NEWLINK): if let link = Self.link(message.body) { links.append(link) }
            case Int32(RTM_NEWADDR): if let address = Self.address(message.body) { addresses.append(address) }
            case Int32(RTM_NEWROUTE): routes += Self.routes(message.body)
            default: continue
            }
        }
        return .more
    }

    /// The interfaces with their addresses, and the default routes.
    var state: NetworkState {
        let interfaces = links.map { link in
            let isLoopback = link.flags & IFF.loopback != 0
            let kind = NetworkInterface.Kind(
                name: link.name, driver: link.driver, isLoopback: isLoopback, isPointToPoint: link.flags & IFF.pointToPoint != 0,
                isEthernet: link.hardwareType == 1)
            let own = addresses.filter { $0.index == link.index }
            var interface = NetworkInterface(
                index: link.index, name: link.name, kind: kind, isRunning: link.flags & IFF.running != 0 && link.flags & IFF.up != 0,
                addresses: own.map(\.address))
            for entry in own { interface.prefixLengths[entry.address] = entry.prefixLength }
            return interface
        }
        let sorted = routes.enumerated().sorted { ($0.element.metric, $0.offset) < ($1.element.metric, $1.offset) }.map(\.element)
        return NetworkState(interfaces: interfaces.sorted { $0.index < $1.index }, routes: sorted)
    }

    /// Flags of a link; the C enumeration that has them is not imported.
    private enum IFF {
        static let up: UInt32 = 0x1, loopback: UInt32 = 0x8, pointToPoint: UInt32 = 0x10, running: UInt32 = 0x40
    }

    /// `struct ifinfomsg` and its attributes.
    private static func link(_ body: NetlinkBytes) -> Link? {
        guard let hardwareType = body.integer(at: 2, as: UInt16.self), let index = body.integer(at: 4, as: Int32.self),
            let flags = body.integer(at: 8, as: UInt32.self)
        else { return nil }
        var link = Link(index: Int(index), name: "", flags: flags, hardwareType: hardwareType)
        var attributes = body.dropping(16)
        while let attribute = attributes.attribute() {
            switch Int(attribute.type) {
            case 3 /* IFLA_IFNAME */: link.name = attribute.body.text
            case 18 /* IFLA_LINKINFO */:
                var nested = attribute.body
                while let item = nested.attribute() {
                    if item.type == 1 /* IFLA_INFO_KIND */ { link.driver = item.body.text }
                }
            default: continue
            }
        }
        return link.name.isEmpty ? nil : link
    }

    /// `struct ifaddrmsg` and its attributes.
    private static func address(_ body: NetlinkBytes) -> (index: Int, address: IPv4Address, prefixLength: Int)? {
        guard body.integer(at: 0, as: UInt8.self) == UInt8(AF_INET), let index = body.integer(at: 4, as: UInt32.self) else { return nil }
        var local: UInt32?
        var remote: UInt32?
        var attributes = body.dropping(8)
        while let attribute = attributes.attribute() {
            // On a point-to-point link IFA_ADDRESS is the other end's.
            if attribute.type == 2 /* IFA_LOCAL */ { local = attribute.body.integer(at: 0) }
            if attribute.type == 1 /* IFA_ADDRESS */ { remote = attribute.body.integer(at: 0) }
        }
        guard let value = local ?? remote else { return nil }
        let prefixLength = min(Int(body.integer(at: 1, as: UInt8.self) ?? 32), 32)
        return (Int(index), IPv4Address(value: UInt32(bigEndian: value)), prefixLength)
    }

    /// `struct rtmsg` and its attributes, when it is a default route of the main table: none or several, with several next hops.
    private static func routes(_ body: NetlinkBytes) -> [DefaultRoute] {
        let mainTable: UInt32 = 254, unicast: UInt8 = 1
        guard body.integer(at: 0, as: UInt8.self) == UInt8(AF_INET), body.integer(at: 1, as: UInt8.self) == 0,
            let shortTable = body.integer(at: 4, as: UInt8.self), body.integer(at: 7, as: UInt8.self) == unicast
        else { return [] }
        var table = UInt32(shortTable)
        var metric: UInt32 = 0
        var interfaces: [Int] = []
        var attributes = body.dropping(12)
        while let attribute = attributes.attribute() {
            switch Int(attribute.type) {
            case 4 /* RTA_OIF */: if let index = attribute.body.integer(at: 0, as: UInt32.self) { interfaces.append(Int(index)) }
            case 6 /* RTA_PRIORITY */: metric = attribute.body.integer(at: 0) ?? 0
            case 9 /* RTA_MULTIPATH */:
                var hops = attribute.body
                while let hop = hops.nextHop() { interfaces.append(hop) }
            case 15 /* RTA_TABLE */: table = attribute.body.integer(at: 0) ?? table
            default: continue
            }
        }
        return table == mainTable ? interfaces.map { DefaultRoute(interfaceIndex: $0, metric: metric) } : []
    }
}

/// Bytes of a netlink datagram, in the computer's own byte order, taken apart from the front.
struct NetlinkBytes {
    private var bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type = Value.self) -> Value? {
        guard offset >= 0, offset <= bytes.count - MemoryLayout<Value>.size else { return nil }
        return bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
    }

    func dropping(_ count: Int) -> NetlinkBytes {
        NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)))
    }

    /// A C string in a field of its own.
    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    /// The next message: `struct nlmsghdr` and what follows it.
    mutating func message() -> (type: UInt16, body: NetlinkBytes)? {
        guard let length = integer(at: 0, as: UInt32.self), let type = integer(at: 4, as: UInt16.self),
            let body = take(Int(length), header: 16)
        else { return nil }
        return (type, body)
    }

    /// The next attribute: `struct rtattr` and its value, its type without the flags for nesting and byte order.
    mutating func attribute() -> (type: UInt16, body: NetlinkBytes)? {
        guard let length = integer(at: 0, as: UInt16.self), let type = integer(at: 2, as: UInt16.self),
            let body = take(Int(length), header: 4)
        else { return nil }
        return (type & 0x3fff, body)
    }

    /// The interface of the next `struct rtnexthop`.
    mutating func nextHop() -> Int? {
        guard let length = integer(at: 0, as: UInt16.self), let index = integer(at: 4, as: Int32.self), take(Int(length), header: 8) != nil
        else { return nil }
        return Int(index)
    }

    /// Takes `length` bytes and the padding behind them, and returns them without their header.
    private mutating func take(_ length: Int, header: Int) -> NetlinkBytes? {
        guard length >= header, length <= bytes.count else { return nil }
        let body = NetlinkBytes(UnsafeRawBufferPointer(rebasing: bytes[header..<length]))
        bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst((length + 3) & ~3))
        return body
    }
}
