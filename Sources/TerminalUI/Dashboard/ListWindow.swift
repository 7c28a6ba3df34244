/// Which part of a list is in sight.
enum ListWindow {
    /// Around the chosen entry, and full as long as there are enough entries.
    static func range(count: Int, chosen: Int, room: Int) -> Range<Int> {
        guard room > 0, count > 0 else { return 0..<0 }
        let start = min(max(chosen - room / 2, 0), max(count - room, 0))
        return start..<min(start + room, count)
    }

    /// Where a key moves the choice; `nil` when it does not move it.
    static func move(_ key: Key, from chosen: Int, count: Int, page: Int = 10) -> Int? {
        let target: Int
        switch key {
        case .up, .backTab, .character("\u{10}"): target = chosen - 1
        case .down, .tab, .character("\u{0E}"): target = chosen + 1
        case .pageUp: target = chosen - page
        case .pageDown: target = chosen + page
        case .home: target = 0
        case .end: target = count - 1
        default: return nil
        }
        return min(max(target, 0), max(count - 1, 0))
    }

    /// The rows of a list: the chosen one with the pointer before it, each to be clicked.
    static func lines(
        _ entries: [StyledLine], chosen: Int, room: Int, columns: Int, _ glyphs: GlyphSet
    ) -> [StyledLine] {
        range(count: entries.count, chosen: chosen, room: room).map { index in
            var line = StyledLine(index == chosen ? String(glyphs.pointer) : " ", .focusFrame)
            line.append(entries[index])
            var clipped = line.clipped(to: columns, glyphs)
            clipped.pad(to: columns)
            return clipped.clickable(.row(index))
        }
    }
}

extension ListWindow {
    /// A heading that tells where in the list the choice is, while not all of it is in sight.
    static func heading(_ left: StyledLine, count: Int, chosen: Int, room: Int, columns: Int, _ glyphs: GlyphSet) -> StyledLine {
        guard count > room else { return left.clipped(to: columns, glyphs) }
        return StyledLine.spread(left, StyledLine("\(min(chosen, count - 1) + 1) of \(count) ", .faint), columns: columns, glyphs)
    }
}

/// A view that is not the board: its rows from the top, and what the last row reminds of.
struct Page {
    var lines: [StyledLine]
    var hints: [Hints.Hint]
    /// How many of the hints at the end are always there.
    var always = 1
}
