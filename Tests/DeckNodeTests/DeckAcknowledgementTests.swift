import RelayProtocol
import Testing

@testable import DeckNode

/// Ends of turns that were seen somewhere else.
struct DeckAcknowledgementTests {
    typealias Base = DeckTests

    @Test(arguments: [
        (DeckTask.Phase.finished(revision: 100), TaskStatus.complete), (.failed(revision: 100), .error), (.failed(revision: 0), .error),
    ])
    func anEndThatWasSeenElsewhereIsSeenHere(phase: DeckTask.Phase, status: TaskStatus) {
        var deck = Base.deck([Base.task(1, phase)])
        #expect(Base.look(&deck, Base.start).slots[0].status == status)
        deck.acknowledge(Base.identity(1), now: Base.start)
        #expect(Base.look(&deck, Base.start).slots[0].status == .idle)
        #expect(Base.look(&deck, Base.start).hostSessions?.first?.status == .idle)
        #expect(Base.look(&deck, Base.start).hostSessions?.first?.completionRevision == deck.tasks[Base.identity(1)]?.endRevision)
    }

    @Test func seenElsewhereIsNotOpenedHere() {
        var deck = Base.deck([Base.task(1, .finished(revision: 100)), Base.task(2)])
        #expect(mutating(&deck) { $0.open(Base.identity(2), now: Base.start) })
        deck.acknowledge(Base.identity(1), now: Base.start)
        #expect(deck.selectedTask(now: Base.start)?.identity == Base.identity(2))
    }

    @Test func theNextEndCountsAgain() {
        var deck = Base.deck([Base.task(1, .finished(revision: 100))])
        deck.acknowledge(Base.identity(1), now: Base.start)
        deck.update(Base.task(1, .working, at: 10), now: Base.later(10))
        deck.update(Base.task(1, .finished(revision: 100), at: 11), now: Base.later(11))
        #expect(Base.look(&deck, Base.later(11)).slots[0].status == .idle, "the same end, told again")
        deck.update(Base.task(1, .finished(revision: 200), at: 20), now: Base.later(20))
        #expect(Base.look(&deck, Base.later(20)).slots[0].status == .complete)
    }

    @Test(arguments: [DeckTask.Phase.idle, .working, .awaitingApproval, .awaitingResponse, .unread])
    func whatHasNotEndedIsNotSeen(phase: DeckTask.Phase) {
        var deck = Base.deck([Base.task(1, phase)])
        let before = Base.look(&deck, Base.start)
        deck.acknowledge(Base.identity(1), now: Base.start)
        #expect(Base.look(&deck, Base.start) == before)
        #expect(deck.settings.acknowledged.isEmpty)
    }

    @Test func anUnknownTaskIsNothing() {
        var deck = Base.deck([])
        deck.acknowledge(Base.identity(9), now: Base.start)
        #expect(deck.settings.acknowledged.isEmpty)
    }
}
