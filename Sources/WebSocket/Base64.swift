/// Base64 (RFC 4648, section 4) for the two short values of the handshake; Foundation would cost more to load than this.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for position in 0...3 {
                text.append(position <= group.count ? alphabet[bits >> (18 - 6 * position) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether `text` encodes exactly 16 bytes.
    ///
    /// The four bits that are left over may have any value: they have one in the example of RFC 6455, section 4.1.
    static func encodesSixteenBytes(_ text: String) -> Bool {
        let characters = Array(text.utf8)
        return characters.count == 24 && characters[22...].allSatisfy { $0 == UInt8(ascii: "=") }
            && characters[..<22].allSatisfy(alphabet.contains)
    }
}
