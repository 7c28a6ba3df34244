/// Why bytes are not acceptable JSON. Holds no part of the text, so it can be logged.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        /// The text ends inside a value, or is empty.
        case unexpectedEnd
        /// A byte that cannot stand here: a trailing comma, a leading zero, a bare word, text after the value.
        case unexpectedByte
        /// An escape other than the eight of RFC 8259, or `\u` without four hexadecimal digits.
        case invalidEscape
        /// A control character inside a string.
        case controlCharacter
        /// A string that is not UTF-8.
        case invalidUTF8
        /// A number beyond the range of `Double`, or of more than 1024 characters.
        case numberOutOfRange
        /// Containers nested deeper than the parser allows.
        case tooDeep
        /// The same key twice in one object.
        case duplicateKey
    }

    public let reason: Reason
    /// Bytes before the place where it was noticed.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    public var description: String {
        let what =
            switch reason {
            case .unexpectedEnd: "the text ends inside a value"
            case .unexpectedByte: "a character cannot stand there"
            case .invalidEscape: "an escape in a string is not one of JSON's"
            case .controlCharacter: "a string holds a raw control character"
            case .invalidUTF8: "a string is not UTF-8"
            case .numberOutOfRange: "a number is out of range"
            case .tooDeep: "values are nested too deeply"
            case .duplicateKey: "an object holds the same key twice"
            }
        return "This is not acceptable JSON: at byte \(offset), \(what)."
    }
}
