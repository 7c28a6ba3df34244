import DeckClient
import RelayProtocol

/// Every node, and what is known about its connection.
extension DashboardScreen {
    private func nodeIndex(_ chosen: String?) -> Int { chosen.flatMap { id in state.nodes.firstIndex { $0.id == id } } ?? 0 }

    func nodesPage(chosen: String?, offset: Int) -> Page {
        let index = nodeIndex(chosen)
        guard state.nodes.indices.contains(index) else {
            return Page(lines: [StyledLine(" Nodes", .heading), StyledLine(" No computer is paired.")], hints: [("p", "pair"), ("Esc", "back")])
        }
        let facts = nodeFacts(state.nodes[index])
        let listRoom = nodeListRoom(facts.count)
        let factRoom = max(pageRows - 2 - listRoom, 0)
        let start = min(offset, max(facts.count - factRoom, 0))
        let entries = state.nodes.map { node in
            let summary = NodeSummary(node)
            let words = node.profile.duplicateOf == nil ? summary.health.word : "duplicate"
            var left = StyledLine((summary.badge?.rawValue ?? "?") + " " + CellText.clean(summary.name, glyphs))
            if size.columns >= 60 { left.append("  \(node.profile.address)", .faint) }
            return StyledLine.spread(left, StyledLine(words + " ", summary.health.style), columns: size.columns - 1, glyphs)
        }
        let title = StyledLine(" Nodes", .heading)
        let heading = ListWindow.heading(title, count: entries.count, chosen: index, room: listRoom, columns: size.columns, glyphs)
        let list = ListWindow.lines(entries, chosen: index, room: listRoom, columns: size.columns, glyphs)
        var hints: [Hints.Hint] = [("t", "test"), ("p", "pair"), ("c", "copy"), ("r", "reconnect")]
        if facts.count > factRoom { hints.insert(("Space", "more"), at: 0) }
        return Page(lines: [heading] + list + [StyledLine()] + facts.dropFirst(start).prefix(factRoom), hints: hints + [("Esc", "back")])
    }

    /// The list keeps at least three rows; the facts have the rest.
    private func nodeListRoom(_ facts: Int) -> Int { min(state.nodes.count, max(pageRows - 2 - facts, 3)) }

    /// Where the facts go on below those in sight, and from their end to their beginning.
    private func nextFacts(_ node: ClientState.Node, after offset: Int) -> Int {
        let count = nodeFacts(node).count
        let room = max(pageRows - 2 - nodeListRoom(count), 1)
        return offset + room < count ? offset + room : 0
    }

    private func nodeFacts(_ node: ClientState.Node) -> [StyledLine] {
        let profile = node.profile
        var rows = field("State", StyledLine(CellText.clean("\(node.health)", glyphs), node.health.style))
        rows += field("Test", testLine(node))
        for (name, value) in NodeFacts(node, now: now).lines where name != "Health" { rows += field(name, StyledLine(CellText.clean(value, glyphs))) }
        rows += field("Address", StyledLine(CellText.clean(profile.address.description, glyphs), .faint))
        if let host = node.host?.id ?? profile.hostID { rows += field("Computer", StyledLine(host.uuid, .faint)) }
        let name = CellText.clean(profile.name, glyphs)
        if let other = profile.duplicateOf { rows += field("Duplicate", StyledLine("of \(other.prefix(8)); remove one of them", .warning)) }
        let pairAgain = profile.rePairReason == nil ? "" : " (needed)"
        rows += field("Replace", StyledLine("p, or deckclient pair" + pairAgain, pairAgain.isEmpty ? .faint : .warning))
        return rows + field("Remove", StyledLine("deckclient remove \(name)", .faint))
    }

    private func testLine(_ node: ClientState.Node) -> StyledLine {
        switch tests[node.id] {
        case nil: StyledLine("press t to try it", .faint)
        case .running: StyledLine("connecting", .faint)
        case .answered(let milliseconds): StyledLine("answered within \(milliseconds) ms", .good)
        case .failed(let sentence): StyledLine(CellText.clean(sentence, glyphs), .bad)
        }
    }

    mutating func pressOnNodes(_ key: Key, chosen: String?, offset: Int) -> [DashboardEffect] {
        let index = nodeIndex(chosen)
        if let target = ListWindow.move(key, from: index, count: state.nodes.count, page: 5) {
            view = .nodes(chosen: state.nodes.indices.contains(target) ? state.nodes[target].id : nil)
            return []
        }
        switch key {
        case .escape, .character("q"), .character("n"): leave()
        case .character("r"): return [.reconnect]
        case .character("p"): enter(.pairing(PairingEntry()))
        case .character("?"): enter(.help(offset: 0))
        case .character(" "):
            guard state.nodes.indices.contains(index) else { return [] }
            view = .nodes(chosen: chosen, offset: nextFacts(state.nodes[index], after: offset))
        case .character("t"), .enter:
            guard state.nodes.indices.contains(index), tests[state.nodes[index].id] != .running else { return [] }
            tests[state.nodes[index].id] = .running
            return [.test(state.nodes[index].id)]
        case .character("c"):
            guard !state.nodes.isEmpty else { return [] }
            receipt = ReceiptLine("Copied without names or addresses, if the terminal lets programs copy; else `deckclient diagnostics`.", .progress)
            return [.copy(diagnostics)]
        default: break
        }
        return []
    }

    /// What helps to find a fault, without names, addresses, titles or ids.
    private var diagnostics: String {
        var lines = ["nodes: \(state.nodes.count)", "computers: \(board.computers.count)", "tasks: \(board.tasks.count)"]
        lines += ["events: \(state.attention.count), unread \(state.unreadCount)", "layout: \(state.settings.layouts.active.rawValue)"]
        for (index, node) in state.nodes.enumerated() {
            lines += ["", "node \(index + 1)"]
            lines += NodeFacts(node, now: now).lines.map { "  \($0.0.lowercased()): \(DisplayText.sanitized($0.1, maximumCharacters: 200))" }
            if case .answered(let milliseconds) = tests[node.id] { lines.append("  test: \(milliseconds) ms") }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// What may be told to anybody about a node.
struct NodeFacts {
    /// Names and values; values may hold anything a terminal must not see.
    let lines: [(String, String)]

    init(_ node: ClientState.Node, now: UnixMilliseconds) {
        let profile = node.profile
        let system = node.host.map { HostBadge($0).name } ?? profile.os ?? "not known"
        let heard = node.lastSnapshotAt.map { RelativeTime.age(now.milliseconds(since: $0)).text }
        lines = [
            ("Health", node.health.word), ("System", system), ("Codex", node.host?.codexVersion ?? "not known"),
            ("Route", profile.route.rawValue + (profile.address.isEncrypted ? ", encrypted" : ", not encrypted")),
            ("Pinned", profile.fingerprint == nil ? "no, the system's trust counts" : "yes"), ("Protocol", "1"),
            ("Bridge", node.bridge ?? "not known"), ("Snapshot", heard.map { $0 == "now" ? $0 : "\($0) ago" } ?? "never"),
            ("Can", node.capabilities.isEmpty ? "not known" : node.capabilities.joined(separator: " ")),
        ]
    }
}
