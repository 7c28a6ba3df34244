/// Splits a command line into words as a shell does, and does nothing else that a shell does: no variables, no patterns, no pipes.
public enum CommandWords {
    /// The words; `nil` when a quote is not closed or the line ends with a backslash. A blank line has none.
    ///
    /// Single quotes keep everything; double quotes keep everything but `\"` and `\\`; outside of quotes a backslash keeps the next character.
    public static func split(_ line: String) -> [String]? {
        var words: [String] = [], word = ""
        // Quotes begin a word even when nothing stands between them.
        var isInWord = false
        var quote: Character?
        var rest = line[...]
        while let character = rest.popFirst() {
            if character == quote {
                quote = nil
            } else if character == "\\", quote != "'" {
                guard let next = rest.popFirst() else { return nil }
                if quote != nil, next != "\"", next != "\\" { word.append(character) }
                word.append(next)
                isInWord = true
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                isInWord = true
            } else if quote == nil, character.isWhitespace {
                if isInWord { words.append(word) }
                (word, isInWord) = ("", false)
            } else {
                word.append(character)
                isInWord = true
            }
        }
        guard quote == nil else { return nil }
        if isInWord { words.append(word) }
        return words
    }
}
