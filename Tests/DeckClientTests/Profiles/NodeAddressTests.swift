import RelayProtocol
import Testing

@testable import DeckClient

struct NodeAddressTests {
    @Test(arguments: [
        ("wss://192.168.1.5:47653", "wss://192.168.1.5:47653"), ("WSS://Host.Tail1.TS.net", "wss://host.tail1.ts.net"),
        ("wss://host:443/", "wss://host"),
        ("ws://localhost:47651", "ws://localhost:47651"), ("ws://[::1]:47651/relay", "ws://[::1]:47651/relay"), ("ws://h", "ws://h"),
        ("wss://[FD7A:115C:A1E0::1]", "wss://[fd7a:115c:a1e0::1]"),
    ])
    func readsAndWrites(text: String, written: String) throws { #expect(try NodeAddress(text).description == written) }

    @Test(arguments: [
        ("", NodeAddressError.scheme), ("https://host", .scheme), ("host:443", .scheme), ("wss://", .malformed),
        ("wss://user:word@host", .userInformation),
        ("wss://host?token=x", .query), ("wss://host/#x", .query), ("wss://host:0", .port), ("wss://host:65536", .port), ("wss://host:", .port),
        ("wss://host:+1", .port), ("wss://a:1:2", .malformed), ("wss://[::1", .malformed), ("wss://[::1]x", .malformed), ("wss://-a.b", .malformed),
        ("wss://a..b", .malformed), ("wss://ho st", .malformed), ("wss://h\u{1b}", .malformed),
        ("wss://" + String(repeating: "a", count: 2000), .malformed),
        ("wss://hôte", .malformed),
    ])
    func refuses(text: String, error: NodeAddressError) { #expect(throws: error) { try NodeAddress(text) } }

    @Test(arguments: [
        ("wss://10.0.0.1:47653", RouteKind.nearby, false, NodeAddressError?.none), ("ws://10.0.0.1:47653", .nearby, false, .unencrypted),
        ("wss://8.8.8.8:47653", .nearby, false, .notPrivate), ("wss://host:47653", .nearby, false, .notPrivate),
        ("wss://127.0.0.1:47653", .nearby, false, .notPrivate),
        ("wss://100.64.0.1:47653", .nearby, false, .notPrivate), ("wss://10.0.0.1", .nearby, false, .port),
        ("wss://10.0.0.1:47653/x", .nearby, false, .path),
        ("wss://example.org", .remote, false, nil), ("ws://127.0.0.1:47651", .remote, false, nil), ("ws://localhost:47651", .remote, false, nil),
        ("ws://192.168.1.5:47651", .remote, false, .unencrypted), ("ws://192.168.1.5:47651", .remote, true, .unencrypted),
        ("ws://100.100.1.1:47651", .remote, false, .tailnetNotAllowed), ("ws://100.100.1.1:47651", .remote, true, nil),
        ("ws://a.b.ts.net:47651", .remote, true, nil),
        ("ws://[fd7a:115c:a1e0::9]:47651", .remote, true, nil), ("ws://evil-ts.net:47651", .remote, true, .unencrypted),
    ])
    func eachRouteHasItsAddresses(text: String, route: RouteKind, tailnet: Bool, error: NodeAddressError?) throws {
        let address = try NodeAddress(text)
        let found: NodeAddressError?
        do throws(NodeAddressError) {
            try address.check(for: route, tailnet: tailnet)
            found = nil
        } catch {
            found = error
        }
        #expect(found == error)
    }
}
