/// The four bytes a client XORs over a payload, so that no intermediary can be fed chosen bytes.
public struct MaskingKey: Equatable, Sendable {
    /// The key as on the wire, first byte lowest, whatever the byte order of the machine.
    let value: UInt32

    /// - Parameter random: Unpredictable, and new for every frame.
    public init(using random: inout some RandomNumberGenerator) {
        value = UInt32(truncatingIfNeeded: random.next())
    }

    init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        value = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(fourth) << 24
    }

    /// Masks or unmasks `bytes` in place, eight at a time.
    ///
    /// - Parameter offset: Where in the payload `bytes` begins; a payload may be processed in pieces.
    func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        let shift = UInt32(8 * (offset & 3))
        let rotated = shift == 0 ? value : value >> shift | value << (32 - shift)
        let wide = UInt64(rotated) | UInt64(rotated) << 32
        var index = 0
        while bytes.count - index >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            bytes.storeBytes(of: (word ^ wide).littleEndian, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: rotated >> UInt32(8 * (index & 3)))
            index += 1
        }
    }
}
