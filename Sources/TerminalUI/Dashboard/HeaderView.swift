import DeckClient
import RelayProtocol

/// The name of the program, the nodes with their health, the bell, how many tasks wait for the user, and the followed task.
struct HeaderView {
    let nodes: [NodeSummary]
    let isConnecting: Bool
    let waiting: Int
    /// What the bell counts.
    var unread = 0
    var follow: FollowView?
    var now = UnixMilliseconds(clamping: 0)
    let glyphs: GlyphSet

    private static let title = " Codex Deck "
    /// Rows from which the followed task has one of its own.
    private static let followRows = 16
    /// So much of the name of a node is worth more than the name of the program.
    private static let leastName = 10

    /// One row; up to three on a high screen with many nodes, and one more for the followed task.
    func lines(_ size: ScreenSize) -> [StyledLine] {
        let right = bell
        var rows = [StyledLine(Self.title, .heading)]
        if nodes.isEmpty {
            if isConnecting { rows[0].append(" connecting", .faint) } else { rows[0].append(" no computer is paired", .faint, .key(.character("p"))) }
        } else if let follow, size.rows < Self.followRows {
            rows = [shortFollow(follow, columns: size.columns - right.columns - 1)]
        } else if nodes.count == 1 {
            rows = [alone(nodes[0], columns: size.columns - right.columns - 1)]
        } else {
            rows = wrapped(size.columns, right.columns + 1)
            if rows.count > (size.rows >= 24 ? 3 : 1) { rows = [summary(columns: size.columns - right.columns - 1)] }
        }
        rows[0] = StyledLine.spread(rows[0], right, columns: size.columns, glyphs)
        if let follow, size.rows >= Self.followRows { rows.append(followed(follow, columns: size.columns)) }
        return rows
    }

    private var bell: StyledLine {
        var line = StyledLine()
        if waiting > 0 { line.append("\(waiting) waiting ", .waiting) }
        if unread > 0 { line.append("bell \(unread) ", .key) }
        return line.clickable(.key(.character("b")))
    }

    // MARK: - Follow

    /// Nodes and the followed task in one row.
    private func shortFollow(_ follow: FollowView, columns: Int) -> StyledLine {
        let ready = nodes.count { $0.health == .ready }
        var line = StyledLine(" \(ready)/\(nodes.count) ready ", ready == nodes.count ? .good : .bad, .key(.character("n")))
        line.append(String(glyphs.followed), .focusFrame)
        line.append(words(follow) + " ", style(follow))
        line.append(CellText.clean(follow.title, glyphs))
        return line.clipped(to: columns, glyphs)
    }

    private func followed(_ follow: FollowView, columns: Int) -> StyledLine {
        var right = StyledLine()
        if let percent = follow.contextPercent { right.append("context \(percent) %  ", TaskWords.contextStyle(percent)) }
        if let at = follow.activityAt { right.append(RelativeTime.age(now.milliseconds(since: at)).text + "  ", .faint) }
        if let badge = follow.badge, columns >= 60 {
            right.append("\(badge.rawValue) " + CellText.clipped(CellText.clean(follow.hostName, glyphs), to: 20, glyphs) + " ", .faint)
        }
        var left = StyledLine(" \(glyphs.followed) ", .focusFrame)
        left.append(words(follow), style(follow))
        left.append(follow.isLive ? " " : ", last known ", follow.isLive ? .plain : .lastKnown)
        left.append(follow.title.isEmpty ? "Untitled task" : CellText.clean(follow.title, glyphs))
        return StyledLine.spread(left, right.columns * 2 > columns ? StyledLine() : right, columns: columns, glyphs)
    }

    private func words(_ follow: FollowView) -> String { follow.status.map(TaskWords.word(of:)) ?? "not heard" }

    private func style(_ follow: FollowView) -> TextStyle {
        follow.isLive ? follow.status.map { TaskWords.style(of: $0.meaning) } ?? .faint : .lastKnown
    }

    // MARK: - Nodes

    /// One node, with so much of its name as leaves its health in sight.
    private func alone(_ node: NodeSummary, columns: Int) -> StyledLine {
        let rest = entry(node, nameColumns: 0).columns
        // The name of the program is what everybody knows already.
        let hasRoom = Self.title.count + 1 + rest + min(CellWidth.columns(CellText.clean(node.name, glyphs)), Self.leastName) <= columns
        var line = StyledLine(hasRoom ? Self.title + " " : " ", .heading)
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
        entry.append(node.health.word, node.health.style)
        entry.append(" ")
        return entry.clickable(.key(.character("n")))
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
            line.append(count, example.health.style)
        }
        return line.clickable(.key(.character("n")))
    }
}

extension HostHealth {
    var style: TextStyle {
        switch self {
        case .ready: .good
        case .connecting: .faint
        case .degraded: .warning
        case .offline, .rePairRequired: .bad
        }
    }
}
