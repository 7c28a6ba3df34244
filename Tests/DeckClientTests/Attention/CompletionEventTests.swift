import RelayProtocol
import Testing

@testable import DeckClient

/// Completions and errors, which have numbers.
struct CompletionEventTests {
    private static func slot(_ status: TaskStatus, ago: Double? = 100) -> [Slot] { [AttentionLab.slot(1, status, ago: ago)] }
    private static func session(_ status: HostSession.Status, _ revision: Int64?, ago: Double = 100) -> [HostSession] {
        [Lab.session(1, status, ago: ago, revision: revision)]
    }

    @Test func theWordMayFlipWithoutAnEvent() {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.working), sessions: Self.session(.working, 5))
        #expect(lab.say(1, Self.slot(.complete), sessions: Self.session(.complete, 6)) == ["completion 1"])
        for word in [TaskStatus.unread, .complete, .idle, .unread, .done] {
            #expect(lab.say(1, Self.slot(word), sessions: Self.session(.complete, 6)) == [], "\(word)")
        }
    }

    @Test func aNewRevisionIsAnEventThoughTheWordStays() {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.working), sessions: Self.session(.working, 5))
        lab.say(1, Self.slot(.complete), sessions: Self.session(.complete, 6))
        #expect(lab.say(1, Self.slot(.complete), sessions: Self.session(.complete, 7)) == ["completion 1"])
        #expect(lab.ledger.events.count == 2)
        #expect(lab.ledger.events.map { $0.endedAt == nil } == [true, false])
    }

    @Test func aRevisionOfTheBaselineIsNone() {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.complete), sessions: Self.session(.complete, 6))
        lab.say(1, Self.slot(.working, ago: 90), sessions: Self.session(.working, 6))
        // A turn that was aborted leaves the former completion.
        #expect(lab.say(1, Self.slot(.complete, ago: 80), sessions: Self.session(.complete, 6)) == [])
        #expect(lab.say(1, Self.slot(.complete, ago: 80), sessions: Self.session(.complete, 7)) == ["completion 1"])
    }

    @Test func aNumberThatComesLaterBelongsToTheSameCompletion() {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.working))
        #expect(lab.say(1, Self.slot(.complete, ago: 90)) == ["completion 1"])
        #expect(lab.say(1, Self.slot(.complete, ago: 90), sessions: Self.session(.complete, 6)) == [])
        #expect(lab.say(1, Self.slot(.complete, ago: 90)) == [])
        #expect(lab.say(1, Self.slot(.complete, ago: 90), sessions: Self.session(.complete, 7)) == ["completion 1"])
    }

    @Test func withoutNumbersWorkInBetweenMakesTheNextOne() {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.working))
        lab.say(1, Self.slot(.complete, ago: 90))
        lab.say(1, Self.slot(.idle, ago: 90))
        #expect(lab.say(1, Self.slot(.unread, ago: 90), after: 10) == [])
        lab.say(1, Self.slot(.working, ago: 80))
        #expect(lab.say(1, Self.slot(.complete, ago: 70)) == ["completion 1"])
    }

    @Test func anotherOwnerWithOtherNumbersIsNoEvent() {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.working), sessions: Self.session(.working, 600))
        lab.say(2, Self.slot(.idle), sessions: Self.session(.idle, 3, ago: 200))
        #expect(lab.say(1, Self.slot(.complete), sessions: Self.session(.complete, 700)) == ["completion 1"])
        // The second computer becomes the owner by an activity of equal age.
        lab.hosts[1]?.disconnect(.offline(reason: nil))
        lab.hosts[1] = nil
        #expect(lab.say(2, Self.slot(.complete), sessions: Self.session(.complete, 4)) == [])
    }

    @Test func anErrorIsToldOnceUntilThereIsWorkAgain() {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.working))
        #expect(lab.say(1, Self.slot(.error, ago: 90)) == ["error 1"])
        #expect(lab.say(1, Self.slot(.error, ago: 90)) == [])
        lab.say(1, Self.slot(.working, ago: 80))
        #expect(lab.say(1, Self.slot(.error, ago: 70)) == ["error 1"])
    }

    @Test func completionsOpenedAnywhereAreSettled() {
        var lab = AttentionLab()
        lab.remembers = true
        lab.say(1, Self.slot(.working), sessions: Self.session(.working, 5))
        lab.say(1, Self.slot(.complete), sessions: Self.session(.complete, 6))
        #expect(lab.ledger.unreadCount == 1)
        // Opened on its computer: the merge acknowledges it, and the task is idle.
        lab.say(1, Self.slot(.complete), sessions: Self.session(.complete, 6), active: Lab.key(1))
        #expect(lab.ledger.unreadCount == 0)
        #expect(lab.ledger.events.count == 1)
    }

    @Test func anAnsweredRequestIsSettledAndStaysAsARecord() throws {
        var lab = AttentionLab()
        lab.say(1, Self.slot(.working))
        lab.say(1, Self.slot(.approval))
        #expect(lab.ledger.unreadCount == 1)
        lab.say(1, Self.slot(.working))
        #expect(lab.ledger.unreadCount == 0)
        let event = try #require(lab.ledger.events.first)
        #expect(event.endedAt == lab.now)
        #expect(!event.isRead)
    }
}
