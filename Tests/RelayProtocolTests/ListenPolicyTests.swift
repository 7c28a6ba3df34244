import RelayProtocol
import Testing

struct ListenPolicyTests {
    @Test(arguments: ["10.1.2.3", "172.16.0.1", "192.168.178.20"])
    func nearbyTakesPrivateAddresses(text: String) throws { #expect(try ListenPolicy.nearby(text, port: 47653).description == text) }

    @Test(arguments: [
        ("0.0.0.0", .wildcard), ("0.1.2.3", .wildcard), ("::", .wildcard), ("127.0.0.1", .loopback), ("100.100.1.1", .tailnet),
        ("169.254.1.1", .linkLocal),
        ("224.0.0.251", .multicast), ("255.255.255.255", .multicast), ("8.8.8.8", .publicAddress), ("172.32.0.1", .publicAddress),
        ("240.0.0.1", .publicAddress),
        ("", .notAnAddress), ("localhost", .notAnAddress), ("::1", .notAnAddress), ("fd7a:115c:a1e0::1", .notAnAddress),
        ("box.tail1.ts.net", .notAnAddress),
        ("192.168.1.1 ", .notAnAddress),
    ] as [(String, ListenRefusal)])
    func nearbyRefuses(text: String, refusal: ListenRefusal) {
        #expect(throws: refusal) { try ListenPolicy.nearby(text, port: 47653) }
        if let address = IPv4Address(text) { #expect(throws: refusal) { try ListenPolicy.nearby(address, port: 47653) } }
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("127.0.0.53", "127.0.0.53"), ("::1", "::1"), ("100.64.0.1", "100.64.0.1"), ("FD7A:115C:A1E0::5",
        "fd7a:115c:a1e0::5"),
        ("Box.tail1234.ts.net", "box.tail1234.ts.net"),
    ])
    func remoteTakesLoopbackAndTailnet(text: String, expected: String) throws {
        #expect(try ListenPolicy.remote(text, port: 47651).description == expected)
    }

    @Test(arguments: [
        ("0.0.0.0", .wildcard), ("::", .wildcard), ("*", .wildcard), ("192.168.1.1", .privateNetwork), ("10.0.0.1", .privateNetwork),
        ("fd00::1", .privateNetwork),
        ("fc00::1", .privateNetwork), ("8.8.8.8", .publicAddress), ("2001:db8::1", .publicAddress), ("::ffff:127.0.0.1", .publicAddress),
        ("100.128.0.1", .publicAddress), ("169.254.0.1", .linkLocal), ("fe80::1", .linkLocal), ("ff02::1", .multicast), ("224.0.0.1", .multicast),
        ("255.255.255.255", .multicast),
        ("", .notAnAddress), ("ts.net", .notAnAddress), (".ts.net", .notAnAddress), ("box.ts.net.evil.example", .notAnAddress),
        ("boxts.net", .notAnAddress), ("a.boxts.net", .notAnAddress),
        ("-box.ts.net", .notAnAddress), ("bo_x.ts.net", .notAnAddress), ("a b.ts.net", .notAnAddress), ("box..ts.net", .notAnAddress),
        ("\u{212a}.ts.net", .notAnAddress),
        ("wss://box.ts.net", .notAnAddress), ("box.ts.net.", .notAnAddress), ("localhost", .notAnAddress),
    ] as [(String, ListenRefusal)])
    func remoteRefuses(text: String, refusal: ListenRefusal) { #expect(throws: refusal) { try ListenPolicy.remote(text, port: 47651) } }

    @Test func namesHaveALargestLength() {
        let label = String(repeating: "a", count: 63)
        #expect(throws: Never.self) { try ListenPolicy.remote("\(label).ts.net", port: 47651) }
        #expect(throws: ListenRefusal.notAnAddress) { try ListenPolicy.remote("a\(label).ts.net", port: 47651) }
        #expect(throws: ListenRefusal.notAnAddress) { try ListenPolicy.remote("\(label).\(label).\(label).\(label).ts.net", port: 47651) }
    }

    @Test(arguments: [(1024, true), (65535, true), (1023, false), (65536, false), (0, false), (-1, false), (.max, false), (443, false)])
    func portsHaveARange(port: Int, isFine: Bool) {
        if isFine {
            #expect(throws: Never.self) { try ListenPolicy.nearby("10.0.0.1", port: port) }
            #expect(throws: Never.self) { try ListenPolicy.remote("127.0.0.1", port: port) }
        } else {
            #expect(throws: ListenRefusal.port(port)) { try ListenPolicy.nearby("10.0.0.1", port: port) }
            #expect(throws: ListenRefusal.port(port)) { try ListenPolicy.remote("127.0.0.1", port: port) }
        }
    }

    @Test func refusalsAreSentences() {
        let all: [ListenRefusal] = [.notAnAddress, .wildcard, .publicAddress, .linkLocal, .multicast, .loopback, .tailnet, .privateNetwork, .port(80)]
        #expect(Set(all.map(\.description)).count == all.count && all.allSatisfy { $0.description.hasSuffix(".") })
    }
}
