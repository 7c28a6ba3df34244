import JSON

/// Makes the line by which a session without a name is told apart from what its user wrote first.
public enum Preview {
    /// Longest preview, in characters.
    public static let maximumCharacters = 80

    /// The first line of `text` with something in it; `nil` when there is none or the CLI wrote the text, not the user.
    ///
    /// Looks at the first 64 KiB of the text and the first 2 KiB of a line.
    public static func line(of text: some StringProtocol) -> String? {
        let bytes = Array(text.utf8.prefix(65_536))
        var rest = bytes[...]
        // Editors put what they have open before the request itself.
        for heading in editorHeadings {
            if let end = bytes.withUnsafeBytes({ ByteSearch.lastOccurrence(of: heading, afterFirstOf: $0) }) {
                rest = bytes[(end + heading.count)...]
                break
            }
        }
        for line in rest.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let line = line.drop { $0 == 0x20 || $0 == 0x09 }
            if isInjected(line) { return nil }
            let plain = plain(String(decoding: line.prefix(2048), as: UTF8.self))
            if !plain.isEmpty { return plain }
        }
        return nil
    }

    private static let editorHeadings = ["## My request for Codex:", "## My request:"].map { Array($0.utf8) }
    private static let injectedPrefixes = ["# AGENTS.md instructions", "# Context from my IDE", "Warning: The maximum number of unified exec"]
        .map { Array($0.utf8) }
    private static let injectedTags = ["INSTRUCTIONS", "instructions", "permissions", "skill", "skills", "context"].map { Array($0.utf8) }

    /// Whether the line opens one of the blocks the CLI adds in the user's role, such as `<environment_context>`.
    private static func isInjected(_ line: ArraySlice<UInt8>) -> Bool {
        if injectedPrefixes.contains(where: { line.starts(with: $0) }) { return true }
        guard line.first == UInt8(ascii: "<"), let end = line.firstIndex(of: UInt8(ascii: ">")) else { return false }
        let tag = line[(line.startIndex + 1)..<end].prefix { $0 != 0x20 }
        let isCompound = tag.contains(0x5f) && tag.allSatisfy { $0 == 0x5f || (0x61...0x7a).contains($0 | 0x20) }
        return isCompound || injectedTags.contains { tag.elementsEqual($0) }
    }

    /// Without control characters and outer white space, cut to the longest preview.
    private static func plain(_ line: String) -> String {
        var text = Substring(String(String.UnicodeScalarView(line.unicodeScalars.filter { !isControl($0) }.prefix(maximumCharacters * 8))))
        while text.first?.isWhitespace == true { text.removeFirst() }
        text = text.prefix(maximumCharacters)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// Control characters, and the invisible ones that reorder text; joiners of emoji stay.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f...0x9f, 0x2028, 0x2029: true
        case 0..<0x80, 0x200d: false
        default: scalar.properties.generalCategory == .format
        }
    }

    /// The preview line of a message's `content`: its first text part that the user wrote.
    static func line(ofContent content: JSONValue?) -> String? {
        if let text = content?.string { return line(of: text) }
        return content?.array?.lazy.compactMap { $0["text"]?.string }.compactMap { line(of: $0) }.first
    }
}
