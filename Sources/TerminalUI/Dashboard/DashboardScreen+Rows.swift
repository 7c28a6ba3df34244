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
        switch view {
        case .board: return filled(header + cards, foot: usage.lines(columns: size.columns) + [receiptLine, hints])
        case .help(let offset): return filled(HelpView.lines(on: size, offset: offset, glyphs), foot: [receiptLine, HelpView.hints(on: size, glyphs)])
        case .keycaps(let chosen):
            return filled(KeycapView.lines(on: size, chosen: chosen, glyphs), foot: [receiptLine, KeycapView.hints(on: size, glyphs)])
        }
    }

    /// `body` from the top and `foot` at the bottom.
    private func filled(_ body: [StyledLine], foot: [StyledLine]) -> [StyledLine] {
        let room = max(size.rows - foot.count, 0)
        let gap = [StyledLine](repeating: StyledLine(), count: max(room - body.count, 0))
        return Array((body.prefix(room) + gap + foot).prefix(size.rows))
    }

    var header: [StyledLine] {
        let shown = nodes ?? board.computers.map(NodeSummary.init)
        let waiting = board.tasks.count { $0.meaning == .waiting && !$0.offline }
        return HeaderView(nodes: shown, isConnecting: !hasBoard, waiting: waiting, glyphs: glyphs).lines(size)
    }

    private var usage: UsageView { UsageView(usage: board.usage, now: now, glyphs: glyphs, localTime: localTime) }

    private func card(_ slot: Int) -> CardView {
        CardView(number: slot + 1, task: board.slots[slot], hasFocus: slot == focus.slot, now: now, glyphs: glyphs)
    }

    private var cards: [StyledLine] {
        let layout = layout
        let views = (0..<Snapshot.slotCount).map(card)
        var rows: [StyledLine] = []
        switch layout.card {
        case .line:
            rows = views.map { $0.line(columns: size.columns) }
            // Where a single row is all a card has, the focused one says the rest below.
            rows.append(views[focus.slot].details(columns: size.columns))
        case .pair: rows = views.flatMap { $0.pair(columns: size.columns) }
        case .framed:
            let width = size.columns / layout.columns
            for start in stride(from: 0, to: views.count, by: layout.columns) {
                let row = views[start..<start + layout.columns].map { $0.framed(columns: width) }
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
            CardView(number: nil, task: task, hasFocus: false, now: now, glyphs: glyphs).line(columns: size.columns)
        }
        return [StyledLine(), heading] + lines
    }

    private func shownRest(_ layout: BoardLayout) -> ArraySlice<BoardTask> { board.rest.prefix(max(layout.restRows - 1, 0)) }

    // MARK: Foot

    private var receiptLine: StyledLine {
        if let prompt { return prompt.line(columns: size.columns, glyphs) }
        guard let line = receipt ?? trouble else { return StyledLine() }
        let style: TextStyle =
            switch line.kind {
            case .progress: .faint
            case .success: .good
            case .warning: .warning
            case .failure: .bad
            }
        return StyledLine(" " + CellText.clean(line.text, glyphs), style).clipped(to: size.columns, glyphs)
    }

    /// What keeps a computer away, as long as no command has anything to say.
    private var trouble: ReceiptLine? {
        for node in nodes ?? board.computers.map(NodeSummary.init) {
            switch node.health {
            case .rePairRequired(let reason), .offline(let reason?), .degraded(let reason):
                return ReceiptLine("\(node.name): \(node.health.word), \(reason)", .failure)
            case .ready, .connecting, .offline(nil): continue
            }
        }
        return nil
    }

    private var hints: StyledLine {
        if prompt != nil { return Hints.line([("y", "yes"), ("n", "no")], columns: size.columns, glyphs) }
        return Hints.line(Hints.board(columns: size.columns), columns: size.columns, glyphs)
    }

    // MARK: Time

    /// When a text on the screen changes though nothing happens; `nil` when none does.
    public var nextChange: UnixMilliseconds? {
        guard !isTooSmall, view == .board else { return nil }
        let shown = board.slots.compactMap(\.self) + shownRest(layout)
        let ages = shown.compactMap { TaskWords.age($0, now: now)?.changesAfter }
        return ([usage.changesAfter].compactMap(\.self) + ages).min().map { now.advanced(byMilliseconds: $0) }
    }
}
