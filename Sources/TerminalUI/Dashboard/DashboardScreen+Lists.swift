import DeckClient
import RelayProtocol

/// The keys of help, keycaps and the last commands.
extension DashboardScreen {
    mutating func pressOnHelp(_ key: Key, offset: Int) {
        let page = HelpView.page(on: size)
        switch key {
        case .up: view = .help(offset: HelpView.bounded(offset - 1, on: size))
        case .down: view = .help(offset: HelpView.bounded(offset + 1, on: size))
        case .pageUp: view = .help(offset: HelpView.bounded(offset - page, on: size))
        case .pageDown, .character(" "): view = .help(offset: HelpView.bounded(offset + page, on: size))
        case .home: view = .help(offset: 0)
        case .end: view = .help(offset: HelpView.bounded(.max, on: size))
        default: leave()
        }
    }

    mutating func pressOnKeycaps(_ key: Key, chosen: Int, use: KeycapUse) -> [DashboardEffect] {
        let all = Keycap.allCases
        let columns = KeycapView.columns(on: size)
        var target = chosen
        switch key {
        case .left, .backTab: target -= 1
        case .right, .tab: target += 1
        case .up: target -= columns
        case .down: target += columns
        case .home: target = 0
        case .end: target = all.count - 1
        case .enter:
            leave()
            guard all.indices.contains(chosen) else { return [] }
            switch use {
            case .send: return send(all[chosen])
            case .assign(let slot): return [.edit(.assign(all[chosen], slot))]
            }
        default: leave()
        }
        if target != chosen, all.indices.contains(target) { view = .keycaps(chosen: target, use: use) }
        return []
    }

    // MARK: - The last commands

    func receiptsPage(offset: Int) -> Page {
        let entries = state.receipts.map { record in
            var line = StyledLine(" ")
            let age = RelativeTime.age(now.milliseconds(since: record.at)).text
            let style: TextStyle = record.isFailure ? .bad : record.isFinished ? .plain : .faint
            let receipt = ReceiptLine(record)
            line.append(CellText.clean(receipt.request, glyphs), .heading)
            line.append(record.hostName.isEmpty || record.title.isEmpty ? ": " : " (\(CellText.clean(record.hostName, glyphs))): ", .faint)
            line.append(CellText.clean(receipt.text, glyphs), style)
            return StyledLine.spread(line, StyledLine(age + " ", .faint), columns: size.columns, glyphs)
        }
        let heading = StyledLine(" The last commands", .heading)
        let lines = entries.isEmpty ? [StyledLine(" No command was sent yet.", .faint)] : Array(entries.dropFirst(offset).prefix(pageRows - 1))
        return Page(lines: [heading] + lines, hints: (entries.count > pageRows - 1 ? [("arrows", "scroll")] : []) + [("Esc", "back")])
    }

    mutating func pressOnReceipts(_ key: Key, offset: Int) {
        let last = max(state.receipts.count - (pageRows - 1), 0)
        if let target = ListWindow.move(key, from: offset, count: last + 1) { view = .receipts(offset: target) } else { leave() }
    }
}
