import DeckClient
import RelayProtocol

/// Where the user is in the attention center.
struct AttentionPlace: Sendable, Equatable {
    /// The id of an event; `nil` is the newest. Not a row: new events push the others down.
    var chosen: Int64?
    var filter = AttentionFilter()

    func index(in events: [AttentionEvent]) -> Int { chosen.flatMap { id in events.firstIndex { $0.id == id } } ?? 0 }
}

extension DashboardScreen {
    func attentionPage(_ place: AttentionPlace) -> Page {
        let events = state.attention.filter(place.filter.admits)
        var heading = StyledLine(" Attention", .heading)
        heading.append("  \(state.unreadCount) unread of \(state.attention.count)", .faint)
        let entries = events.map(entry)
        let room = pageRows - 2, index = place.index(in: events)
        var lines = ListWindow.lines(entries, chosen: index, room: room, columns: size.columns, glyphs)
        heading = ListWindow.heading(heading, count: events.count, chosen: index, room: room, columns: size.columns, glyphs)
        if lines.isEmpty { lines = [StyledLine(state.attention.isEmpty ? " Nothing happened in the last 7 days." : " No event fits.", .faint)] }
        return Page(
            lines: [heading, filterLine(place.filter)] + lines,
            hints: [("Enter", "details"), ("Space", "read"), ("x", "remove"), ("A", "all read"), ("Esc", "back")])
    }

    private func filterLine(_ filter: AttentionFilter) -> StyledLine {
        let host = filter.hosts.first.map { id in state.attention.first { $0.host == id }?.hostName ?? "a computer" } ?? "all"
        let parts: [(Character, String)] = [
            ("h", CellText.clipped(CellText.clean(host, glyphs), to: 16, glyphs)), ("o", filter.systems.first?.name ?? "any"),
            ("k", filter.kinds.first?.rawValue ?? "all"), ("u", filter.unreadOnly ? "unread" : "both"),
        ]
        let names: [Character: String] = ["h": "host", "o": "os", "k": "kind", "u": "read"]
        var line = StyledLine()
        for (key, value) in parts {
            line.append(" \(key) ", .key, .key(.character(key)))
            if size.columns >= 60 { line.append("\(names[key] ?? "") ", .faint, .key(.character(key))) }
            line.append(value, .plain, .key(.character(key)))
            line.append(" ")
        }
        return line.clipped(to: size.columns, glyphs)
    }

    private func entry(_ event: AttentionEvent) -> StyledLine {
        var left = StyledLine(event.isUnread ? "* " : "  ", .key)
        let isOver = event.endedAt != nil
        left.append(Self.word(event.kind), isOver ? .faint : Self.style(event.kind))
        left.pad(to: 11)
        let title = CellText.clean(event.title, glyphs)
        left.append(title.isEmpty ? "Untitled task" : title, event.isUnread ? .heading : .plain)
        var right = StyledLine()
        if isGone(event) {
            right.append("no key ", .lastKnown)
        } else if isOver, size.columns >= 60 {
            right.append("over ", .faint)
        }
        if size.columns >= 60 {
            right.append("\(event.badge.rawValue) " + CellText.clipped(CellText.clean(event.hostName, glyphs), to: 18, glyphs), .faint)
        }
        let age = RelativeTime.age(now.milliseconds(since: event.at)).text
        right.append(String(repeating: " ", count: max(8 - age.count, 1)) + age + " ", .faint)
        return StyledLine.spread(left, right, columns: size.columns - 1, glyphs)
    }

    /// Whether the computer was heard, and has the task no more.
    private func isGone(_ event: AttentionEvent) -> Bool {
        event.resolve(on: board) == .gone && absence(of: event.task, wasSeen: true) == .gone
    }

    private static func word(_ kind: AttentionEvent.Kind) -> String {
        switch kind {
        case .approval: "approve?"
        case .response: "answer?"
        case .completion: "done"
        case .error: "error"
        case .unread: "unread"
        }
    }

    private static func style(_ kind: AttentionEvent.Kind) -> TextStyle {
        switch kind {
        case .approval, .response: .waiting
        case .completion, .unread: .finished
        case .error: .failed
        }
    }

    mutating func pressOnAttention(_ key: Key, _ place: AttentionPlace) -> [DashboardEffect] {
        var place = place
        let events = state.attention.filter(place.filter.admits)
        let index = place.index(in: events)
        if let target = ListWindow.move(key, from: index, count: events.count, page: max(pageRows - 2, 1)) {
            place.chosen = events.indices.contains(target) ? events[target].id : nil
            view = .attention(place)
            return []
        }
        let event = events.indices.contains(index) ? events[index] : nil
        switch key {
        case .escape, .character("q"), .character("b"): leave()
        case .enter: return event.map { open($0) } ?? []
        case .character(" "): return event.map { [.apply(.mark([$0.id], read: !$0.isRead))] } ?? []
        case .character("A"): return events.isEmpty ? [] : [.apply(.mark(events.map(\.id), read: true))]
        case .character("x"):
            guard let event else { return [] }
            // The choice stays where it is: on the event below.
            place.chosen = events.indices.contains(index + 1) ? events[index + 1].id : events.dropLast().last?.id
            view = .attention(place)
            return [.apply(.remove([event.id]))]
        case .character("?"): enter(.help(offset: 0))
        default: filter(key, &place)
        }
        return []
    }

    /// The task is looked up now: another slot or another computer may show it.
    private mutating func open(_ event: AttentionEvent) -> [DashboardEffect] {
        if isGone(event) {
            receipt = ReceiptLine("The task is on no key of any computer now; the event stays as a record.", .warning)
            return [.apply(.mark([event.id], read: true))]
        }
        show(event.task)
        return []
    }

    private mutating func filter(_ key: Key, _ place: inout AttentionPlace) {
        switch key {
        case .character("h"):
            var hosts: [HostID] = []
            for event in state.attention where !hosts.contains(event.host) { hosts.append(event.host) }
            place.filter.hosts = Self.next(place.filter.hosts, of: hosts.sorted())
        case .character("o"): place.filter.systems = Self.next(place.filter.systems, of: HostBadge.allCases)
        case .character("k"): place.filter.kinds = Self.next(place.filter.kinds, of: AttentionEvent.Kind.allCases)
        case .character("u"): place.filter.unreadOnly.toggle()
        default: return
        }
        view = .attention(place)
    }

    /// From all to the first, to the next, and from the last to all.
    private static func next<Value: Hashable>(_ chosen: Set<Value>, of all: [Value]) -> Set<Value> {
        guard let present = chosen.first, let index = all.firstIndex(of: present) else { return all.first.map { [$0] } ?? [] }
        return index + 1 < all.count ? [all[index + 1]] : []
    }
}
