/// One line of a request's or an answer's head.
public struct HTTPField: Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Whether the name is a token and the value holds nothing that could end the line.
    var isValid: Bool {
        (1...256).contains(name.utf8.count) && name.utf8.allSatisfy(Self.isTokenByte)
            && value.utf8.count <= 65_536 && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true  // ! # $ % & ' * + - . ^ _ ` | ~
        default: false
        }
    }

    func isNamed(_ other: String) -> Bool { Self.equal(name, other) }

    /// Equal but for the case of ASCII letters.
    static func equal(_ left: String, _ right: String) -> Bool {
        let a = left.utf8, b = right.utf8
        return a.count == b.count && zip(a, b).allSatisfy { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }
}

extension [HTTPField] {
    /// The value of the first field of that name, whatever its case.
    public subscript(name: String) -> String? { first { $0.isNamed(name) }?.value }
}
