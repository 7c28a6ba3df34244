import RelayProtocol

/// Approves or declines one very task: opens it, waits for the snapshot that shows it open, and only then sends the keycap with its key.
///
/// The task is pressed even when it seems open: a node answers the task this connection opened last, and older nodes, which do not
/// read the key in a keycap, answer whatever is open at that moment. A snapshot that came after the press is what makes both the same.
public struct AnswerTransaction: Sendable {
    public enum Answer: Sendable { case approve, decline }
    /// Which of the two commands an action or event belongs to.
    public enum Part: Sendable, Equatable { case opening, answering }

    public struct Action: Sendable, Equatable {
        public let part: Part
        public let action: PressTransaction.Action
    }

    public let task: TaskIdentity
    public let answer: Answer
    public private(set) var outcome: CommandOutcome?
    /// How far the part under way is.
    public var stage: PressTransaction.Stage { outcome.map { .finished($0) } ?? answering?.stage ?? opening.stage }
    public var part: Part { answering == nil ? .opening : .answering }

    private var opening: PressTransaction
    private var answering: PressTransaction?
    private let limits: PressTransaction.Limits

    public init(_ answer: Answer, _ task: TaskIdentity, limits: PressTransaction.Limits = PressTransaction.Limits()) {
        self.answer = answer
        self.task = task
        self.limits = limits
        opening = PressTransaction(.open(task, again: true), limits: limits)
    }

    public mutating func begin(in context: CommandContext, now: ContinuousClock.Instant) -> [Action] {
        forward(opening.begin(in: context, now: now), in: context, now: now)
    }

    /// - Parameters:
    ///   - part: Whose result it is; events that are nobody's result go to the part under way.
    ///   - context: What is known now, the event included.
    public mutating func handle(
        _ event: PressTransaction.Event, of part: Part? = nil, in context: CommandContext, now: ContinuousClock.Instant
    ) -> [Action] {
        guard outcome == nil, (part ?? self.part) == self.part else { return [] }
        if let actions = answering?.handle(event, now: now) { return forward(actions, in: context, now: now) }
        return forward(opening.handle(event, now: now), in: context, now: now)
    }

    public var nextDeadline: ContinuousClock.Instant? { outcome == nil ? (answering ?? opening).nextDeadline : nil }

    public mutating func handleTimeout(in context: CommandContext, now: ContinuousClock.Instant) -> [Action] {
        guard outcome == nil else { return [] }
        if let actions = answering?.handleTimeout(now: now) { return forward(actions, in: context, now: now) }
        return forward(opening.handleTimeout(now: now), in: context, now: now)
    }

    private mutating func forward(_ actions: [PressTransaction.Action], in context: CommandContext, now: ContinuousClock.Instant) -> [Action] {
        var forwarded: [Action] = []
        for action in actions {
            switch action {
            case .send:
                forwarded.append(Action(part: part, action: action))
            case .finish(.stateConfirmed) where answering == nil:
                forwarded += beginAnswer(in: context, now: now)
            case .finish(let end):
                forwarded.append(finish(end))
            }
        }
        return forwarded
    }

    /// Resolves the task once more; it has to be open still, on the computer that was pressed.
    private mutating func beginAnswer(in context: CommandContext, now: ContinuousClock.Instant) -> [Action] {
        do throws(CommandFailure) {
            let target = try context.target(of: task)
            let view = try context.ready(target.host, for: .keycap)
            guard target.host == opening.host, view.isOpen(task, target.key.identity) else { return [finish(.changedMeanwhile)] }
            let keycap = CommandPlan.keycap(answer == .approve ? .approve : .reject, task: target.key)
            var transaction = PressTransaction(.execute(keycap, host: target.host), limits: limits)
            let actions = transaction.begin(in: context, now: now)
            answering = transaction
            return forward(actions, in: context, now: now)
        } catch {
            return [finish(error.outcome)]
        }
    }

    private mutating func finish(_ end: CommandOutcome) -> Action {
        outcome = end
        return Action(part: part, action: .finish(end))
    }
}
