import DeckClient

/// The name of the program, the nodes with their health, and how many tasks wait for the user.
struct HeaderView {
    let nodes: [NodeSummary]
    let isConnecting: Bool
    let waiting: Int
    let glyphs: GlyphSet

    private static let title = " Codex Deck "

    /// One row; up to three on a high screen with many nodes.
    func lines(_ size: ScreenSize) -> [StyledLine] {
        let right = waiting > 0 ? StyledLine("\(waiting) waiting ", .waiting) : StyledLine()
        guard !nodes.isEmpty else {
            var left = StyledLine(Self.title, .heading)
            left.append(isConnecting ? " connecting" : " no computer is connected yet", .faint)
            return [StyledLine.spread(left, right, columns: size.columns, glyphs)]
        }
        var rows = nodes.count == 1 ? [alone(nodes[0], columns: size.columns - right.columns - 1)] : wrapped(size.columns, right.columns + 1)
        if rows.count > (size.rows >= 24 ? 3 : 1) { rows = [summary(columns: size.columns - right.columns - 1)] }
        rows[0] = StyledLine.spread(rows[0], right, columns: size.columns, glyphs)
        return rows
    }

    /// One node, with so much of its name as leaves its health in sight.
    private func alone(_ node: NodeSummary, columns: Int) -> StyledLine {
        var line = StyledLine(Self.title + " ", .heading)
        let rest = entry(node, nameColumns: 0).columns
        line.append(entry(node, nameColumns: max(columns - line.columns - rest, 4)))
        return line
    }

    /// All nodes in as many rows as they take, none cut in two. The end of the first row is kept free.
    private func wrapped(_ columns: Int, _ reserved: Int) -> [StyledLine] {
        var rows = [StyledLine(Self.title, .heading)]
        for node in nodes {
            let entry = entry(node, nameColumns: 24)
            let room = columns - (rows.count == 1 ? reserved : 0)
            if rows[rows.count - 1].columns + 1 + entry.columns > room { rows.append(StyledLine(String(repeating: " ", count: Self.title.count))) }
            rows[rows.count - 1].append(" ")
            rows[rows.count - 1].append(entry)
        }
        return rows.map { $0.clipped(to: columns, glyphs) }
    }

    private func entry(_ node: NodeSummary, nameColumns: Int) -> StyledLine {
        let name = CellText.clipped(CellText.clean(node.name, glyphs), to: nameColumns, glyphs)
        var entry = StyledLine((node.badge?.rawValue ?? "?") + " " + name + " ")
        entry.append(node.health.word, Self.style(node.health))
        entry.append(" ")
        return entry
    }

    /// How many are how well, as much as fits.
    private func summary(columns: Int) -> StyledLine {
        let ready = nodes.count { $0.health == .ready }
        var line = StyledLine(Self.title, .heading)
        line.append(" \(ready) of \(nodes.count) ready", ready > 0 ? .good : .bad)
        for word in ["re-pair required", "offline", "degraded", "connecting"] {
            guard let example = nodes.first(where: { $0.health.word == word }) else { continue }
            let count = "\(nodes.count { $0.health.word == word }) \(word)"
            guard line.columns + 2 + count.count <= columns else { break }
            line.append(", ")
            line.append(count, Self.style(example.health))
        }
        return line
    }

    private static func style(_ health: HostHealth) -> TextStyle {
        switch health {
        case .ready: .good
        case .connecting: .faint
        case .degraded: .warning
        case .offline, .rePairRequired: .bad
        }
    }
}
