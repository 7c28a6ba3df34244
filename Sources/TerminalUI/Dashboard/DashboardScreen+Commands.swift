import DeckClient
import RelayProtocol

/// What keys send, and what is said when nothing can be sent.
extension DashboardScreen {
    /// The shown task when commands may leave for it; else says why not.
    private mutating func commandable() -> (task: BoardTask, identity: TaskIdentity)? {
        guard let task = shownTask else { return refuse(missing) }
        guard let identity = task.identity else { return refuse("\(CommandOutcome.unreadableKey)") }
        if task.offline { return refuse("\(CommandOutcome.offlineHost(name: task.ownerName))") }
        return (task, identity)
    }

    private var missing: String {
        if case .detail(let task, let title, _) = view {
            return absence(of: task, wasSeen: !title.isEmpty) == .gone ? "\(CommandOutcome.missingTask)" : "The task is not known yet."
        }
        return "No task is on key \(focus.slot + 1)."
    }

    private mutating func refuse<Nothing>(_ sentence: String) -> Nothing? {
        receipt = ReceiptLine(sentence, .warning)
        return nil
    }

    mutating func refuse(focused sentence: String) -> [DashboardEffect] {
        receipt = ReceiptLine(sentence, .warning)
        return []
    }

    mutating func openShown() -> [DashboardEffect] {
        guard let (_, identity) = commandable() else { return [] }
        return [.open(identity)]
    }

    mutating func ask(_ answer: AnswerTransaction.Answer) -> [DashboardEffect] {
        guard let (task, identity) = commandable() else { return [] }
        guard task.meaning == .waiting else {
            let which = if case .detail = view { "This task" } else { "The task on key \(focus.slot + 1)" }
            return refuse(focused: "\(which) is not waiting for an answer.")
        }
        prompt = AnswerPrompt(answer: answer, task: identity, title: TaskWords.title(task, glyphs))
        return []
    }

    /// Following needs nobody's consent: also a task of a computer that is away can be followed.
    mutating func follow() -> [DashboardEffect] {
        guard let identity = shownTask?.identity else { return refuse(focused: missing) }
        return [.apply(.follow(state.follow?.task == identity ? nil : identity))]
    }

    /// A keycap goes with the shown task, so that it acts on no other; on an empty card it is for the selected computer.
    mutating func send(_ keycap: Keycap) -> [DashboardEffect] {
        switch keycap {
        case .approve: return ask(.approve)
        case .reject: return ask(.decline)
        default: return control(.keycap(keycap))
        }
    }

    mutating func control(_ control: ClientRequest.Control) -> [DashboardEffect] {
        guard shownTask != nil else { return [.perform(.control(control, .selected))] }
        guard let (_, identity) = commandable() else { return [] }
        return [.perform(.control(control, .task(identity)))]
    }

    /// Sends what the label of a lower key says. In automatic the labels are those of the selected computer; the owner of the task may
    /// have something else in that place.
    mutating func pressLowerKey(_ index: Int) -> [DashboardEffect] {
        guard state.lowerKeys.indices.contains(index) else { return [] }
        let key = state.lowerKeys[index]
        if key.keycap == .approve || key.keycap == .reject { return ask(key.keycap == .approve ? .approve : .decline) }
        guard let task = shownTask, !key.isAssigned, task.owner != board.selectedHost else { return control(.lowerKey(key.slot)) }
        guard let keycap = key.keycap else {
            return refuse(focused: "That key is one of the selected computer, and the task lives on another one.")
        }
        return control(.keycap(keycap))
    }

    /// Pushes the stick to where the computer has that name.
    mutating func push(_ name: StickName) -> [DashboardEffect] {
        guard let stick = board.layout?.analogStick, !stick.isEmpty else { return control(.joystick(name.standard)) }
        let found = JoystickDirection.allCases.first { stick[$0]?.lowercased() == name.rawValue }
        guard let found else { return refuse(focused: "No direction of the stick is \(name.rawValue) on the selected computer.") }
        return control(.joystick(found))
    }

    mutating func askForReset(at: Int64) -> [DashboardEffect] {
        guard let usage = board.usage, let computer = board.computer(usage.host) else {
            return refuse(focused: "No computer has told of the account's limits.")
        }
        guard computer.isLive else { return refuse(focused: "\(CommandOutcome.offlineHost(name: computer.name))") }
        if usage.resetCreditsAvailable == 0 { return refuse(focused: "There is no credit left to reset the limit with.") }
        resetPrompt = ResetLimitPrompt(host: usage.host, hostName: computer.name, at: at)
        return []
    }
}
