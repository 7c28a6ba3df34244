import DeckClient
import RelayProtocol

/// The six lower keys with what lies on them, and the stick, the dial and the reasoning. A click is the key that is written there.
struct ControlsView {
    let keys: [LowerKey]
    let profile: LayoutProfile
    /// What the selected computer has on its keys and its stick; `nil` when it was not heard.
    let layout: KeyLayout?
    let glyphs: GlyphSet

    private func label(_ key: LowerKey) -> String {
        let label = CellText.clean(key.label, glyphs)
        return label.isEmpty ? "-" : label
    }

    /// All six in a row.
    func line(columns: Int) -> StyledLine {
        let width = (columns - 1) / 6
        guard width >= 10 else { return narrow(columns: columns) }
        var line = StyledLine()
        for (index, key) in keys.prefix(6).enumerated() {
            let target = ClickTarget.key(.function(index + 1))
            var cell = StyledLine(" F\(index + 1) ", .key, target)
            cell.append(CellText.clipped(label(key), to: min(width, 14) - 4, glyphs), style(key), target)
            cell.pad(to: min(width, 14))
            line.append(cell)
        }
        return line.clipped(to: columns, glyphs)
    }

    /// The letter of the function keys stands only once, and labels are cut when they have to be.
    private func narrow(columns: Int) -> StyledLine {
        var line = StyledLine()
        for longest in stride(from: 8, through: 3, by: -1) {
            line = StyledLine(" F", .faint)
            for (index, key) in keys.prefix(6).enumerated() {
                let target = ClickTarget.key(.function(index + 1))
                line.append("\(index + 1)", .key, target)
                line.append(CellText.clipped(label(key), to: longest, glyphs), style(key), target)
                line.append(" ")
            }
            if line.columns <= columns { break }
        }
        return line.clipped(to: columns, glyphs)
    }

    /// All six in frames side by side: three rows.
    func framed(columns: Int) -> [StyledLine] {
        let width = min(columns / 6, 16)
        let corners = glyphs.corners
        var rows = [StyledLine](repeating: StyledLine(), count: 3)
        for (index, key) in keys.prefix(6).enumerated() {
            let target = ClickTarget.key(.function(index + 1))
            var top = StyledLine(String(corners.topLeft) + String(corners.horizontal), .frame)
            top.append(" F\(index + 1) ", .key)
            top.pad(to: width - 1, with: corners.horizontal, .frame)
            top.append(String(corners.topRight), .frame)
            var middle = StyledLine(String(corners.vertical), .frame)
            middle.append(" " + CellText.clipped(label(key), to: width - 4, glyphs), style(key))
            middle.pad(to: width - 1)
            middle.append(String(corners.vertical), .frame)
            var bottom = StyledLine(String(corners.bottomLeft), .frame)
            bottom.pad(to: width - 1, with: corners.horizontal, .frame)
            bottom.append(String(corners.bottomRight), .frame)
            for (row, line) in [top, middle, bottom].enumerated() { rows[row].append(line.clickable(target)) }
        }
        return rows
    }

    private func style(_ key: LowerKey) -> TextStyle { key.label.isEmpty ? .faint : key.isAssigned ? .heading : .plain }

    /// What each direction of the stick does there, the dial and the reasoning.
    func stick(columns: Int) -> StyledLine {
        let names = layout?.analogStick ?? KeyLayout.standard.analogStick
        var line = StyledLine(columns < 48 ? " " : " stick ", .faint)
        let directions: [(JoystickDirection, Key)] = [(.up, .shiftUp), (.right, .shiftRight), (.down, .shiftDown), (.left, .shiftLeft)]
        for (direction, key) in directions {
            let name = CellText.clipped(CellText.clean(names[direction] ?? "", glyphs), to: columns < 48 ? 5 : 12, glyphs)
            line.append(String(glyphs.arrow(direction)), .key, .key(key))
            line.append((name.isEmpty ? "-" : name), .plain, .key(key))
            line.append(" ")
        }
        if columns >= 48 { line.append(" ") }
        line.append("E", .key, .key(.character("E")))
        line.append(" dial", .faint, .key(.character("E")))
        line.append("  ")
        line.append("-", .key, .key(.character("-")))
        line.append("/", .faint)
        line.append("+", .key, .key(.character("+")))
        if columns >= 48 { line.append(" reasoning", .faint) }
        let profile = StyledLine([Span("l", .key), Span(" " + profile.rawValue + " ", .faint)]).clickable(.key(.character("l")))
        guard line.columns + profile.columns + 2 <= columns else { return line.clipped(to: columns, glyphs) }
        return StyledLine.spread(line, profile, columns: columns, glyphs)
    }
}
