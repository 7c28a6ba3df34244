/// The keys of the dashboard, in as many rows as there are, scrolled.
enum HelpView {
    private static let keyColumns = 13

    /// Written out in full: keys that `KeyMap` knows by their number or that move the focus.
    private static let entries: [(String, String)] =
        [
            ("1-6", "open the task on that key"),
            ("F1-F6", "press a lower key"), ("arrows, Tab", "choose a card"), ("mouse", "cards, keys and hints"),
        ] + KeyMap.bindings.map { ($0.name, $0.meaning) }

    static func lines(on size: ScreenSize, offset: Int, _ glyphs: GlyphSet) -> [StyledLine] {
        let shown = entries.dropFirst(bounded(offset, on: size)).prefix(page(on: size))
        return [StyledLine(" Keys", .heading)]
            + shown.map { name, meaning in
                var line = StyledLine(" " + name, .key)
                line.pad(to: keyColumns + 1)
                line.append(meaning)
                return line.clipped(to: size.columns, glyphs)
            }
    }

    static func hints(on size: ScreenSize) -> [Hints.Hint] {
        (entries.count > page(on: size) ? [("arrows", "scroll")] : []) + [("Esc", "close")]
    }

    /// Entries at a time: all rows but the heading, the receipt line and the hints; at least one.
    static func page(on size: ScreenSize) -> Int { max(size.rows - 3, 1) }

    /// An offset that leaves no row empty which could show an entry.
    static func bounded(_ offset: Int, on size: ScreenSize) -> Int { min(max(offset, 0), max(entries.count - page(on: size), 0)) }
}
