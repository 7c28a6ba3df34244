import RelayProtocol

/// The 128 bits of a task's identity: merging compares and hashes these instead of 36 characters.
struct IdentityCode: Hashable, Comparable, Sendable {
    let high: UInt64
    let low: UInt64

    init(_ identity: TaskIdentity) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        for byte in identity.uuid.utf8 where byte != UInt8(ascii: "-") {
            // A `TaskIdentity` holds lower-case hexadecimal digits only.
            let digit = UInt64(byte <= UInt8(ascii: "9") ? byte &- UInt8(ascii: "0") : byte &- UInt8(ascii: "a") &+ 10)
            high = high << 4 | low >> 60
            low = low << 4 | digit & 0xf
        }
        self.high = high
        self.low = low
    }

    static func < (left: Self, right: Self) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}
