import Testing

@testable import TLS

struct ConstantTimeTests {
    @Test("A difference at any place counts", arguments: 0..<43) func comparesEveryByte(position: Int) {
        let token = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFG".utf8)
        var other = token
        #expect(constantTimeEquals(token, other))
        other[position] ^= 0x80
        #expect(!constantTimeEquals(token, other))
    }

    @Test func lengthsMustAgree() {
        #expect(constantTimeEquals([], []))
        #expect(!constantTimeEquals([], [0]))
        #expect(!constantTimeEquals([1, 2], [1, 2, 0]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
    }
}
