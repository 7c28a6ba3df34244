import RelayProtocol

/// All thirty keycaps, to choose one.
enum KeycapView {
    /// The longest name and a blank on either side.
    private static let cellColumns = 7

    static func columns(on size: ScreenSize) -> Int { min(max((size.columns - 1) / cellColumns, 1), 10) }

    static func lines(on size: ScreenSize, chosen: Int, _ use: DashboardScreen.KeycapUse, _ glyphs: GlyphSet) -> [StyledLine] {
        let all = Keycap.allCases
        let columns = columns(on: size)
        var heading = " Keycaps"
        if case .assign(let slot) = use { heading = " Keycap for \(slot.rawValue)" }
        var rows = [StyledLine(heading, .heading)]
        for start in stride(from: 0, to: all.count, by: columns) {
            var row = StyledLine()
            for index in start..<min(start + columns, all.count) {
                row.append(index == chosen ? String(glyphs.pointer) : " ", .focusFrame)
                row.append(all[index].rawValue, index == chosen ? .chosen : .key, .row(index))
                row.pad(to: (index - start + 1) * cellColumns)
            }
            rows.append(row.clipped(to: size.columns, glyphs))
        }
        return rows
    }

    static func hints(_ use: DashboardScreen.KeycapUse) -> [Hints.Hint] {
        [("arrows", "choose"), ("Enter", use == .send ? "send" : "put there"), ("Esc", "back")]
    }
}
