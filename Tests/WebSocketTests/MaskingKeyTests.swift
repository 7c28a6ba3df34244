import Testing

@testable import WebSocket

struct MaskingKeyTests {
    private static func mask(_ bytes: [UInt8], _ key: MaskingKey, offset: Int = 0) -> [UInt8] {
        var copy = bytes
        copy.withUnsafeMutableBytes { key.apply(to: $0, offset: offset) }
        return copy
    }

    @Test func masksTheExampleOfTheRFC() {
        #expect(Self.mask(Array("Hello".utf8), MaskingKey(0x37, 0xFA, 0x21, 0x3D)) == [0x7F, 0x9F, 0x4D, 0x51, 0x58])
    }

    @Test("Words and single bytes give what the definition gives", arguments: 0...40)
    func followsTheDefinition(length: Int) {
        var random = SeededRandom(UInt64(length))
        let (bytes, key) = (random.bytes(length), random.bytes(4))
        let expected = bytes.enumerated().map { $1 ^ key[$0 % 4] }
        #expect(Self.mask(bytes, MaskingKey(key[0], key[1], key[2], key[3])) == expected)
    }

    @Test("A payload may be masked in two pieces", arguments: 0...21)
    func continuesAtAnyOffset(cut: Int) {
        let key = MaskingKey(1, 2, 0xFE, 0x80)
        let bytes = SeededRandom(7).firstBytes(21)
        let pieces = Self.mask(Array(bytes[..<cut]), key) + Self.mask(Array(bytes[cut...]), key, offset: cut)
        #expect(pieces == Self.mask(bytes, key))
    }

    @Test func drawsANewKeyForEveryFrame() {
        var random = SeededRandom(3)
        #expect(MaskingKey(using: &random) != MaskingKey(using: &random))
    }
}

extension SeededRandom {
    fileprivate func firstBytes(_ count: Int) -> [UInt8] {
        var copy = self
        return copy.bytes(count)
    }
}
