import DeckClient
import RelayProtocol

extension DashboardScreen {
    /// - Parameter at: Milliseconds on a clock that never goes back.
    mutating func press(_ key: Key, at: Int64) -> [DashboardEffect] {
        // What cannot be seen must not be answered or sent; leaving still works.
        if isTooSmall { return key == .character("q") ? [.quit] : [] }
        if let effects = answer(key, at: at) { return effects }
        if key == .character("\u{0C}") { return [.redraw] }
        switch view {
        case .board: return pressOnBoard(key, at: at)
        case .help(let offset): pressOnHelp(key, offset: offset)
        case .receipts(let offset): pressOnReceipts(key, offset: offset)
        case .keycaps(let chosen, let use): return pressOnKeycaps(key, chosen: chosen, use: use)
        case .detail(let task, let title, let offset): return pressOnDetail(key, task, title: title, offset: offset, at: at)
        case .attention(let place): return pressOnAttention(key, place)
        case .nodes(let chosen, let offset): return pressOnNodes(key, chosen: chosen, offset: offset)
        case .layouts(let chosen): return pressOnLayouts(key, chosen: chosen)
        case .settings(let chosen): return pressOnSettings(key, chosen: chosen)
        case .hosts(let chosen): return pressOnHosts(key, chosen: chosen)
        case .pairing(let entry): return pressOnPairing(key, entry)
        }
        return []
    }

    /// - Returns: `nil` when no question waits for an answer.
    private mutating func answer(_ key: Key, at: Int64) -> [DashboardEffect]? {
        if let asked = prompt {
            prompt = nil
            // Only the one key says yes; every other key leaves things as they are.
            if key == .character("y") { return [asked.effect] }
        } else if var asked = resetPrompt {
            if key == .character("R"), !asked.again(at: at) {
                resetPrompt = asked
                return []
            }
            resetPrompt = nil
            if key == .character("y") || key == .character("R") { return [.perform(.control(.resetLimit, .host(asked.host)))] }
        } else {
            return nil
        }
        receipt = ReceiptLine("Nothing was sent.", .progress)
        return []
    }

    private mutating func pressOnBoard(_ key: Key, at: Int64) -> [DashboardEffect] {
        if moveFocus(key) { return [] }
        switch KeyMap.action(for: key) {
        case .openSlot(let slot):
            focus.move(to: slot, on: board)
            return openShown()
        case .allKeycaps: enter(.keycaps(chosen: 0))
        case .attention: enter(.attention(AttentionPlace()))
        case .nodes: enter(.nodes(chosen: nil))
        case .pair: enter(.pairing(PairingEntry()))
        case .hosts: enter(.hosts(chosen: 0))
        case .layouts: enter(.layouts(chosen: 0))
        case .settings: enter(.settings(chosen: 0))
        case .receipts: enter(.receipts(offset: 0))
        case .help: enter(.help(offset: 0))
        case .dismiss: receipt = nil
        case .reconnect: return [.reconnect]
        case .quit: return [.quit]
        case .details:
            guard let identity = shownTask?.identity else { return refuse(focused: "No task is on key \(focus.slot + 1).") }
            show(identity)
        case .redraw, nil: break
        case let action?: return act(action, at: at)
        }
        return []
    }

    /// Keys that act on the shown task or on the computer, in whichever view.
    mutating func act(_ action: BoardAction, at: Int64) -> [DashboardEffect] {
        switch action {
        case .openFocused: openShown()
        case .approve: ask(.approve)
        case .decline: ask(.decline)
        case .follow: follow()
        case .keycap(let keycap): send(keycap)
        case .lowerKey(let index): pressLowerKey(index)
        case .stick(let direction): control(.joystick(direction))
        case .named(let name): push(name)
        case .dial: control(.encoder)
        case .reasoning(let direction): control(.reasoning(direction))
        case .resetLimit: askForReset(at: at)
        case .openSlot, .details, .allKeycaps, .attention, .nodes, .pair, .hosts, .layouts, .settings, .receipts: []
        case .reconnect, .redraw, .dismiss, .help, .quit: []
        }
    }

    private mutating func moveFocus(_ key: Key) -> Bool {
        let last = Snapshot.slotCount - 1
        let slot = focus.slot
        let target: Int
        switch key {
        case .tab: target = slot == last ? 0 : slot + 1
        case .backTab: target = slot == 0 ? last : slot - 1
        case .left: target = slot - 1
        case .right: target = slot + 1
        case .up: target = slot - layout.columns
        case .down: target = slot + layout.columns
        case .home: target = 0
        case .end: target = last
        default: return false
        }
        if (0...last).contains(target) { focus.move(to: target, on: board) }
        return true
    }

    // MARK: - Mouse

    mutating func touch(_ event: MouseEvent) -> [DashboardEffect] {
        switch event.kind {
        case .wheelUp: return prompt == nil && resetPrompt == nil ? press(.up, at: 0) : []
        case .wheelDown: return prompt == nil && resetPrompt == nil ? press(.down, at: 0) : []
        case .click: break
        }
        let rows = render()
        guard rows.indices.contains(event.row), let target = rows[event.row].target(at: event.column) else { return [] }
        switch target {
        case .key(let key): return press(key, at: 0)
        case .card(let slot):
            guard prompt == nil, resetPrompt == nil else { return [] }
            // The first click chooses, the next one shows more; nothing is sent by a slip of the hand.
            if focus.slot == slot, board.slots[slot] != nil { return press(.enter, at: 0) }
            focus.move(to: slot, on: board)
            return []
        case .row(let row): return choose(row)
        }
    }

    /// The first click on an entry chooses it, the next one is Enter.
    private mutating func choose(_ row: Int) -> [DashboardEffect] {
        let before = view
        switch view {
        case .attention(var place):
            let events = state.attention.filter(place.filter.admits)
            place.chosen = events.indices.contains(row) ? events[row].id : place.chosen
            if place.index(in: events) == row, place.chosen == (before.attention?.chosen ?? events.first?.id) { return press(.enter, at: 0) }
            view = .attention(place)
        case .nodes:
            if state.nodes.indices.contains(row) { view = .nodes(chosen: state.nodes[row].id) }
        case .layouts: view = .layouts(chosen: row)
        case .settings: view = .settings(chosen: row)
        case .hosts: view = .hosts(chosen: row)
        case .keycaps(_, let use): view = .keycaps(chosen: row, use: use)
        case .board, .help, .detail, .receipts, .pairing: return []
        }
        return view == before ? press(.enter, at: 0) : []
    }
}

extension DashboardScreen.View {
    fileprivate var attention: AttentionPlace? { if case .attention(let place) = self { place } else { nil } }
}
