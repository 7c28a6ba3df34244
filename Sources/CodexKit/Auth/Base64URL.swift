import FoundationEssentials

/// Base64 with `-` and `_` and without padding, as tokens and PKCE use it.
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = Data(bytes).base64EncodedString()
        while text.hasSuffix("=") { text.removeLast() }
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// `nil` for what is not of this form.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var standard = ""
        for character in text.unicodeScalars {
            switch character {
            case "-": standard += "+"
            case "_": standard += "/"
            case "+", "/", "=": return nil
            default: standard.unicodeScalars.append(character)
            }
        }
        while standard.utf8.count % 4 != 0 { standard += "=" }
        return Data(base64Encoded: standard).map { [UInt8]($0) }
    }
}
