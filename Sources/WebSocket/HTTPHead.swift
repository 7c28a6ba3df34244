/// The first line and the header fields of an HTTP/1.1 message.
struct HTTPHead: Equatable, Sendable {
    struct Field: Equatable, Sendable {
        /// In ASCII lower case.
        let name: String
        /// Without the spaces and tabs around it; bytes that are not UTF-8 are replaced.
        let value: String
    }

    var startLine = ""
    var fields: [Field] = []

    /// - Parameter name: In lower case.
    func values(of name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Whether the comma-separated lists in all fields of this name hold `token`, in any ASCII case.
    func list(_ name: String, contains token: String) -> Bool {
        values(of: name).contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { element in
                Self.lowercased(Self.trimmed(element)) == token
            }
        }
    }

    /// In lower case for ASCII only: full Unicode rules would turn a Kelvin sign into a `k`.
    static func lowercased(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence where Bytes.SubSequence: BidirectionalCollection {
        var rest = bytes[...]
        while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }

    /// Whether a text is one or more visible ASCII characters.
    static func isVisibleASCII(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether a byte may stand in a field name or method (RFC 9110, section 5.6.2).
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}
