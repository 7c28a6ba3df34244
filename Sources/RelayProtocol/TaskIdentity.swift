/// The identity of a task: the UUID at the end of its key, lower case.
///
/// Keys, slots and titles change while a task lives; the identity never does, so everything that
/// joins, acknowledges or commands a task goes by this value.
public struct TaskIdentity: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// 36 characters: lower-case hexadecimal digits in the 8-4-4-4-12 form.
    public let uuid: String

    /// Reads a UUID in any case.
    ///
    /// - Returns: `nil` when `text` is not a UUID in the 8-4-4-4-12 form.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 36, let uuid = Self.lowered(String(text)) else { return nil }
        self.uuid = uuid
    }

    /// Not generic, so that it is fast for callers in other modules too.
    private static func lowered(_ text: String) -> String? {
        var isLowerCase = true
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, _), (13, _), (18, _), (23, _):
                guard byte == UInt8(ascii: "-") else { return nil }
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")): break
            case (_, UInt8(ascii: "A")...UInt8(ascii: "F")): isLowerCase = false
            default: return nil
            }
        }
        return isLowerCase ? text : text.lowercased()
    }

    public var description: String { uuid }

    public static func < (left: Self, right: Self) -> Bool { left.uuid < right.uuid }
}

/// The key by which a host names a task on the wire, spelled as its owner spells it.
///
/// Up to three prefixes (`[a-z][a-z0-9_-]{0,31}:`, read in any case) and a UUID. Desktop nodes compare
/// keys letter by letter, so ``rawValue`` is what goes into a command.
public struct TaskKey: Hashable, Sendable, CustomStringConvertible {
    /// The spelling of the owner.
    public let rawValue: String
    /// What the key means.
    public let identity: TaskIdentity
    /// The prefixes without their colons, lower case, at most three.
    public let prefixes: [String]

    /// - Returns: `nil` when `rawValue` does not have the form of a key.
    public init?(_ rawValue: String) {
        let bytes = rawValue.utf8
        guard let split = bytes.index(bytes.endIndex, offsetBy: -36, limitedBy: bytes.startIndex),
            let identity = TaskIdentity(rawValue[split...]), let prefixes = Self.prefixes(rawValue[..<split])
        else { return nil }
        self.rawValue = rawValue
        self.identity = identity
        self.prefixes = prefixes
    }

    /// The key a Linux node gives its own tasks: `local:<uuid>`.
    public init(local identity: TaskIdentity) {
        rawValue = "local:" + identity.uuid
        self.identity = identity
        prefixes = ["local"]
    }

    /// Whether the desktop app gave this key to a thread that had no identity of its own yet.
    public var isTemporary: Bool { prefixes.contains("client-new-thread") }

    public var description: String { rawValue }

    /// The words before the colons of `text`, which is empty or ends in one; `nil` when they are none or too many.
    private static func prefixes(_ text: Substring) -> [String]? {
        var rest = text.utf8
        var prefixes: [String] = []
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            guard prefixes.count < 3, isPrefix(rest[..<colon]) else { return nil }
            prefixes.append(String(decoding: rest[..<colon], as: UTF8.self).lowercased())
            rest = rest[rest.index(after: colon)...]
        }
        return rest.isEmpty ? prefixes : nil
    }

    private static func isPrefix(_ bytes: Substring.UTF8View) -> Bool {
        guard (1...32).contains(bytes.count), let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5f || $0 == 0x2d }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
}
