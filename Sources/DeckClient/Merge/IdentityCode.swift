import RelayProtocol

/// The 128 bits of a task's identity: merging compares and hashes these instead of 36 characters.
struct IdentityCode: Hashable, Comparable, Sendable {
    let high: UInt64
    let low: UInt64

    init(_ identity: TaskIdentity) {
        let uuid = identity.uuid
        // A native string lends its bytes, which is several times as fast as walking along it.
        let words = uuid.utf8.withContiguousStorageIfAvailable { Self.words($0) } ?? Self.words(uuid.utf8)
        high = words.high
        low = words.low
    }

    @inline(__always)
    private static func words(_ bytes: some Sequence<UInt8>) -> (high: UInt64, low: UInt64) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        for byte in bytes where byte != UInt8(ascii: "-") {
            // A `TaskIdentity` holds lower-case hexadecimal digits only: of the letters the low four bits begin with 1 for "a".
            let digit = UInt64(byte & 0xf &+ (byte >> 6) &* 9)
            high = high << 4 | low >> 60
            low = low << 4 | digit
        }
        return (high, low)
    }

    static func < (left: Self, right: Self) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}
