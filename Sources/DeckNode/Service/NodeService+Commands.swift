import Relay
import RelayProtocol

extension NodeService {
    /// Carries out a command of a client.
    ///
    /// - Returns: `nil` when it was done, else the sentence that says why not.
    func perform(_ command: Command, of client: RelayClientID) -> String? {
        var interpreter = interpreters[client] ?? CommandInterpreter()
        let refusal = perform(command, with: &interpreter)
        interpreters[client] = interpreter
        return refusal
    }

    /// Carries out a command of whoever `interpreter` stands for.
    func perform(_ command: Command, with interpreter: inout CommandInterpreter) -> String? {
        let now = environment.now()
        switch interpreter.interpret(command, deck: deck, now: now) {
        case .nothing: return nil
        case .refuse(let sentence): return sentence
        case .open(let identity): return open(identity, with: &interpreter)
        case .perform(let verb, let identity): return perform(verb, on: identity, with: &interpreter)
        }
    }

    /// Opens a task for whoever `interpreter` stands for.
    func open(_ identity: TaskIdentity, with interpreter: inout CommandInterpreter) -> String? {
        guard deck.open(identity, now: environment.now()) else { return RelayError.unknownTask }
        interpreter.opened = identity
        history.open(identity)
        publishIfChanged()
        return nil
    }

    private func perform(_ verb: DeckVerb, on identity: TaskIdentity?, with interpreter: inout CommandInterpreter) -> String? {
        switch verb {
        case .togglePin: return togglePin(identity)
        case .previousTask: return step(to: history.back { self.deck.tasks[$0] != nil }, with: &interpreter)
        case .nextTask: return step(to: history.forward { self.deck.tasks[$0] != nil }, with: &interpreter)
        case .nextSlot: return step(to: nextSlot(after: identity), with: &interpreter)
        case .resetLimit: return Refusal.noCredit
        case .microphone, .paint, .upload: return Refusal.needsPerson
        default: return demo == nil ? refusal(verb, identity) : performInDemo(verb, on: identity)
        }
    }

    private func togglePin(_ identity: TaskIdentity?) -> String? {
        guard let identity else { return RelayError.noOpenTask }
        guard deck.togglePin(identity) != nil else { return Refusal.pinsFull }
        publishIfChanged()
        return nil
    }

    private func step(to identity: TaskIdentity?, with interpreter: inout CommandInterpreter) -> String? {
        guard let identity, deck.open(identity, now: environment.now()) else { return Refusal.noOtherTask }
        interpreter.opened = identity
        publishIfChanged()
        return nil
    }

    private func nextSlot(after identity: TaskIdentity?) -> TaskIdentity? {
        let shown = deck.snapshot(now: environment.now()).slots.compactMap(\.identity)
        guard let identity, let index = shown.firstIndex(of: identity) else { return shown.first }
        return shown[(index + 1) % shown.count]
    }

    /// Why the verb cannot be carried out on a session that is only watched.
    private func refusal(_ verb: DeckVerb, _ identity: TaskIdentity?) -> String {
        switch verb {
        case .approve, .decline, .answerQuestion:
            guard let identity, let task = deck.tasks[identity] else { return RelayError.noOpenTask }
            // A file does not tell that its session waits, so the node must not claim that nothing does.
            return task.phase == .working ? Refusal.observedOnly : RelayError.nothingToApprove
        default: return Refusal.notInThisVersion
        }
    }

    private func performInDemo(_ verb: DeckVerb, on identity: TaskIdentity?) -> String? {
        guard var script = demo else { return Refusal.demo }
        let result = script.perform(verb, on: identity, now: environment.now())
        demo = script
        switch result {
        case .success(let task):
            take(task)
            publishIfChanged()
            return nil
        case .failure(let refusal): return refusal.sentence
        }
    }
}
