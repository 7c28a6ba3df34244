/// Pieces of Markdown that hold foreign text without letting it out.
enum MarkdownText {
    /// A block of code. Its fence is longer than any run of backticks inside.
    static func block(_ text: String, language: String = "") -> String {
        let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: text) + 1))
        return fence + language + "\n" + text + (text.hasSuffix("\n") || text.isEmpty ? "" : "\n") + fence
    }

    /// Code within a line.
    static func code(_ text: String) -> String {
        let line = singleLine(text)
        let ticks = String(repeating: "`", count: longestRun(of: "`", in: line) + 1)
        let needsSpace = line.hasPrefix("`") || line.hasSuffix("`") || line.isEmpty
        return needsSpace ? "\(ticks) \(line) \(ticks)" : ticks + line + ticks
    }

    /// A quotation: every line marked, so that nothing in it reaches past it.
    static func quote(_ text: String) -> String {
        lines(text).map { $0.isEmpty ? ">" : "> " + $0 }.joined(separator: "\n")
    }

    /// Plain words within a line of Markdown: what would mark something up is escaped.
    static func words(_ text: String) -> String {
        var result = ""
        for character in singleLine(text) {
            if "\\`*_[]<>#|~".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// Markdown that somebody else wrote, with a fence that it left open closed again.
    static func closed(_ text: String) -> String {
        var open: (mark: Character, length: Int)?
        for line in lines(text) {
            let body = line.drop { $0 == " " }
            guard line.count - body.count <= 3, let mark = body.first, mark == "`" || mark == "~" else { continue }
            let length = body.prefix { $0 == mark }.count
            let rest = body.dropFirst(length)
            if let fence = open {
                if mark == fence.mark, length >= fence.length, rest.allSatisfy(\.isWhitespace) { open = nil }
            } else if length >= 3, mark == "~" || !rest.contains("`") {
                open = (mark, length)
            }
        }
        guard let open else { return text }
        return text + (text.hasSuffix("\n") ? "" : "\n") + String(repeating: open.mark, count: open.length)
    }

    /// The text, with its middle left out when it is longer than `limit` bytes.
    static func cut(_ text: String, limit: Int) -> String {
        let bytes = text.utf8
        guard bytes.count > limit else { return text }
        let half = max(0, limit / 2)
        var head = bytes.index(bytes.startIndex, offsetBy: half), tail = bytes.index(bytes.endIndex, offsetBy: -half)
        // Never inside a character.
        while head > bytes.startIndex, head.samePosition(in: text.unicodeScalars) == nil { bytes.formIndex(before: &head) }
        while tail < bytes.endIndex, tail.samePosition(in: text.unicodeScalars) == nil { bytes.formIndex(after: &tail) }
        let omitted = bytes.distance(from: head, to: tail)
        return text[..<head] + "\n[… \(omitted) bytes left out …]\n" + text[tail...]
    }

    private static func lines(_ text: String) -> [Substring] { text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" } }

    private static func singleLine(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }

    private static func longestRun(of byte: Unicode.Scalar, in text: String) -> Int {
        var longest = 0, run = 0
        for unit in text.utf8 {
            run = unit == UInt8(ascii: byte) ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }
}
