import DeckClient
import RelayProtocol

/// The words and styles of a task's state. A state is always told by its word; the colour only helps.
enum TaskWords {
    static func word(_ task: BoardTask) -> String { word(of: task.status) }

    static func word(of status: TaskStatus) -> String {
        switch status {
        case .approval, .awaitingApproval: return "approve?"
        case .awaitingResponse: return "answer?"
        case .thinking: return "thinking"
        case .unread: return "unread"
        default: break
        }
        return switch status.meaning {
        case .waiting: "waiting"
        case .failed: "error"
        case .working: "working"
        case .finished: "done"
        case .idle: "idle"
        case .off: "off"
        }
    }

    /// The state in words that make sense when they are read aloud.
    static func spoken(_ task: BoardTask) -> String {
        switch task.status {
        case .approval, .awaitingApproval: "waits for approval"
        case .awaitingResponse: "waits for an answer"
        case .unread: "has something unread"
        default: word(task)
        }
    }

    static func style(_ task: BoardTask) -> TextStyle {
        task.offline ? .lastKnown : style(of: task.meaning)
    }

    static func style(of meaning: TaskStatus.Meaning) -> TextStyle {
        switch meaning {
        case .waiting: .waiting
        case .failed: .failed
        case .working: .working
        case .finished: .finished
        case .idle: .idle
        case .off: .off
        }
    }

    static func title(_ task: BoardTask, _ glyphs: GlyphSet) -> String {
        let clean = CellText.clean(task.title ?? "", glyphs)
        return clean.isEmpty ? "Untitled task" : clean
    }

    /// The title as a card shows it beside others. Terminals that turn right-to-left text around would turn it together with that of
    /// the card next to it; the letter of the owner's system before it keeps the two apart.
    static func titleBesideOthers(_ task: BoardTask, _ glyphs: GlyphSet) -> String {
        let title = title(task, glyphs)
        return title.unicodeScalars.contains(where: isRightToLeft) ? task.badge.rawValue + " " + title : title
    }

    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfeff, 0x10800...0x10fff, 0x1e800...0x1efff: true
        default: false
        }
    }

    static func owner(_ task: BoardTask, _ glyphs: GlyphSet) -> String { task.badge.rawValue + " " + CellText.clean(task.ownerName, glyphs) }

    static func age(_ task: BoardTask, now: UnixMilliseconds) -> RelativeTime? {
        task.activityAt.map { RelativeTime.age(now.milliseconds(since: $0)) }
    }

    /// Percent of the context from which it is time to think of a new task.
    static let highContext = 80
    static let fullContext = 92

    static func contextStyle(_ percent: Int) -> TextStyle {
        percent >= fullContext ? .meterFull : percent >= highContext ? .meterHigh : .meter
    }
}
