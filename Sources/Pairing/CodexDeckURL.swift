/// The parts of a `codexdeck://` link, percent-decoded: strict, bounded, and without a general URL parser's tolerance.
struct CodexDeckURL {
    /// The longest link that is looked at, in bytes; a real one has about 300.
    static let maximumBytes = 4096

    /// The word after the two slashes, lower case.
    let host: String
    /// What stands between the host and the question mark, `/` included; still encoded.
    let path: String
    /// Every parameter in its order, names and values decoded.
    let parameters: [(name: String, value: String)]

    enum Problem: Error, Equatable { case tooLong, notCodexDeck, malformed }

    /// Reads `text`; blanks and line ends around it are dropped, as a link that was pasted or piped often has them.
    init(_ text: String) throws(Problem) {
        guard text.utf8.count <= Self.maximumBytes else { throw .tooLong }
        var bytes = Array(text.utf8)[...]
        while let last = bytes.last, Self.isBlank(last) { bytes.removeLast() }
        while let first = bytes.first, Self.isBlank(first) { bytes.removeFirst() }

        let scheme = Array("codexdeck://".utf8)
        guard bytes.count > scheme.count, zip(bytes, scheme).allSatisfy({ Self.lowered($0) == $1 }) else { throw .notCodexDeck }
        bytes = bytes.dropFirst(scheme.count)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "#") }) else { throw .malformed }

        let question = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        let front = bytes[..<question]
        let slash = front.firstIndex(of: UInt8(ascii: "/")) ?? front.endIndex
        host = String(decoding: front[..<slash].map(Self.lowered), as: UTF8.self)
        path = String(decoding: front[slash...], as: UTF8.self)
        parameters = try Self.parameters(bytes[question...].dropFirst())
    }

    /// The first value of `name`, or `nil` when the link does not have it.
    func value(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// The name of a parameter that occurs twice, if there is one.
    var repeatedName: String? {
        var seen: Set<String> = []
        return parameters.first { !seen.insert($0.name).inserted }?.name
    }

    private static func parameters(_ query: ArraySlice<UInt8>) throws(Problem) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = decoded(pair[..<equals]), let value = decoded(pair[equals...].dropFirst()) else { throw .malformed }
            parameters.append((name, value))
        }
        return parameters
    }

    /// Percent-decodes `bytes`, where `+` means a blank, as desktop nodes write it.
    ///
    /// - Returns: `nil` for a broken escape, a NUL, or bytes that are not UTF-8.
    static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                result.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else { return nil }
                result.append(high << 4 | low)
            default:
                result.append(byte)
            }
        }
        guard !result.contains(0) else { return nil }
        return String(validating: result, as: UTF8.self)
    }

    /// Percent-encodes all but the bytes that every URL parser leaves alone in a query.
    ///
    /// - Parameter keeping: Further ASCII characters to leave as they are.
    static func encoded(_ text: String, keeping: String = "") -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            if isUnreserved(byte) || keeping.utf8.contains(byte) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += (digits.utf8.count == 1 ? "%0" : "%") + digits
            }
        }
        return result
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x61 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x41 + 10
        default: nil
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
