import DeckClient
import RelayProtocol

extension DashboardScreen {
    /// Exactly as many rows as the terminal has, each within its columns.
    public func render() -> [StyledLine] {
        guard size.rows > 0, size.columns > 0 else { return [] }
        guard !isTooSmall else {
            let text = "Too small: \(Self.minimum.columns) x \(Self.minimum.rows) cells are needed."
            return filled([StyledLine(text, .warning).clipped(to: size.columns, glyphs)], foot: [])
        }
        guard let page else {
            let layout = layout
            return filled(header + cards(layout), foot: controls(layout) + [receiptLine(onBoard: true)] + boardHints(layout))
        }
        let hints = question ?? Hints.line(page.hints, columns: size.columns, always: page.always, glyphs)
        return filled(page.lines, foot: [receiptLine(onBoard: false), hints])
    }

    /// Rows a view has above the receipt line and the hints.
    var pageRows: Int { max(size.rows - 2, 0) }

    /// `nil` for the board.
    private var page: Page? {
        switch view {
        case .board: nil
        case .help(let offset): Page(lines: HelpView.lines(on: size, offset: offset, glyphs), hints: HelpView.hints(on: size), always: 1)
        case .keycaps(let chosen, let use): Page(lines: KeycapView.lines(on: size, chosen: chosen, use, glyphs), hints: KeycapView.hints(use))
        case .receipts(let offset): receiptsPage(offset: offset)
        case .detail(let task, let title, let offset): detailPage(task, title: title, offset: offset)
        case .attention(let place): attentionPage(place)
        case .nodes(let chosen, let offset): nodesPage(chosen: chosen, offset: offset)
        case .layouts(let chosen): layoutsPage(chosen: chosen)
        case .settings(let chosen): settingsPage(chosen: chosen)
        case .hosts(let chosen): hostsPage(chosen: chosen)
        case .pairing(let entry): pairingPage(entry)
        }
    }

    /// `body` from the top and `foot` at the bottom.
    private func filled(_ body: [StyledLine], foot: [StyledLine]) -> [StyledLine] {
        let room = max(size.rows - foot.count, 0)
        let gap = [StyledLine](repeating: StyledLine(), count: max(room - body.count, 0))
        return Array((body.prefix(room) + gap + foot).prefix(size.rows))
    }

    var header: [StyledLine] {
        let waiting = board.tasks.count { $0.meaning == .waiting && !$0.offline }
        return HeaderView(
            nodes: state.summaries, isConnecting: !hasState, waiting: waiting, unread: state.unreadCount, follow: state.follow, now: now,
            glyphs: glyphs
        ).lines(size)
    }

    private var usage: UsageView { UsageView(usage: board.usage, now: now, glyphs: glyphs, localTime: localTime) }

    private func card(_ slot: Int) -> CardView {
        let task = board.slots[slot]
        return CardView(
            number: slot + 1, task: task, hasFocus: slot == focus.slot, isFollowed: task?.identity.map { $0 == state.follow?.task } ?? false,
            showsContext: state.settings.contextRings, now: now, glyphs: glyphs)
    }

    private func cards(_ layout: BoardLayout) -> [StyledLine] {
        let views = (0..<Snapshot.slotCount).map(card)
        var rows: [StyledLine] = []
        switch layout.card {
        case .line:
            for (slot, view) in views.enumerated() { rows.append(view.line(columns: size.columns).clickable(.card(slot))) }
            // Where a single row is all a card has, the focused one says the rest below.
            rows.append(views[focus.slot].details(columns: size.columns))
        case .pair:
            for (slot, view) in views.enumerated() { rows += view.pair(columns: size.columns).map { $0.clickable(.card(slot)) } }
        case .framed:
            let width = size.columns / layout.columns
            for start in stride(from: 0, to: views.count, by: layout.columns) {
                let row = (start..<start + layout.columns).map { slot in views[slot].framed(columns: width).map { $0.clickable(.card(slot)) } }
                for line in 0..<BoardLayout.Card.framed.rawValue {
                    var joined = StyledLine()
                    for card in row { joined.append(card[line]) }
                    rows.append(joined)
                }
            }
        }
        return rows + rest(layout)
    }

    /// Tasks without a key, as many as there is room for.
    private func rest(_ layout: BoardLayout) -> [StyledLine] {
        guard layout.restRows > 0 else { return [] }
        let heading = StyledLine(" \(board.rest.count) more without a key", .faint)
        let lines = shownRest(layout).map { task in
            CardView(
                number: nil, task: task, hasFocus: false, isFollowed: task.identity.map { $0 == state.follow?.task } ?? false,
                showsContext: state.settings.contextRings, now: now, glyphs: glyphs
            ).line(columns: size.columns)
        }
        return [StyledLine(), heading] + lines
    }

