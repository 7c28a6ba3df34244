/// Text that came from elsewhere, made fit for a terminal.
public enum Printable {
    /// Replaces control characters, and those that reorder the text around them, by spaces or `?`; nothing in the result can command
    /// a terminal or break a line.
    public static func line(_ text: String) -> String {
        guard !text.unicodeScalars.allSatisfy(isSafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isSafe(scalar) { result.append(scalar) } else { result.append(isSpace(scalar) ? " " : "?") }
        }
        return String(result)
    }

    static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x061C, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: false
        default: true
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { (0x09...0x0D).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value) }
}
