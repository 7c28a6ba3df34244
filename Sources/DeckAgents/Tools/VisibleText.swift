/// Text of a model made fit to decide by: every character can be seen, and nothing in it commands a terminal or reorders the words around it.
enum VisibleText {
    /// The text with line breaks, tabs, control and invisible characters as escapes.
    static func line(_ text: String, limit: Int = 8_192) -> String { escaped(text, limit: limit) }

    /// The text line by line, each as ``line(_:limit:)``.
    static func lines(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0), limit: .max) }
    }

    /// The words of a command as a shell would have to be given them.
    static func words(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }

    private static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "_-./:=@%+,".utf8.contains(byte)
        }
        if isPlain { return word }
        guard escaped(word, limit: .max) == word else {
            // With its backslashes doubled: else a line break and the two characters that stand for it would look the same.
            return "$'" + escaped(word.replacing("\\", with: "\\\\"), limit: .max).replacing("'", with: "\\'") + "'"
        }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }

    private static func escaped(_ text: String, limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            let blanks = rest.prefix { $0 == " " }.count
            if blanks > longestGap {
                result.append(contentsOf: " …\(blanks) blanks… ".unicodeScalars)
                rest = rest.dropFirst(blanks)
                continue
            }
            rest = rest.dropFirst()
            guard count < limit else {
                result.append(contentsOf: "…".unicodeScalars)
                break
            }
            count += 1
            if isVisible(scalar) { result.append(scalar) } else { result.append(contentsOf: escape(scalar).unicodeScalars) }
        }
        return String(result)
    }

    /// Blanks in a row that are shown; more would push what follows off the screen.
    private static let longestGap = 64

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20...0x7e).contains(scalar.value) { return true }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
        // Other blanks look like the usual one and are not.
        case .spaceSeparator: return false
        // The Braille pattern without dots is a blank too.
        default: return scalar != "\u{2800}" && !properties.isDefaultIgnorableCodePoint
        }
    }
}
