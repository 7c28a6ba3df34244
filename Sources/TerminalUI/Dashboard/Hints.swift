/// The keys that the last rows remind of. A click on a hint is the key itself.
enum Hints {
    typealias Hint = (key: String, meaning: String)

    /// On the board, in a single row.
    static let narrow: [Hint] = [("a d", "answer"), ("b", "bell"), ("1-6", "open"), ("?", "help"), ("q", "quit")]

    /// On the board: what acts on the task or the computer, and what shows something.
    static let acting: [Hint] = [
        ("a", "approve"), ("d", "decline"), ("F", "fast"), ("S", "fork"), ("P", "plan"), ("B", "back"), ("N", "new"), ("C", "send"), ("o", "open"),
        ("k", "keycaps"), ("R", "reset limit"), ("r", "reconnect"),
    ]
    static let looking: [Hint] = [
        ("Enter", "details"), ("b", "bell"), ("f", "follow"), ("n", "nodes"), ("l", "layout"), ("h", "host"), ("s", "settings"), ("e", "commands"),
        ("?", "help"), ("q", "quit"),
    ]

    /// On a board without a computer.
    static let beginning: [Hint] = [("p", "pair a computer"), ("s", "settings"), ("?", "help"), ("q", "quit")]

    /// As many as fit. The last `always` of more are always there: without them nobody finds the others or the way out.
    static func line(_ hints: [Hint], columns: Int, always count: Int = 2, _ glyphs: GlyphSet) -> StyledLine {
        let always = hints.suffix(count)
        var room = columns - always.reduce(0) { $0 + width($1) }
        let others = hints.dropLast(count).prefix { hint in
            room -= width(hint)
            return room >= 0
        }
        var line = StyledLine()
        for hint in others + always {
            let target = key(named: hint.key).map(ClickTarget.key)
            line.append(line.columns == 0 ? " " : "  ", .key)
            line.append(hint.key, .key, target)
            line.append(" " + hint.meaning, .faint, target)
        }
        return line.clipped(to: columns, glyphs)
    }

    private static func width(_ hint: Hint) -> Int { hint.key.count + hint.meaning.count + 3 }

    private static func key(named name: String) -> Key? {
        switch name {
        case "Enter": .enter
        case "Esc": .escape
        case "Space": .character(" ")
        case "Ctrl-U": .character("\u{15}")
        default: name.count == 1 ? name.first.map(Key.character) : nil
        }
    }
}
