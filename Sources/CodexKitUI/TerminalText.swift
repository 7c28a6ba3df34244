/// Text from elsewhere, made safe to print.
enum TerminalText {
    /// Without characters that command a terminal or reorder what is shown; line breaks and tabs stay.
    static func safe(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x09: result.unicodeScalars.append(scalar)
            case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// In one line and at most so many characters.
    static func line(_ text: String, limit: Int) -> String {
        let flat = safe(text).split(whereSeparator: \.isNewline).joined(separator: " ")
        return flat.count <= limit ? flat : flat.prefix(max(0, limit - 1)) + "…"
    }
}
