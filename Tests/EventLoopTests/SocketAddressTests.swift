import Glibc
import Testing

@testable import EventLoop

struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1:0", "127.0.0.1", 0), ("0.0.0.0:65535", "0.0.0.0", 65535), ("100.64.0.1:1024", "100.64.0.1", 1024),
        ("[::1]:47653", "::1", 47653), ("[fd7a:115c:a1e0::1]:80", "fd7a:115c:a1e0::1", 80),
        ("[::ffff:127.0.0.1]:1", "::ffff:127.0.0.1", 1), ("[fe80::1%7]:9", "fe80::1%7", 9),
    ])
    func readsAndWritesInternetAddresses(text: String, host: String, port: Int) throws {
        let address = try SocketAddress(text)
        #expect(address.host == host)
        #expect(address.port == UInt16(port))
        #expect(address.description == text)
        #expect(address.path == nil)
    }

    @Test(arguments: [
        "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+80", "127.0.0.1: 80", "127.1:80",
        "256.0.0.1:80", "0127.0.0.1:80", "localhost:80", "::1:80", "[::1]", "[::1:80", "::1]:80", "[127.0.0.1]:80", "[]:80",
        "[fe80::1%nosuchif]:80", "[fe80::1%]:80", "[::1%0]:80", "127.0.0.1\u{0}:80", "[::1\u{0}]:80", "1.2.3.4:80:90",
        "relative/path.sock",
    ])
    func refusesWhatIsNoAddress(text: String) {
        #expect(throws: SocketAddressError.self) { try SocketAddress(text) }
    }

    @Test func takesHostWithOrWithoutBrackets() throws {
        #expect(try SocketAddress(host: "::1", port: 5) == SocketAddress(host: "[::1]", port: 5))
    }

    @Test func limitsPathsToWhatTheKernelTakes() throws {
        let longest = "/" + String(repeating: "a", count: 106)
        #expect(try SocketAddress(unixPath: longest).path == longest)
        #expect(throws: SocketAddressError.pathTooLong(longest + "b")) { try SocketAddress(unixPath: longest + "b") }
        // Bytes count, not characters.
        #expect(throws: SocketAddressError.self) { try SocketAddress(unixPath: "/" + String(repeating: "é", count: 54)) }
        #expect(throws: SocketAddressError.emptyPath) { try SocketAddress(unixPath: "") }
        #expect(throws: SocketAddressError.emptyPath) { try SocketAddress(unixPath: "/a\u{0}b") }
        #expect(SocketAddressError.pathTooLong(longest + "b").description.contains("108 bytes"))
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.255.0.9:1", true), ("128.0.0.1:1", false), ("[::1]:1", true), ("[::2]:1", false),
        ("[::ffff:127.9.9.9]:1", true), ("[::ffff:10.0.0.1]:1", false), ("[::]:1", false), ("/run/x", true),
    ])
    func knowsLoopback(text: String, expected: Bool) throws {
        #expect(try SocketAddress(text).isLoopback == expected)
    }

    @Test(arguments: ["127.1.2.3:4", "[2001:db8::5]:6", "[fe80::1%3]:7", "/tmp/some.sock"])
    func survivesTheKernelsForm(text: String) throws {
        let address = try SocketAddress(text)
        let back = address.withNative { native, length in
            var storage = sockaddr_storage()
            memcpy(&storage, native, Int(length))
            return SocketAddress(native: storage, length: Int(length))
        }
        #expect(back == address)
    }

    @Test(arguments: [0, 1, 2, 3, 110, 128, 4096]) func readsAnyLengthTheKernelMayReport(length: Int) {
        var native = sockaddr_storage()
        native.ss_family = sa_family_t(AF_UNIX)
        #expect(SocketAddress(native: native, length: length)?.description == "unnamed unix socket")
        native.ss_family = sa_family_t(AF_NETLINK)
        #expect(SocketAddress(native: native, length: length) == nil)
    }
}
