import JSON

/// What a setting may be.
public enum SettingKind: Equatable, Sendable {
    case choice([String])
    case boolean
    /// An absolute path.
    case path
    /// Text of at most ``maximumTextBytes`` bytes that is not blank.
    case text
    /// The name of a branch.
    case branch
    /// A program and its arguments on one line, which ``CommandWords`` splits.
    case command
    /// An https address, or an http address of this computer.
    case address

    public static let maximumTextBytes = 8_192

    /// What a value must be, as the end of a sentence.
    var requirement: String {
        switch self {
        case .choice(let words): "must be " + words.map { "\"\($0)\"" }.joined(separator: " or ")
        case .boolean: "must be true or false"
        case .path: "must be an absolute path"
        case .text: "must be text of at most \(Self.maximumTextBytes) bytes that is not blank"
        case .branch: "must be the name of a branch"
        case .command: "must be a command on one line, with its quotes closed"
        case .address: "must be an https address, or an http address of this computer such as http://127.0.0.1:8080"
        }
    }

    /// The kind in a word or two, for help and lists.
    var name: String {
        switch self {
        case .choice(let words): words.joined(separator: " or ")
        case .boolean: "true or false"
        case .path: "absolute path"
        case .text: "text"
        case .branch: "branch"
        case .command: "command"
        case .address: "address"
        }
    }

    /// The value that a word of a command line stands for; not checked yet.
    func value(ofWord word: String) -> JSONValue {
        guard self == .boolean else { return .string(word) }
        switch word.lowercased() {
        case "true", "yes", "on": return .bool(true)
        case "false", "no", "off": return .bool(false)
        default: return .string(word)
        }
    }

    /// Whether a value fits.
    func accepts(_ value: JSONValue) -> Bool {
        if self == .boolean { return value.bool != nil }
        guard let text = value.string, text.utf8.count <= Self.maximumTextBytes, !text.utf8.contains(0) else { return false }
        return switch self {
        case .boolean: false
        case .choice(let words): words.contains(text)
        case .path: text.hasPrefix("/") && !text.contains(where: \.isNewline)
        case .text: !text.allSatisfy(\.isWhitespace)
        case .branch: Self.isBranch(text)
        case .command: !text.contains(where: \.isNewline) && CommandWords.split(text)?.first?.isEmpty == false
        case .address: ServiceAddress.isGood(text)
        }
    }

    /// What git takes for the name of a branch, as far as it matters here: no option, no range, no white space.
    private static func isBranch(_ text: String) -> Bool {
        guard (1...255).contains(text.utf8.count), !text.hasPrefix("-"), !text.contains(".."), !text.hasSuffix("/") else { return false }
        return text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7f && !"~^:?*[\\".unicodeScalars.contains($0) }
    }
}
