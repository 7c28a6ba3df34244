/// Makes text from outside fit for one line of a terminal, a log or a title.
public enum DisplayText {
    /// Combining marks kept on one character: no script needs more, and hundreds would cover the lines around it.
    private static let maximumMarks = 8

    /// `text` on one line: white space of every kind, line breaks included, becomes single spaces; control characters (ESC and the 8-bit
    /// ones among them), direction overrides, zero-width and other invisible characters go. An emptied text is `""`.
    public static func singleLine(_ text: String) -> String {
        if isClean(text) { return text }
        var result = String.UnicodeScalarView()
        var pendingSpace = false
        var marks = 0
        for scalar in text.unicodeScalars {
            let role = role(of: scalar)
            switch role {
            case .space: pendingSpace = !result.isEmpty
            case .invisible: break
            case .mark where marks >= maximumMarks: break
            case .mark, .visible:
                if pendingSpace { result.append(" ") }
                pendingSpace = false
                marks = role == .mark ? marks + 1 : 0
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// ``singleLine(_:)``, cut after `maximumCharacters` characters as a reader counts them.
    ///
    /// - Parameter maximumCharacters: 0 or more.
    public static func sanitized(_ text: String, maximumCharacters: Int) -> String {
        clippedLine(singleLine(text), maximumCharacters: maximumCharacters)
    }

    /// The beginning of a clean line, which stays clean: the cut leaves no blank at its end.
    public static func clippedLine(_ line: String, maximumCharacters: Int, maximumUTF16Units: Int = .max) -> String {
        var cut = clipped(line, maximumCharacters: maximumCharacters, maximumUTF16Units: maximumUTF16Units)
        while cut.unicodeScalars.last == " " { cut.unicodeScalars.removeLast() }
        return cut
    }

    /// The beginning of `text` within both limits, never cut inside a character, unless its first one is longer than that by itself.
    public static func clipped(_ text: String, maximumCharacters: Int = .max, maximumUTF16Units: Int = .max) -> String {
        // There are at least as many bytes as UTF-16 units, and as many of those as characters.
        if text.utf8.count <= min(maximumCharacters, maximumUTF16Units) { return text }
        var units = 0
        var characters = 0
        var index = text.startIndex
        while index < text.endIndex, characters < maximumCharacters {
            let next = text.index(after: index)
            units += text[index..<next].utf16.count
            if units > maximumUTF16Units { break }
            characters += 1
            index = next
        }
        if index == text.startIndex, maximumCharacters > 0 { return firstScalars(of: text, maximumUTF16Units: maximumUTF16Units) }
        return String(text[..<index])
    }

    private static func firstScalars(of text: String, maximumUTF16Units: Int) -> String {
        var result = String.UnicodeScalarView()
        var units = 0
        for scalar in text.unicodeScalars {
            units += UTF16.width(scalar)
            if units > maximumUTF16Units { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// Printable ASCII without anything to collapse or trim.
    private static func isClean(_ text: String) -> Bool {
        var previous = UInt8(ascii: " ")
        for byte in text.utf8 {
            guard (0x20...0x7e).contains(byte), byte != 0x20 || previous != 0x20 else { return false }
            previous = byte
        }
        return previous != 0x20 || text.isEmpty
    }

    private enum Role { case visible, mark, space, invisible }

    private static func role(of scalar: Unicode.Scalar) -> Role {
        if (0x21...0x7e).contains(scalar.value) { return .visible }
        let properties = scalar.properties
        if properties.isWhitespace { return .space }
        switch properties.generalCategory {
        case .control, .format, .surrogate: return .invisible
        case .nonspacingMark, .enclosingMark:
            // The two selectors decide between the text and the picture form of an emoji.
            let isSelector = scalar.value == 0xfe0e || scalar.value == 0xfe0f
            return properties.isDefaultIgnorableCodePoint && !isSelector ? .invisible : .mark
        default: return properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint ? .invisible : .visible
        }
    }
}
