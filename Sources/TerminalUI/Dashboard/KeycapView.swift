import RelayProtocol

/// All thirty keycaps, to choose one and send it.
enum KeycapView {
    /// The longest name and a blank on either side.
    private static let cellColumns = 7

    static func columns(on size: ScreenSize) -> Int { min(max((size.columns - 1) / cellColumns, 1), 10) }

    static func lines(on size: ScreenSize, chosen: Int, _ glyphs: GlyphSet) -> [StyledLine] {
        let all = Keycap.allCases
        let columns = columns(on: size)
        var rows = [StyledLine(" Keycaps", .heading)]
        for start in stride(from: 0, to: all.count, by: columns) {
            var row = StyledLine()
            for index in start..<min(start + columns, all.count) {
                row.append(index == chosen ? String(glyphs.pointer) : " ", .focusFrame)
                row.append(all[index].rawValue, index == chosen ? .chosen : .key)
                row.pad(to: (index - start + 1) * cellColumns)
            }
            rows.append(row.clipped(to: size.columns, glyphs))
        }
        return rows
    }

    static func hints(on size: ScreenSize, _ glyphs: GlyphSet) -> StyledLine {
        Hints.line([("arrows", "choose"), ("Enter", "send"), ("Esc", "back")], columns: size.columns, glyphs)
    }
}
