import EventLoop

/// A command under way: either kind of transaction, and who waits for its end.
///
/// Confined to the engine's loop; not Sendable.
final class RunningCommand {
    enum Transaction {
        case press(PressTransaction)
        case answer(AnswerTransaction)
    }

    /// An action, and which part of an answer it belongs to.
    typealias Step = (part: AnswerTransaction.Part?, action: PressTransaction.Action)

    let number: Int
    let request: ClientRequest
    /// The id of its record.
    let receipt: Int64
    private(set) var transaction: Transaction
    private var completion: ((CommandOutcome) -> Void)?
    var timer: Timer?
    /// The profile whose connection took the last part of it.
    var carrier: String?

    init(
        number: Int, request: ClientRequest, receipt: Int64, transaction: Transaction, completion: @escaping (CommandOutcome) -> Void
    ) {
        self.number = number
        self.request = request
        self.receipt = receipt
        self.transaction = transaction
        self.completion = completion
    }

    var stage: PressTransaction.Stage {
        switch transaction {
        case .press(let press): press.stage
        case .answer(let answer): answer.stage
        }
    }

    var nextDeadline: ContinuousClock.Instant? {
        switch transaction {
        case .press(let press): press.nextDeadline
        case .answer(let answer): answer.nextDeadline
        }
    }

    func begin(in context: CommandContext, now: ContinuousClock.Instant) -> [Step] {
        advance({ $0.begin(in: context, now: now) }, { $0.begin(in: context, now: now) })
    }

    func handle(_ event: PressTransaction.Event, of part: AnswerTransaction.Part?, in context: CommandContext, now: ContinuousClock.Instant) -> [Step]
    {
        advance({ $0.handle(event, now: now) }, { $0.handle(event, of: part, in: context, now: now) })
    }

    func handleTimeout(in context: CommandContext, now: ContinuousClock.Instant) -> [Step] {
        advance({ $0.handleTimeout(now: now) }, { $0.handleTimeout(in: context, now: now) })
    }

    func finish(_ outcome: CommandOutcome) {
        timer?.cancel()
        let completion = completion
        self.completion = nil
        completion?(outcome)
    }

    private func advance(
        _ press: (inout PressTransaction) -> [PressTransaction.Action], _ answer: (inout AnswerTransaction) -> [AnswerTransaction.Action]
    ) -> [Step] {
        switch transaction {
        case .press(var value):
            let actions = press(&value)
            transaction = .press(value)
            return actions.map { (nil, $0) }
        case .answer(var value):
            let actions = answer(&value)
            transaction = .answer(value)
            return actions.map { ($0.part, $0.action) }
        }
    }
}
