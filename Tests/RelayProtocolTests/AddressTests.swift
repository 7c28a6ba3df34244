import RelayProtocol
import Testing

struct AddressTests {
    @Test(arguments: ["0.0.0.0", "255.255.255.255", "192.168.1.20", "10.0.0.1"])
    func readsAndWritesIPv4(text: String) { #expect(IPv4Address(text)?.description == text) }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.-4", "01.2.3.4", "1.2.3.04", "1.2.3.", ".1.2.3", "1..2.3", " 1.2.3.4", "1.2.3.4 ",
        "1.2.3.4\n",
        "1.2.3.4:5", "0x1.2.3.4", "1.2.3.+4", "１.2.3.4", "1.2.3.1000", "a.b.c.d", "localhost", "1.2.3.4/8",
    ])
    func refusesWhatIsNoIPv4(text: String) { #expect(IPv4Address(text) == nil) }

    @Test(arguments: [
        ("9.255.255.255", ""), ("10.0.0.0", "private"), ("10.255.255.255", "private"), ("11.0.0.0", ""), ("172.15.255.255", ""), ("172.16.0.0",
        "private"),
        ("172.31.255.255", "private"), ("172.32.0.0", ""), ("192.167.255.255", ""), ("192.168.0.0", "private"), ("192.168.255.255", "private"),
        ("192.169.0.0", ""), ("126.255.255.255", ""), ("127.0.0.0", "loopback"), ("127.255.255.255", "loopback"), ("128.0.0.0", ""),
        ("100.63.255.255", ""), ("100.64.0.0", "tailnet"), ("100.127.255.255", "tailnet"), ("100.128.0.0", ""), ("169.253.255.255", ""),
        ("169.254.0.0", "link-local"), ("169.254.255.255", "link-local"), ("169.255.0.0", ""), ("223.255.255.255", ""), ("224.0.0.0", "multicast"),
        ("239.255.255.255", "multicast"), ("240.0.0.0", ""), ("0.0.0.0", "unspecified"), ("0.255.255.255", "unspecified"), ("1.0.0.0", ""),
        ("255.255.255.255", "broadcast"), ("255.255.255.254", ""),
    ])
    func classifiesIPv4AtTheEdges(text: String, kind: String) throws {
        let address = try #require(IPv4Address(text))
        let kinds = [
            address.isPrivate ? "private" : nil, address.isLoopback ? "loopback" : nil, address.isTailnet ? "tailnet" : nil,
            address.isLinkLocal ? "link-local" : nil, address.isMulticast ? "multicast" : nil, address.isUnspecified ? "unspecified" : nil,
            address.isBroadcast ? "broadcast" : nil,
        ]
        #expect(kinds.compactMap { $0 } == (kind.isEmpty ? [] : [kind]))
    }

    @Test func addressesSortByNumber() {
        #expect(IPv4Address(10, 0, 0, 9) < IPv4Address(10, 0, 0, 10) && IPv4Address(9, 255, 255, 255) < IPv4Address(10, 0, 0, 0))
    }

    @Test(arguments: [
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("fd7a:115c:a1e0::1", "fd7a:115c:a1e0::1"), ("FD7A:115C:A1E0:0:0:0:0:0001",
        "fd7a:115c:a1e0::1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("::ffff:1.2.3.4",
        "::ffff:102:304"),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("1:0:0:2:3:0:0:4", "1::2:3:0:0:4"), ("0:0:0:0:0:0:0:0", "::"), ("1:2:3:4:5:6:7::",
        "1:2:3:4:5:6:7:0"),
        ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ])
    func readsAndWritesIPv6(text: String, expected: String) throws {
        let address = try #require(IPv6Address(text))
        #expect(address.description == expected)
        #expect(IPv6Address(expected) == address)
    }

    @Test(arguments: [
        "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "::1:", ":1::", "1:", "g::", "12345::", "fe80::1%eth0", "[::1]",
        "::1/128", " ::1",
        "1.2.3.4", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4::5:6:7:8", "::+1", "::-1", "::１",
        "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
    ])
    func refusesWhatIsNoIPv6(text: String) { #expect(IPv6Address(text) == nil) }

    @Test func classifiesIPv6() throws {
        func address(_ text: String) throws -> IPv6Address { try #require(IPv6Address(text)) }
        #expect(try address("::1").isLoopback && !address("::2").isLoopback && !address("1::1").isLoopback)
        #expect(try address("fd7a:115c:a1e0::").isTailnet && address("fd7a:115c:a1e0:ffff:ffff:ffff:ffff:ffff").isTailnet)
        #expect(try !address("fd7a:115c:a1e1::").isTailnet && !address("fd7a:115c:a1df:ffff::").isTailnet)
        #expect(try address("fe80::1").isLinkLocal && address("febf::").isLinkLocal)
        #expect(try !address("fec0::").isLinkLocal && !address("fe7f::").isLinkLocal)
        #expect(try address("ff02::1").isMulticast && !address("feff::").isMulticast)
        #expect(try address("::").isUnspecified && !address("::1").isUnspecified)
        #expect(try address("102:304::a0b").bytes == [1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 11])
    }
}
