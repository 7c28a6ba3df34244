import RelayProtocol
import Testing

@testable import DeckClient

struct AnswerTransactionTests {
    private static let start = ContinuousClock.now
    private static func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
    private static let key = TaskKey("Local:" + Lab.task(7).uuid)!

    private static func view(_ number: Int = 1, open: Bool, other: Bool = false) -> HostView {
        Lab.view(number, [Lab.slot(2, 7, .awaitingApproval, key: key.rawValue, selected: open), Lab.slot(3, 8, selected: other)])
    }

    private static func context(_ hosts: HostView...) -> CommandContext { CommandContext(board: Lab.board(hosts), hosts: hosts, wall: Lab.now) }

    private static func opened(_ answer: AnswerTransaction.Answer = .approve) -> AnswerTransaction {
        var transaction = AnswerTransaction(answer, Lab.task(7))
        _ = transaction.begin(in: context(view(open: false)), now: at(0))
        _ = transaction.handle(.result(.press, error: nil), of: .opening, in: context(view(open: false)), now: at(10))
        _ = transaction.handleTimeout(in: context(view(open: false)), now: at(90))
        return transaction
    }

    @Test(arguments: [(AnswerTransaction.Answer.approve, Keycap.approve), (.decline, .reject)])
    func theKeycapLeavesOnlyAfterTheSnapshot(answer: AnswerTransaction.Answer, keycap: Keycap) {
        var transaction = Self.opened(answer)
        let unchanged = Self.view(open: false)
        #expect(transaction.handle(.snapshot(unchanged), in: Self.context(unchanged), now: Self.at(100)) == [])
        let open = Self.view(open: true)
        #expect(
            transaction.handle(.snapshot(open), in: Self.context(open), now: Self.at(120)) == [
                .init(part: .answering, action: .send(.keycap(keycap, task: Self.key), phase: .press, to: Lab.hostID(1)))
            ])
        // The late result of the opening's release is nobody's any more.
        #expect(transaction.handle(.result(.release, error: "x"), of: .opening, in: Self.context(open), now: Self.at(125)) == [])
        #expect(
            transaction.handle(.result(.press, error: nil), of: .answering, in: Self.context(open), now: Self.at(130)) == [
                .init(part: .answering, action: .finish(.executed))
            ])
        #expect(transaction.outcome == .executed)
    }

    @Test func anOpenTaskIsPressedAllTheSame() {
        var transaction = AnswerTransaction(.approve, Lab.task(7))
        let actions = transaction.begin(in: Self.context(Self.view(open: true)), now: Self.at(0))
        #expect(actions.map(\.part) == [.opening])
        #expect(actions.first?.action == .send(.agent(slot: 2, threadKey: Self.key, phase: .press), phase: .press, to: Lab.hostID(1)))
    }

    @Test func withoutASnapshotNothingIsAnswered() {
        var transaction = Self.opened()
        #expect(transaction.nextDeadline == Self.at(4010))
        #expect(
            transaction.handleTimeout(in: Self.context(Self.view(open: false)), now: Self.at(4010)) == [
                .init(part: .opening, action: .finish(.noConfirmingSnapshot))
            ])
    }

    @Test func aTaskThatMovedMeanwhileIsNotAnswered() {
        var transaction = Self.opened()
        let open = Self.view(open: true)
        let newOwner = Lab.view(2, [Lab.slot(0, 7, selected: true)], sessions: [Lab.session(7)])
        #expect(
            transaction.handle(.snapshot(open), in: Self.context(open, newOwner), now: Self.at(120)) == [
                .init(part: .opening, action: .finish(.changedMeanwhile))
            ])
    }

    @Test func anotherTaskOpenedMeanwhileIsNotAnswered() {
        var transaction = AnswerTransaction(.approve, Lab.task(7))
        let before = Self.context(Self.view(open: false))
        _ = transaction.begin(in: before, now: Self.at(0))
        _ = transaction.handleTimeout(in: before, now: Self.at(90))
        _ = transaction.handle(.snapshot(Self.view(open: true)), in: Self.context(Self.view(open: true)), now: Self.at(100))
        // Somebody at the computer opened another task before the result came.
        let actions = transaction.handle(
            .result(.press, error: nil), of: .opening, in: Self.context(Self.view(open: false, other: true)), now: Self.at(200))
        #expect(actions == [.init(part: .opening, action: .finish(.changedMeanwhile))])
    }

    @Test func aRefusedOpeningAnswersNothing() {
        var transaction = AnswerTransaction(.decline, Lab.task(7))
        let context = Self.context(Self.view(open: false))
        _ = transaction.begin(in: context, now: Self.at(0))
        _ = transaction.handle(.result(.press, error: RelayError.unknownTask), of: .opening, in: context, now: Self.at(10))
        let actions = transaction.handleTimeout(in: context, now: Self.at(90))
        #expect(actions.last?.action == .finish(.rejected(RelayError.unknownTask)))
        #expect(transaction.stage == .finished(.rejected(RelayError.unknownTask)))
    }

    @Test func theHostsRefusalOfTheAnswerIsTold() {
        var transaction = Self.opened()
        let open = Self.context(Self.view(open: true))
        _ = transaction.handle(.snapshot(Self.view(open: true)), in: open, now: Self.at(120))
        let actions = transaction.handle(.result(.press, error: RelayError.answeredElsewhere), of: .answering, in: open, now: Self.at(130))
        #expect(actions == [.init(part: .answering, action: .finish(.rejected(RelayError.answeredElsewhere)))])
    }
}
