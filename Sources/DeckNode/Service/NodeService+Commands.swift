import DeckAgents
import Relay
import RelayProtocol

/// A key that is being carried out: whose, on which task.
struct KeyPress: Hashable, Sendable {
    var verb: DeckVerb
    var task: TaskIdentity?
}

/// What became of a press.
enum PressAnswer: Sendable {
    /// Done; `note` is for the owner at this computer.
    case done(note: String? = nil)
    /// Not done, and why.
    case refused(String)

    /// The sentence the relay sends; `nil` when it was done.
    var refusal: String? { if case .refused(let sentence) = self { sentence } else { nil } }
}

/// Answers a press, once.
typealias PressReply = @Sendable (PressAnswer) -> Void

extension NodeService {
    /// Carries out a command of whoever pressed. `reply` comes at once for what this node does by itself, and later for what Codex has to confirm.
    func perform(_ command: Command, of presser: Presser, reply: @escaping PressReply) {
        let now = environment.now()
        switch (interpreters[presser] ?? CommandInterpreter()).interpret(command, deck: deck, now: now) {
        case .nothing: reply(.done())
        case .refuse(let sentence): reply(.refused(sentence))
        case .open(let identity): reply(open(identity, for: presser))
        case .perform(let verb, let identity): perform(verb, on: identity, for: presser, reply: reply)
        }
    }

    /// Opens a task for whoever pressed it.
    func open(_ identity: TaskIdentity, for presser: Presser) -> PressAnswer {
        guard select(identity, for: presser) else { return .refused(RelayError.unknownTask) }
        history.open(identity)
        publishIfChanged()
        return .done()
    }

    private func select(_ identity: TaskIdentity, for presser: Presser) -> Bool {
        guard deck.open(identity, now: environment.now()) else { return false }
        interpreters[presser, default: CommandInterpreter()].opened = identity
        if let appServer, facts[identity]?.isUnread == true { Task { await appServer.markRead(identity) } }
        return true
    }

    private func perform(_ verb: DeckVerb, on identity: TaskIdentity?, for presser: Presser, reply: @escaping PressReply) {
        switch verb {
        case .togglePin: return reply(togglePin(identity))
        case .previousTask: return reply(step(to: history.back { self.deck.tasks[$0] != nil }, for: presser))
        case .nextTask: return reply(step(to: history.forward { self.deck.tasks[$0] != nil }, for: presser))
        case .nextSlot: return reply(step(to: nextSlot(after: identity), for: presser))
        case .microphone, .paint, .upload: return reply(.refused(Refusal.needsPerson))
        default: break
        }
        let press = KeyPress(verb: verb, task: identity)
        guard underWay.insert(press).inserted else {
            return reply(.refused(Self.isAnswer(verb) ? RelayError.answeredElsewhere : Refusal.underWay))
        }
        let answer = OneAnswer(reply)
        // Clients give up after ten seconds; a daemon that is slow, but alive, may take longer for the several calls of one key.
        let limit = loop.schedule(after: Self.pressLimit) { answer.give(.refused(Refusal.unconfirmed)) }
        Task {
            let outcome = await carryOut(verb, on: identity, for: presser)
            limit.cancel()
            underWay.remove(press)
            answer.give(settle(outcome, for: presser))
        }
    }

    private static let pressLimit = Duration.milliseconds(9_500)

    /// Sees to it that a press is answered once, whatever comes first. Confined to the loop.
    private final class OneAnswer {
        private var reply: PressReply?

        init(_ reply: @escaping PressReply) { self.reply = reply }

        func give(_ answer: PressAnswer) {
            reply?(answer)
            reply = nil
        }
    }

    private static func isAnswer(_ verb: DeckVerb) -> Bool { verb == .approve || verb == .decline || verb == .answerQuestion }

    /// What a finished action means for the deck.
    private func settle(_ outcome: ActionOutcome, for presser: Presser) -> PressAnswer {
        switch outcome {
        case .done: break
        case .told(let note): return .done(note: note)
        case .refused(let sentence): return .refused(sentence)
        case .opened(let new):
            apply([AppServerChange.thread(new)])
            return open(new.identity, for: presser)
        case .openedAgent(let new):
            apply([AgentChange.task(new)])
            return open(new.identity, for: presser)
        }
        publishIfChanged()
        return .done()
    }

    private func togglePin(_ identity: TaskIdentity?) -> PressAnswer {
        guard let identity else { return .refused(RelayError.noOpenTask) }
        guard deck.togglePin(identity) != nil else { return .refused(Refusal.pinsFull) }
        publishIfChanged()
        return .done()
    }

    private func step(to identity: TaskIdentity?, for presser: Presser) -> PressAnswer {
        guard let identity, select(identity, for: presser) else { return .refused(Refusal.noOtherTask) }
        publishIfChanged()
        return .done()
    }

    private func nextSlot(after identity: TaskIdentity?) -> TaskIdentity? {
        let shown = deck.snapshot(now: environment.now()).slots.compactMap(\.identity)
        guard let identity, let index = shown.firstIndex(of: identity) else { return shown.first }
        return shown[(index + 1) % shown.count]
    }
}
