/// The keys that the last row reminds of.
enum Hints {
    /// On the board, in the order of the row.
    static func board(columns: Int) -> [(key: String, meaning: String)] { columns < 48 ? narrow : wide }

    private static let narrow = [("1-6", "open"), ("a d", "answer"), ("?", "help"), ("q", "quit")]

    private static let wide = [
        ("1-6", "open"), ("a", "approve"), ("d", "decline"), ("f", "FAST"), ("s", "SPLIT"), ("n", "NEW"), ("c", "CODEX"), ("k", "keycaps"),
        ("r", "reconnect"), ("?", "help"), ("q", "quit"),
    ]

    /// As many as fit. The last two of more are always there: without them nobody finds the others or the way out.
    static func line(_ hints: [(key: String, meaning: String)], columns: Int, _ glyphs: GlyphSet) -> StyledLine {
        let always = hints.suffix(2)
        var room = columns - always.reduce(0) { $0 + width($1) }
        let others = hints.dropLast(2).prefix { hint in
            room -= width(hint)
            return room >= 0
        }
        var line = StyledLine()
        for hint in others + always {
            line.append((line.columns == 0 ? " " : "  ") + hint.key, .key)
            line.append(" " + hint.meaning, .faint)
        }
        return line.clipped(to: columns, glyphs)
    }

    private static func width(_ hint: (key: String, meaning: String)) -> Int { hint.key.count + hint.meaning.count + 3 }
}
