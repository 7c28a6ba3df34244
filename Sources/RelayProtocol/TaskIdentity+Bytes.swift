extension TaskIdentity {
    /// A UUID of version 4 (RFC 9562, section 5.4) from sixteen random bytes; missing bytes count as zero, further ones are ignored.
    public init(bytes: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<16 {
            var byte = bytes.indices.contains(index) ? bytes[index] : 0
            if index == 6 { byte = byte & 0x0f | 0x40 }
            if index == 8 { byte = byte & 0x3f | 0x80 }
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        uuid = String(decoding: text, as: UTF8.self)
    }

    /// When the identity was made, from its first 48 bits; `nil` unless it is a UUID of version 7 (RFC 9562, section 5.7).
    public var createdAt: UnixMilliseconds? {
        let digits = Array(uuid.utf8)
        guard digits[14] == UInt8(ascii: "7") else { return nil }
        return Int64(String(decoding: digits[..<8] + digits[9..<13], as: UTF8.self), radix: 16).map { UnixMilliseconds(clamping: $0) }
    }
}