    private func shownRest(_ layout: BoardLayout) -> ArraySlice<BoardTask> { board.rest.prefix(max(layout.restRows - 1, 0)) }

    // MARK: Foot

    private func controls(_ layout: BoardLayout) -> [StyledLine] {
        let controls = ControlsView(keys: state.lowerKeys, profile: state.settings.layouts.active, layout: board.layout, glyphs: glyphs)
        return switch layout.foot {
        case .compact: [usage.short(columns: size.columns), controls.line(columns: size.columns)]
        case .normal: usage.lines(columns: size.columns) + [controls.line(columns: size.columns), controls.stick(columns: size.columns)]
        case .large: usage.lines(columns: size.columns) + controls.framed(columns: size.columns) + [controls.stick(columns: size.columns)]
        }
    }

    private func receiptLine(onBoard: Bool) -> StyledLine {
        if let prompt { return prompt.line(columns: size.columns, glyphs) }
        if let resetPrompt { return resetPrompt.line(columns: size.columns, glyphs) }
        if let receipt { return line(receipt) }
        if let trouble, onBoard { return line(trouble) }
        guard onBoard, layout.foot == .compact else { return StyledLine() }
        // Where there is no row for the stick, it has this one while nobody else needs it.
        return ControlsView(keys: state.lowerKeys, profile: state.settings.layouts.active, layout: board.layout, glyphs: glyphs)
            .stick(columns: size.columns)
    }

    private func line(_ receipt: ReceiptLine) -> StyledLine {
        let style: TextStyle =
            switch receipt.kind {
            case .progress: .faint
            case .success: .good
            case .warning: .warning
            case .failure: .bad
            }
        let text = CellText.clean(receipt.text, glyphs)
        var request = CellText.clean(receipt.request, glyphs)
        if !request.isEmpty {
            // The sentence matters more than which request it is about.
            let room = max(size.columns - CellWidth.columns(text) - 3, size.columns / 3)
            request = CellText.clipped(request, to: min(room, 48), glyphs) + ": "
        }
        return StyledLine(" " + request + text, style).clipped(to: size.columns, glyphs)
    }

    /// What keeps a computer away, as long as no command has anything to say.
    private var trouble: ReceiptLine? {
        for node in state.summaries {
            switch node.health {
            case .rePairRequired(let reason), .offline(let reason?), .degraded(let reason):
                return ReceiptLine("\(node.name): \(node.health.word), \(reason)", .failure)
            case .ready, .connecting, .offline(nil): continue
            }
        }
        return nil
    }

    /// What can be answered, while a question is put.
    private var question: StyledLine? {
        guard prompt != nil || resetPrompt != nil else { return nil }
        return Hints.line([("y", "yes"), ("n", "no")], columns: size.columns, glyphs)
    }

    private func boardHints(_ layout: BoardLayout) -> [StyledLine] {
        if let question { return layout.foot == .compact ? [question] : [StyledLine(), question] }
        guard layout.foot != .compact else {
            if hasNobody { return [Hints.line(Hints.beginning, columns: size.columns, glyphs)] }
            return [Hints.line(size.columns < 48 ? Hints.narrow : Array(Hints.acting.prefix(2)) + Hints.looking, columns: size.columns, glyphs)]
        }
        if hasNobody { return [StyledLine(), Hints.line(Hints.beginning, columns: size.columns, glyphs)] }
        return [
            Hints.line(Hints.acting, columns: size.columns, always: 0, glyphs), Hints.line(Hints.looking, columns: size.columns, glyphs),
        ]
    }

    // MARK: Time

    /// When a text on the screen changes though nothing happens; `nil` when none does.
    public var nextChange: UnixMilliseconds? {
        guard !isTooSmall else { return nil }
        var distances: [Int64] = []
        switch view {
        case .board:
            let shown = board.slots.compactMap(\.self) + shownRest(layout)
            distances = shown.compactMap { TaskWords.age($0, now: now)?.changesAfter } + [usage.changesAfter].compactMap(\.self)
            if let at = state.follow?.activityAt { distances.append(RelativeTime.age(now.milliseconds(since: at)).changesAfter) }
        case .detail(let task, _, _): distances = detailChanges(task)
        case .attention: distances = state.attention.map { RelativeTime.age(now.milliseconds(since: $0.at)).changesAfter }
        case .nodes: distances = state.nodes.compactMap(\.lastSnapshotAt).map { RelativeTime.age(now.milliseconds(since: $0)).changesAfter }
        case .receipts: distances = state.receipts.map { RelativeTime.age(now.milliseconds(since: $0.at)).changesAfter }
        case .help, .keycaps, .layouts, .settings, .hosts, .pairing: break
        }
        return distances.min().map { now.advanced(byMilliseconds: $0) }
    }
}
