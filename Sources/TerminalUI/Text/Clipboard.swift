/// What the clipboard sequence of terminals needs.
enum Clipboard {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func base64(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var value = group.reduce(0) { $0 << 8 | Int($1) }
            value <<= 8 * (3 - group.count)
            for position in 0..<4 { result.append(position <= group.count ? letters[value >> (18 - 6 * position) & 63] : UInt8(ascii: "=")) }
        }
        return result
    }
}
