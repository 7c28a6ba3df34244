import RelayProtocol

/// The rules for the name of a computer: 1 … 128 characters, none of them a control.
public enum HostName {
    /// The longest name, in characters and in UTF-16 units: peers count either.
    public static let maximumLength = 128

    /// `text` when it is a name that peers accept.
    ///
    /// - Returns: `nil` when it is empty or blank, too long, or holds control characters.
    public static func validated(_ text: String) -> String? {
        guard text.utf8.count <= 4 * maximumLength, text.count <= maximumLength, !text.allSatisfy(\.isWhitespace) else { return nil }
        return text.unicodeScalars.contains(where: isControl) ? nil : text
    }

    /// The best name that can be made of `text`, such as the system's host name.
    ///
    /// Controls are dropped, blanks at the ends too, and the end is cut; what is left without a name becomes `Linux computer`.
    public static func cleaned(_ text: String) -> String {
        let line = DisplayText.clippedLine(DisplayText.singleLine(text), maximumCharacters: maximumLength, maximumUTF16Units: maximumLength)
        return line.isEmpty ? "Linux computer" : line
    }

    /// Controls, and the marks that turn the direction of a line round: a name must not repaint the screen it is shown on.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202a...0x202e).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }
}
