import DeckClient
import RelayProtocol

extension DashboardScreen {
    mutating func press(_ key: Key) -> [DashboardEffect] {
        // What cannot be seen must not be answered or sent; leaving still works.
        if isTooSmall { return key == .character("q") ? [.quit] : [] }
        if let asked = prompt {
            prompt = nil
            // Only the one key says yes; every other key leaves things as they are.
            if key == .character("y") { return [asked.effect] }
            receipt = ReceiptLine("Nothing was sent.", .progress)
            return []
        }
        switch view {
        case .board: return pressOnBoard(key)
        case .help(let offset): return pressOnHelp(key, offset: offset)
        case .keycaps(let chosen): return pressOnKeycaps(key, chosen: chosen)
        }
    }

    private mutating func pressOnBoard(_ key: Key) -> [DashboardEffect] {
        if moveFocus(key) { return [] }
        switch KeyMap.action(for: key) {
        case .openSlot(let slot):
            focus.move(to: slot, on: board)
            return openFocused()
        case .openFocused: return openFocused()
        case .approve: return ask(.approve)
        case .decline: return ask(.decline)
        case .keycap(let keycap): return send(keycap)
        case .allKeycaps: view = .keycaps(chosen: 0)
        case .help: view = .help(offset: 0)
        case .dismiss: receipt = nil
        case .reconnect: return [.reconnect]
        case .redraw: return [.redraw]
        case .quit: return [.quit]
        case nil: break
        }
        return []
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

    /// The focused task when commands may leave for it; else says why not.
    private mutating func commandable() -> (task: BoardTask, identity: TaskIdentity)? {
        guard let task = focused else { return refuse("No task is on key \(focus.slot + 1).") }
        guard let identity = task.identity else { return refuse("\(CommandOutcome.unreadableKey)") }
        if task.offline { return refuse("\(CommandOutcome.offlineHost(name: task.ownerName))") }
        return (task, identity)
    }

    private mutating func refuse<Nothing>(_ sentence: String) -> Nothing? {
        receipt = ReceiptLine(sentence, .warning)
        return nil
    }

    private mutating func openFocused() -> [DashboardEffect] {
        guard let (_, identity) = commandable() else { return [] }
        return [.open(identity)]
    }

    private mutating func ask(_ answer: AnswerTransaction.Answer) -> [DashboardEffect] {
        guard let (task, identity) = commandable() else { return [] }
        guard task.meaning == .waiting else {
            receipt = ReceiptLine("The task on key \(focus.slot + 1) is not waiting for an answer.", .warning)
            return []
        }
        prompt = AnswerPrompt(answer: answer, task: identity, title: TaskWords.title(task, glyphs))
        return []
    }

    /// A keycap goes with the focused task, so that it acts on no other; on an empty card it is for the selected computer.
    private mutating func send(_ keycap: Keycap) -> [DashboardEffect] {
        switch keycap {
        case .approve: return ask(.approve)
        case .reject: return ask(.decline)
        default:
            guard focused != nil else { return [.keycap(keycap, nil)] }
            guard let (_, identity) = commandable() else { return [] }
            return [.keycap(keycap, identity)]
        }
    }
}

extension DashboardScreen {
    private mutating func pressOnHelp(_ key: Key, offset: Int) -> [DashboardEffect] {
        let page = HelpView.page(on: size)
        switch key {
        case .up: view = .help(offset: HelpView.bounded(offset - 1, on: size))
        case .down: view = .help(offset: HelpView.bounded(offset + 1, on: size))
        case .pageUp: view = .help(offset: HelpView.bounded(offset - page, on: size))
        case .pageDown, .character(" "): view = .help(offset: HelpView.bounded(offset + page, on: size))
        case .home: view = .help(offset: 0)
        case .end: view = .help(offset: HelpView.bounded(.max, on: size))
        case .character("\u{0C}"): return [.redraw]
        default: view = .board
        }
        return []
    }

    private mutating func pressOnKeycaps(_ key: Key, chosen: Int) -> [DashboardEffect] {
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
            view = .board
            return all.indices.contains(chosen) ? send(all[chosen]) : []
        case .character("\u{0C}"): return [.redraw]
        default: view = .board
        }
        if target != chosen, all.indices.contains(target) { view = .keycaps(chosen: target) }
        return []
    }
}
