import Glibc
import Testing

@testable import ServiceManager

struct NotifyAddressTests {
    @Test func aPathIsTakenAsItIs() { #expect(NotifyAddress("/run/n")?.bytes == Array("/run/n".utf8)) }

    @Test func anAbstractNameBeginsWithAZero() { #expect(NotifyAddress("@n")?.bytes == [0, UInt8(ascii: "n")]) }

    @Test("Nothing else is an address", arguments: [
        "", "/", "@", "run/n", "vsock:2:1234", "/a\u{0}b", "@a\u{0}b", "/" + String(repeating: "a", count: 107),
    ])
    func refused(text: String) { #expect(NotifyAddress(text) == nil) }

    @Test("The longest still fits", arguments: ["/", "@"])
    func longest(first: String) throws {
        let address = try #require(NotifyAddress(first + String(repeating: "a", count: 106)))
        let length = address.withNative { $1 }
        // A path counts its closing zero, a name does not.
        #expect(length == 2 + 107 + (first == "/" ? 1 : 0))
    }
}
