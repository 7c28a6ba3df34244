/// An IPv4 address and what kind it is.
public struct IPv4Address: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The four bytes, the first one highest.
    public let value: UInt32

    public init(value: UInt32) { self.value = value }

    public init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        value = UInt32(first) << 24 | UInt32(second) << 16 | UInt32(third) << 8 | UInt32(fourth)
    }

    /// Reads four decimal numbers with dots between them; nothing shorter, no leading zeros (which some readers take for octal), no spaces.
    public init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
            var number: UInt32 = 0
            for byte in part {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + UInt32(byte - UInt8(ascii: "0"))
            }
            guard number <= 255 else { return nil }
            value = value << 8 | number
        }
        self.value = value
    }

    /// 10/8, 172.16/12 or 192.168/16.
    public var isPrivate: Bool { isIn(10, 0, prefix: 8) || isIn(172, 16, prefix: 12) || isIn(192, 168, prefix: 16) }
    /// 127/8.
    public var isLoopback: Bool { isIn(127, 0, prefix: 8) }
    /// 100.64/10, where Tailscale gives out addresses.
    public var isTailnet: Bool { isIn(100, 64, prefix: 10) }
    /// 169.254/16.
    public var isLinkLocal: Bool { isIn(169, 254, prefix: 16) }
    /// 224/4.
    public var isMulticast: Bool { isIn(224, 0, prefix: 4) }
    /// 0/8, of which 0.0.0.0 means every address of the computer.
    public var isUnspecified: Bool { isIn(0, 0, prefix: 8) }
    /// 255.255.255.255.
    public var isBroadcast: Bool { value == .max }

    private func isIn(_ first: UInt32, _ second: UInt32, prefix: UInt32) -> Bool {
        (value ^ (first << 24 | second << 16)) >> (32 - prefix) == 0
    }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    public var description: String { "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)" }
}
