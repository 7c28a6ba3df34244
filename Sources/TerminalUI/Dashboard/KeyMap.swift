import RelayProtocol

/// What a key means on the board.
enum BoardAction: Hashable, Sendable {
    case openSlot(Int)
    case openFocused
    case approve, decline
    case keycap(Keycap)
    case allKeycaps
    case reconnect, redraw, dismiss, help, quit
}

/// Which keys mean what on the board, in the order in which help lists them.
enum KeyMap {
    struct Binding: Sendable {
        let keys: [Key]
        let action: BoardAction
        /// How the keys are written.
        let name: String
        let meaning: String
    }

    static let bindings: [Binding] = [
        Binding("q", .quit, "leave the dashboard"),
        Binding(keys: [.enter], action: .openFocused, name: "Enter", meaning: "open the focused task"),
        Binding("a", .approve, "approve the focused task, after y"),
        Binding("d", .decline, "decline the focused task, after y"),
        Binding("f", .keycap(.fast), "FAST: fast mode"),
        Binding("s", .keycap(.split), "SPLIT: fork the task"),
        Binding("n", .keycap(.new), "NEW: a new task"),
        Binding("c", .keycap(.codex), "CODEX: send the draft"),
        Binding(keys: [.character("+"), .character("=")], action: .keycap(.mindIncrease), name: "+", meaning: "MIND+: more reasoning"),
        Binding("-", .keycap(.mindDecrease), "MIND-: less reasoning"),
        Binding("k", .allKeycaps, "choose from all thirty keycaps"),
        Binding("r", .reconnect, "connect again at once"),
        Binding(keys: [.escape], action: .dismiss, name: "Esc", meaning: "clear the receipt line"),
        Binding(keys: [.character("\u{0C}")], action: .redraw, name: "Ctrl-L", meaning: "draw everything anew"),
        Binding("?", .help, "this help"),
    ]

    private static let actions: [Key: BoardAction] = {
        var actions: [Key: BoardAction] = [:]
        for slot in 0..<Snapshot.slotCount { actions[.character(Character("\(slot + 1)"))] = .openSlot(slot) }
        for binding in bindings { for key in binding.keys { actions[key] = binding.action } }
        return actions
    }()

    static func action(for key: Key) -> BoardAction? { actions[key] }
}

extension KeyMap.Binding {
    init(_ key: Character, _ action: BoardAction, _ meaning: String) {
        self.init(keys: [.character(key)], action: action, name: String(key), meaning: meaning)
    }
}
