import DeckClient
import RelayProtocol

/// All that is known of one task, and what can be done about it.
extension DashboardScreen {
    func detailPage(_ task: TaskIdentity, title: String, offset: Int) -> Page {
        let rows = detailRows(task, title: title)
        let room = pageRows
        let start = min(max(offset, 0), max(rows.count - room, 0))
        var hints: [Hints.Hint] = [("o", "open"), ("a", "approve"), ("d", "decline"), ("f", "follow"), ("F", "fast"), ("S", "fork"), ("C", "send")]
        if rows.count > room { hints.insert(("arrows", "scroll"), at: 0) }
        return Page(lines: Array(rows.dropFirst(start).prefix(room)), hints: hints + [("Esc", "back")])
    }

    private func detailRows(_ task: TaskIdentity, title: String) -> [StyledLine] {
        let found = board.task(task)
        var rows = CellText.wrapped(title.isEmpty ? "Untitled task" : title, to: max(size.columns - 2, 1)).map { StyledLine(" " + $0, .heading) }
        rows.append(StyledLine())
        rows += found.map(facts) ?? absent(task, wasSeen: !title.isEmpty)
        rows += field("Follow", StyledLine(state.follow?.task == task ? "on" : "off", state.follow?.task == task ? .good : .plain))
        rows += field("Id", StyledLine(task.uuid, .faint))
        return rows
    }

    private func absent(_ task: TaskIdentity, wasSeen: Bool) -> [StyledLine] {
        let absence = absence(of: task, wasSeen: wasSeen)
        return field("State", StyledLine(CellText.clean("\(absence)", glyphs), absence == .gone ? .lastKnown : .faint))
    }

    private func facts(_ task: BoardTask) -> [StyledLine] {
        var status = StyledLine(TaskWords.word(task), TaskWords.style(task))
        status.append(task.offline ? ", last known" : task.selected ? ", open" : task.active ? ", active" : "")
        let key = board.slots.firstIndex { $0?.id == task.id }
        let computer = board.computer(task.owner)
        var owner = StyledLine(TaskWords.owner(task, glyphs) + " (\(task.badge.name)), ")
        if let computer { owner.append(computer.health.word, computer.health.style) }
        var rows = field("State", status) + field("Key", StyledLine(key.map { "\($0 + 1)" } ?? "none")) + field("Owner", owner)
        rows += field("Route", StyledLine(route(task)))
        if let at = task.activityAt { rows += field("Activity", StyledLine(moment(at))) }
        if let at = task.workStartedAt { rows += field("Turn began", StyledLine(moment(at))) }
        if let percent = task.contextPercent {
            let style = TaskWords.contextStyle(percent)
            var line = Meter.line(percent: Double(percent), width: min(max(size.columns / 4, 8), 24), style: style, glyphs)
            line.append(" \(percent) %", style)
            rows += field("Context", line)
        } else {
            rows += field("Context", StyledLine("not known", .faint))
        }
        let isOld = now.milliseconds(since: task.receivedAt) > Follow.freshness || task.offline
        return rows + field("Heard", StyledLine(moment(task.receivedAt) + (isOld ? ", last known" : ", fresh"), isOld ? .lastKnown : .plain))
    }

    /// Which way a command takes, and who else shows the task.
    private func route(_ task: BoardTask) -> String {
        func name(_ host: HostID) -> String { CellText.clean(board.computer(host)?.name ?? String(host.uuid.prefix(8)), glyphs) }
        let mirrors = task.mirrors.isEmpty ? "" : ", mirrored by " + task.mirrors.map(name).joined(separator: " and ")
        guard let target = task.target else { return "none: \(task.offline ? "the computer is away" : "its key cannot be read")" + mirrors }
        let kind = board.computer(task.owner).map { " (\($0.route.rawValue))" } ?? ""
        if let mirror = target.mirror { return "to \(name(task.owner))\(kind), by the key that \(name(mirror)) shows" + mirrors }
        return "direct" + kind + mirrors
    }

    private func moment(_ time: UnixMilliseconds) -> String {
        let age = RelativeTime.age(now.milliseconds(since: time)).text
        return (age == "now" ? age : age + " ago") + ", " + localTime(time).text(on: localTime(now))
    }

    /// A name and its value, in as many rows as the value takes.
    func field(_ name: String, _ value: StyledLine, width: Int = 12) -> [StyledLine] {
        let room = max(size.columns - width - 2, 8)
        var head = StyledLine(" " + name, .faint)
        head.pad(to: width + 1)
        guard value.columns > room, value.spans.count == 1, let span = value.spans.first else {
            head.append(value)
            return [head.clipped(to: size.columns, glyphs)]
        }
        var rows: [StyledLine] = []
        for piece in CellText.wrapped(span.text, to: room) {
            var row = rows.isEmpty ? head : StyledLine(String(repeating: " ", count: width + 1))
            row.append(piece, span.style)
            rows.append(row.clipped(to: size.columns, glyphs))
        }
        return rows
    }

    func detailChanges(_ task: TaskIdentity) -> [Int64] {
        guard let found = board.task(task) else { return [] }
        let ages = [found.activityAt, found.workStartedAt, found.receivedAt].compactMap(\.self).map { now.milliseconds(since: $0) }
        let stale = Follow.freshness - now.milliseconds(since: found.receivedAt) + 1
        return ages.map { RelativeTime.age($0).changesAfter } + (stale > 0 ? [stale] : [])
    }

    mutating func pressOnDetail(_ key: Key, _ task: TaskIdentity, title: String, offset: Int, at: Int64) -> [DashboardEffect] {
        let hidden = max(detailRows(task, title: title).count - pageRows, 0)
        if let target = ListWindow.move(key, from: min(offset, hidden), count: hidden + 1, page: pageRows) {
            view = .detail(task, title: title, offset: target)
            return []
        }
        switch KeyMap.action(for: key) {
        case .dismiss, .quit: leave()
        case .details: return openShown()
        case .help: enter(.help(offset: 0))
        case .attention: enter(.attention(AttentionPlace()))
        case .openSlot, .allKeycaps, .nodes, .pair, .hosts, .layouts, .settings, .receipts, .reconnect, .redraw, nil: break
        case let action?: return act(action, at: at)
        }
        return []
    }
}
