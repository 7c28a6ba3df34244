import JSON

/// Makes the line by which a session without a name is told apart from what its user wrote first.
public enum Preview {
    /// Longest preview, in characters.
    public static let maximumCharacters = 80

    /// The first line of `text` with something in it; `nil` when there is none or the CLI wrote the text, not the user.
    public static func line(of text: some StringProtocol) -> String? {
        var text = Substring(text)
        // Editors put what they have open before the request itself.
        if let heading = editorHeadings.lazy.compactMap({ Self.range(of: $0, in: text) }).first { text = text[heading.upperBound...] }
        guard let line = text.split(whereSeparator: \.isNewline).lazy.map(trim).first(where: { !$0.isEmpty }), !isInjected(line) else {
            return nil
        }
        return String(line.unicodeScalars.filter { !isControl($0) }.prefix(maximumCharacters * 8).reduce(into: "") { $0.unicodeScalars.append($1) }
            .prefix(maximumCharacters))
    }

    private static let editorHeadings = ["## My request for Codex:", "## My request:"]
    private static let injectedPrefixes = ["# AGENTS.md instructions", "# Context from my IDE", "Warning: The maximum number of unified exec"]

    /// Whether the line opens one of the blocks the CLI adds in the user's role, such as `<environment_context>`.
    private static func isInjected(_ line: Substring) -> Bool {
        if injectedPrefixes.contains(where: { line.hasPrefix($0) }) { return true }
        guard line.utf8.first == UInt8(ascii: "<"), let end = line.utf8.firstIndex(of: UInt8(ascii: ">")) else { return false }
        let tag = line.utf8[line.utf8.index(after: line.startIndex)..<end].prefix { $0 != 0x20 }
        return tag.contains(UInt8(ascii: "_")) && tag.allSatisfy { $0 == 0x5f || (0x61...0x7a).contains($0 | 0x20) }
            || injectedTags.contains { tag.elementsEqual($0.utf8) }
    }

    private static let injectedTags = ["INSTRUCTIONS", "instructions", "permissions", "skill", "skills", "context"]

    /// Control characters, and the invisible ones that reorder text; joiners of emoji stay.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) || scalar.properties.generalCategory == .format && scalar.value != 0x200d
    }

    private static func trim(_ line: Substring) -> Substring {
        var line = line
        while line.first?.isWhitespace == true { line.removeFirst() }
        while line.last?.isWhitespace == true { line.removeLast() }
        return line
    }

    private static func range(of heading: String, in text: Substring) -> Range<Substring.Index>? {
        var start = text.startIndex
        while let hash = text[start...].firstIndex(of: "#") {
            if text[hash...].hasPrefix(heading) { return hash..<text.index(hash, offsetBy: heading.count) }
            start = text.index(after: hash)
        }
        return nil
    }

    /// The preview line of a message's `content`: its first text part that the user wrote.
    static func line(ofContent content: JSONValue?) -> String? {
        if let text = content?.string { return line(of: text) }
        return content?.array?.lazy.compactMap { $0["text"]?.string }.compactMap { line(of: $0) }.first
    }
}
