import RelayProtocol

/// What a key means on the board.
enum BoardAction: Hashable, Sendable {
    case openSlot(Int)
    case openFocused, details
    case approve, decline
    case follow
    case keycap(Keycap)
    case lowerKey(Int)
    case stick(JoystickDirection)
    /// The direction of the stick that the computer gave that name.
    case named(StickName)
    case dial
    case reasoning(ReasoningDirection)
    case resetLimit
    case allKeycaps, attention, nodes, pair, hosts, layouts, settings, receipts
    case reconnect, redraw, dismiss, help, quit
}

/// Actions of the stick with a key of their own, wherever the computer has them.
enum StickName: String, Sendable, CaseIterable {
    case plan, back

    /// Where it is on a computer that does not say.
    var standard: JoystickDirection { self == .plan ? .up : .left }
}

/// Which keys mean what on the board, in the order in which help lists them. Small letters look and answer, capitals press controls.
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
        Binding(keys: [.enter], action: .details, name: "Enter", meaning: "all about the task"),
        Binding("o", .openFocused, "open the chosen task"),
        Binding("a", .approve, "approve the task, after y"),
        Binding("d", .decline, "decline the task, after y"),
        Binding("f", .follow, "follow the task, or stop"),
        Binding("b", .attention, "what happened (the bell)"),
        Binding("n", .nodes, "nodes, and what ails them"),
        Binding("p", .pair, "pair a computer"),
        Binding("h", .hosts, "which computer counts"),
        Binding("l", .layouts, "lower keys, layouts"),
        Binding("s", .settings, "settings"),
        Binding("e", .receipts, "the last commands"),
        Binding("F", .keycap(.fast), "FAST: fast mode"),
        Binding("S", .keycap(.split), "SPLIT: fork the task"),
        Binding("P", .named(.plan), "plan, on the stick"),
        Binding("B", .named(.back), "back, on the stick"),
        Binding("N", .keycap(.new), "NEW: a new task"),
        Binding("C", .keycap(.codex), "CODEX: send the draft"),
        Binding(keys: [.character("+"), .character("=")], action: .reasoning(.increase), name: "+", meaning: "more reasoning"),
        Binding("-", .reasoning(.decrease), "less reasoning"),
        Binding("E", .dial, "click the dial"),
        Binding(keys: [.shiftUp], action: .stick(.up), name: "Shift-Up", meaning: "the stick; so all arrows"),
        Binding("k", .allKeycaps, "choose among 30 keycaps"),
        Binding("R", .resetLimit, "reset limit: hold, or y"),
        Binding("r", .reconnect, "connect again at once"),
        Binding(keys: [.escape], action: .dismiss, name: "Esc", meaning: "clear the receipt line"),
        Binding(keys: [.character("\u{0C}")], action: .redraw, name: "Ctrl-L", meaning: "draw everything anew"),
        Binding("?", .help, "this help"),
    ]

    private static let actions: [Key: BoardAction] = {
        var actions: [Key: BoardAction] = [.shiftDown: .stick(.down), .shiftLeft: .stick(.left), .shiftRight: .stick(.right)]
        for slot in 0..<Snapshot.slotCount {
            actions[.character(Character("\(slot + 1)"))] = .openSlot(slot)
            actions[.function(slot + 1)] = .lowerKey(slot)
        }
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
