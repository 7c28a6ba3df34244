/// The keys of the dashboard: in two columns where there is room for both, and scrolled where there are more than fit.
enum HelpView {
    private static let keyColumns = 13
    /// What an entry takes at most, which tests see to.
    static let entryColumns = 40

    /// Written out in full: keys that `KeyMap` knows by their number or that move the focus.
    static let entries: [(name: String, meaning: String)] =
        [
            ("1-6", "open the task on that key"),
            ("F1-F6", "press a lower key"), ("arrows, Tab", "choose a card"), ("mouse", "cards, keys and hints"),
        ] + KeyMap.bindings.map { ($0.name, $0.meaning) }

    static func lines(on size: ScreenSize, offset: Int, _ glyphs: GlyphSet) -> [StyledLine] {
        let first = bounded(offset, on: size)
        let shown = entries.dropFirst(first).prefix(page(on: size) * columns(on: size)).map(line)
        let rows = columns(on: size) == 1 ? shown.count : (entries.count + 1) / 2
        let left = StyledLine(" Keys", .heading)
        let heading = ListWindow.heading(
            left, count: entries.count, chosen: first + shown.count - 1, room: shown.count, columns: size.columns, glyphs)
        return [heading]
            + (0..<min(rows, shown.count)).map { index in
                var row = shown[index]
                if columns(on: size) == 2, shown.indices.contains(index + rows) {
                    row.pad(to: entryColumns)
                    row.append(shown[index + rows])
                }
                return row.clipped(to: size.columns, glyphs)
            }
    }

    private static func line(_ entry: (name: String, meaning: String)) -> StyledLine {
        var line = StyledLine(" " + entry.name, .key)
        line.pad(to: keyColumns + 1)
        line.append(entry.meaning)
        return line
    }

    static func hints(on size: ScreenSize) -> [Hints.Hint] {
        (entries.count > page(on: size) * columns(on: size) ? [("arrows", "scroll")] : []) + [("Esc", "close")]
    }

    /// Two where both hold everything.
    private static func columns(on size: ScreenSize) -> Int { size.columns >= 2 * entryColumns && page(on: size) * 2 >= entries.count ? 2 : 1 }

    /// Entries in a column at a time: all rows but the heading, the receipt line and the hints; at least one.
    static func page(on size: ScreenSize) -> Int { max(size.rows - 3, 1) }

    /// An offset that leaves no row empty which could show an entry.
    static func bounded(_ offset: Int, on size: ScreenSize) -> Int {
        min(max(offset, 0), max(entries.count - page(on: size) * columns(on: size), 0))
    }
}
