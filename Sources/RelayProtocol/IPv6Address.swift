/// An IPv6 address, as far as listening on one needs it.
public struct IPv6Address: Hashable, Sendable, CustomStringConvertible {
    /// The first and the last eight bytes.
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the forms of RFC 4291, `::` and a dotted IPv4 tail included; no zone, brackets or prefix length.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (2...45).contains(bytes.count) else { return nil }
        let halves = Self.halves(of: bytes)
        guard let head = Self.groups(halves.head, mayEndInIPv4: halves.tail == nil) else { return nil }
        var groups = head
        if let tailBytes = halves.tail {
            guard let tail = Self.groups(tailBytes, mayEndInIPv4: true), head.count + tail.count <= 7 else { return nil }
            groups += Array(repeating: 0, count: 8 - head.count - tail.count) + tail
        }
        guard groups.count == 8 else { return nil }
        high = groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
        low = groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
    }

    /// What stands before and after the first `::`; no tail when there is none.
    private static func halves(of bytes: [UInt8]) -> (head: ArraySlice<UInt8>, tail: ArraySlice<UInt8>?) {
        let colon = UInt8(ascii: ":")
        for index in bytes.indices.dropLast() where bytes[index] == colon && bytes[index + 1] == colon {
            return (bytes[..<index], bytes[(index + 2)...])
        }
        return (bytes[...], nil)
    }

    private static func groups(_ bytes: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt16]? {
        if bytes.isEmpty { return [] }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var groups: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let address = IPv4Address(String(decoding: part, as: UTF8.self)) else { return nil }
                groups += [UInt16(truncatingIfNeeded: address.value >> 16), UInt16(truncatingIfNeeded: address.value)]
            } else {
                guard (1...4).contains(part.count), part.allSatisfy(isHexadecimal),
                    let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: false
        }
    }

    public static let loopback = Self(high: 0, low: 1)

    /// `::1`.
    public var isLoopback: Bool { self == .loopback }
    /// fd7a:115c:a1e0::/48, where Tailscale gives out addresses.
    public var isTailnet: Bool { high >> 16 == 0xfd7a_115c_a1e0 }
    /// `::`.
    public var isUnspecified: Bool { high == 0 && low == 0 }
    /// fe80::/10.
    public var isLinkLocal: Bool { high >> 54 == 0xfe80 >> 6 }
    /// ff00::/8.
    public var isMulticast: Bool { high >> 56 == 0xff }

    /// The sixteen bytes in the order of the network.
    public var bytes: [UInt8] {
        (0..<16).map { index in UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8)) }
    }

    /// The form of RFC 5952: lower case, the longest run of at least two zero groups as `::`.
    public var description: String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - $0 % 4 * 16)) }
        var run = 0..<0
        var index = 0
        while index < 8 {
            let end = groups[index...].firstIndex { $0 != 0 } ?? 8
            if end - index > max(run.count, 1) { run = index..<end }
            index = max(end, index + 1)
        }
        func text(_ part: ArraySlice<UInt16>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
        if run.isEmpty { return text(groups[...]) }
        return text(groups[..<run.lowerBound]) + "::" + text(groups[run.upperBound...])
    }
}
