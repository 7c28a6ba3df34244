import RelayProtocol

/// What a press asks for once slots, keys and targets are resolved.
public enum DeckVerb: Hashable, Sendable {
    case fast, approve, decline, fork, sideChat, newTask, sendDraft, increaseReasoning, decreaseReasoning, archive, togglePin
    case reviewChanges, reviewBranch, reviewMerge, commit, pullRequest, play, copyConversation, terminal, agentsOverview, apps
    case navigate, webApp, reportBug, folder, settings, lab, microphone, paint, upload
    case togglePlan, previousTask, nextTask, nextSlot, answerQuestion, resetLimit

    /// The verb a keycap stands for.
    public init(_ keycap: Keycap) {
        self =
            switch keycap {
            case .fast: .fast
            case .approve: .approve
            case .reject: .decline
            case .split: .fork
            case .party: .sideChat
            case .new: .newTask
            case .codex: .sendDraft
            case .mindIncrease: .increaseReasoning
            case .mindDecrease: .decreaseReasoning
            case .delete: .archive
            case .magic: .togglePin
            case .diff: .reviewChanges
            case .branch: .reviewBranch
            case .merge: .reviewMerge
            case .git: .commit
            case .pullRequest: .pullRequest
            case .play: .play
            case .download: .copyConversation
            case .terminal: .terminal
            case .time: .agentsOverview
            case .apps: .apps
            case .navigate: .navigate
            case .openAI: .webApp
            case .bug: .reportBug
            case .folder: .folder
            case .setup: .settings
            case .lab: .lab
            case .microphone: .microphone
            case .paint: .paint
            case .upload: .upload
            }
    }

    /// Whether the verb means one task; the others do something to the deck or the account.
    var needsTask: Bool {
        switch self {
        case .newTask, .agentsOverview, .apps, .navigate, .webApp, .reportBug, .settings, .lab, .previousTask, .nextTask, .nextSlot, .resetLimit,
            .microphone, .paint, .upload, .play, .folder:
            false
        case .fast, .approve, .decline, .fork, .sideChat, .sendDraft, .increaseReasoning, .decreaseReasoning, .archive, .togglePin, .reviewChanges,
            .reviewBranch, .reviewMerge, .commit, .pullRequest, .copyConversation, .terminal, .togglePlan, .answerQuestion:
            true
        }
    }
}

/// The sentences with which this node refuses, beside those of ``RelayError`` that all nodes share. Each says what a person can do about it.
public enum Refusal {
    public static let observedOnly = "This task can only be watched from here; answer it in the terminal it runs in."
    public static let needsPerson = "This key needs a person at the computer."
    public static let noCredit = "This computer knows of no limit reset credit."
    public static let noOtherTask = "There is no other task to open."
    public static let demo = "The demo does not act on this key."
    public static let pinsFull = "No more tasks can be pinned; unpin one first."
    public static let stopping = "This computer is stopping its node; try again in a moment."
    public static let notInThisVersion = "This node watches Codex sessions and cannot do this to them."
}

/// What the node does about a command.
public enum Interpretation: Hashable, Sendable {
    /// Nothing to do: the release of a press.
    case nothing
    /// Select the task and acknowledge its end.
    case open(TaskIdentity)
    /// Carry out the verb, on the task if it means one.
    case perform(DeckVerb, TaskIdentity?)
    /// Refuse with a sentence.
    case refuse(String)
}

/// Turns a command into what it means here and now.
///
/// A press acts once, when the key goes down. It acts on the task that this very connection opened last, else on the selected one, so that two
/// people at two screens never answer each other's prompt; when it names a task and that is another one, it is refused.
public struct CommandInterpreter: Sendable {
    /// The task this connection opened last.
    public var opened: TaskIdentity?

    public init(opened: TaskIdentity? = nil) { self.opened = opened }

    public func interpret(_ command: Command, deck: Deck, now: UnixMilliseconds) -> Interpretation {
        switch command {
        case .agent(_, _, .release), .action(_, .release, _), .joystick(_, .release, _), .encoder(.release, _): .nothing
        case .agent(_, let key, .press): deck.tasks[key.identity] == nil ? .refuse(RelayError.unknownTask) : .open(key.identity)
        case .action(let slot, .press, let task): action(slot, task, deck: deck, now: now)
        case .keycap(let keycap, let task): perform(DeckVerb(keycap), task, deck: deck, now: now)
        case .joystick(let direction, .press, let task): perform(Self.verb(direction), task, deck: deck, now: now)
        case .encoder(.press, let task): encoder(task, deck: deck, now: now)
        case .reasoning(.increase, let task): perform(.increaseReasoning, task, deck: deck, now: now)
        case .reasoning(.decrease, let task): perform(.decreaseReasoning, task, deck: deck, now: now)
        case .rateLimitReset: .perform(.resetLimit, nil)
        }
    }

    private func action(_ slot: ActionSlot, _ task: TaskKey?, deck: Deck, now: UnixMilliseconds) -> Interpretation {
        guard let keycap = deck.settings.layout.slots[slot]?.keycap else { return .refuse("No key lies on \(slot.rawValue).") }
        return perform(DeckVerb(keycap), task, deck: deck, now: now)
    }

    private func encoder(_ task: TaskKey?, deck: Deck, now: UnixMilliseconds) -> Interpretation {
        switch target(task, deck: deck, now: now) {
        case .failure(let refusal): .refuse(refusal.sentence)
        case .success(let found): .perform(found.phase == .awaitingResponse ? .answerQuestion : .terminal, found.identity)
        }
    }

    private func perform(_ verb: DeckVerb, _ task: TaskKey?, deck: Deck, now: UnixMilliseconds) -> Interpretation {
        switch target(task, deck: deck, now: now) {
        case .success(let found): return .perform(verb, found.identity)
        case .failure(let refusal):
            // Verbs of the deck go ahead without a task, but never past a press that meant another one.
            if !verb.needsTask, refusal.sentence == RelayError.noOpenTask { return .perform(verb, nil) }
            return .refuse(refusal.sentence)
        }
    }

    private struct Refused: Error { var sentence: String }

    private func target(_ meant: TaskKey?, deck: Deck, now: UnixMilliseconds) -> Result<DeckTask, Refused> {
        let found = opened.flatMap { deck.tasks[$0] } ?? deck.selectedTask(now: now)
        guard let found else { return .failure(Refused(sentence: meant == nil ? RelayError.noOpenTask : RelayError.otherTask)) }
        if let meant, meant.identity != found.identity { return .failure(Refused(sentence: RelayError.otherTask)) }
        return .success(found)
    }

    private static func verb(_ direction: JoystickDirection) -> DeckVerb {
        switch direction {
        case .up: .togglePlan
        case .left: .previousTask
        case .right: .nextTask
        case .down: .nextSlot
        }
    }
}
