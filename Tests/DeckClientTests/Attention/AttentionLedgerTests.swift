import RelayProtocol
import Testing

@testable import DeckClient

struct AttentionLedgerTests {
    private static func slot(_ task: Int, _ status: TaskStatus, ago: Double? = 100, id: Int = 0) -> Slot {
        AttentionLab.slot(task, status, ago: ago, id: id)
    }

    @Test(arguments: [TaskStatus.approval, .awaitingResponse, .complete, .unread, .error])
    func theFirstSnapshotOfAComputerIsABaseline(status: TaskStatus) {
        var lab = AttentionLab()
        let first = lab.say(1, [Self.slot(1, status)])
        #expect(first == [])
        let second = lab.say(1, [Self.slot(1, status)])
        #expect(second == [])
        #expect(lab.ledger.events.isEmpty)
    }

    @Test(arguments: [
        (TaskStatus.approval, "approval 1"), (.awaitingApproval, "approval 1"), (.awaitingResponse, "response 1"), (.complete, "completion 1"),
        (.completed, "completion 1"), (.done, "completion 1"), (.unread, "unread 1"), (.error, "error 1"),
    ])
    func everyNeedMakesItsEvent(status: TaskStatus, expected: String) {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        let events = lab.say(1, [Self.slot(1, status, ago: 50)])
        #expect(events == [expected])
        let again = lab.say(1, [Self.slot(1, status, ago: 50)])
        #expect(again == [])
    }

    @Test(arguments: [TaskStatus.off, .idle, .working, .thinking, TaskStatus(rawValue: "new-word")])
    func otherStatesMakeNone(status: TaskStatus) {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        #expect(lab.say(1, [Self.slot(1, status)]) == [])
    }

    @Test func aTaskThatAppearsAlreadyWaitingMakesOne() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        #expect(lab.say(1, [Self.slot(1, .working), Self.slot(2, .approval, id: 1)]) == ["approval 2"])
    }

    @Test func aSecondComputerBringsItsOwnBaselineOnly() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        let events = lab.say(2, [Self.slot(2, .approval)])
        #expect(events == [])
        #expect(lab.say(2, [Self.slot(2, .awaitingResponse, ago: 10)]) == ["response 2"])
    }

    @Test func whatOthersSayAtThatMomentStillMakesEvents() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        // Both arrive before the next look.
        lab.now = lab.now.advanced(byMilliseconds: 1000)
        lab.hosts[1]?.receive(Lab.snapshot([Self.slot(1, .approval, ago: 1)]), observedAt: lab.now, receivedAt: lab.now)
        #expect(lab.say(2, [Self.slot(2, .error)], after: 0) == ["approval 1"])
    }

    @Test func aReconnectIsNoBaseline() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working), Self.slot(2, .approval, ago: 90, id: 1)])
        lab.lose(1)
        let events = lab.say(1, [Self.slot(1, .complete, ago: 10), Self.slot(2, .approval, ago: 90, id: 1)], after: 600)
        #expect(events == ["completion 1"])
        lab.lose(1)
        #expect(lab.say(1, [Self.slot(1, .complete, ago: 10), Self.slot(2, .approval, ago: 90, id: 1)]) == [])
    }

    @Test func anotherRequestDuringAGapIsTold() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.say(1, [Self.slot(1, .approval, ago: 90)])
        lab.lose(1)
        #expect(lab.say(1, [Self.slot(1, .approval, ago: 50)], after: 60) == ["approval 1"])
        #expect(lab.ledger.events.map { $0.endedAt == nil } == [true, false])
    }

    @Test func theMovementOfAClockDuringAGapIsNoEvent() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.say(1, [Self.slot(1, .approval, ago: 90)])
        lab.lose(1)
        #expect(lab.say(1, [Self.slot(1, .approval, ago: 88.5)]) == [])
    }

    @Test func aTaskWithoutASlotForAWhileIsNoNews() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.say(1, [Self.slot(1, .approval)])
        lab.say(1, [])
        #expect(lab.say(1, [Self.slot(1, .approval)]) == [])
        #expect(lab.ledger.events.count == 1)
    }

    @Test func oneRequestAfterAnotherMakesTwo() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.say(1, [Self.slot(1, .approval, ago: 90)])
        lab.say(1, [Self.slot(1, .working, ago: 80)])
        #expect(lab.say(1, [Self.slot(1, .approval, ago: 70)]) == ["approval 1"])
        #expect(lab.say(1, [Self.slot(1, .awaitingResponse, ago: 60)]) == ["response 1"])
    }

    @Test func aFlickerBetweenCopiesOfDifferentAgeMakesNoSecondEvent() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.say(1, [Self.slot(1, .approval, ago: 90)])
        lab.say(1, [Self.slot(1, .working, ago: 90)])
        #expect(lab.say(1, [Self.slot(1, .approval, ago: 90)]) == [])
        #expect(lab.ledger.events.first?.endedAt == nil)
    }

    @Test func aReturnAfterALongerTimeIsAnEventWhateverTheTimesSay() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.say(1, [Self.slot(1, .approval, ago: 90)])
        lab.say(1, [Self.slot(1, .working, ago: 90)])
        #expect(lab.say(1, [Self.slot(1, .approval, ago: 90)], after: 5.1) == ["approval 1"])
    }

    @Test func mirrorsMakeOneEvent() {
        var lab = AttentionLab()
        let owned = [Lab.session(1, .working)]
        lab.say(1, [Self.slot(1, .working)], sessions: owned)
        lab.say(2, [Self.slot(1, .working, id: 4)])
        #expect(lab.say(2, [Self.slot(1, .approval, id: 4)]) == ["approval 1"])
        #expect(lab.say(1, [Self.slot(1, .approval)], sessions: owned) == [])
        #expect(lab.ledger.events.map(\.host) == [Lab.hostID(1)])
    }

    @Test func aLiveMirrorSpeaksForAnOwnerThatIsAway() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)], sessions: [Lab.session(1, .working)])
        lab.say(2, [Self.slot(1, .working)])
        lab.lose(1)
        #expect(lab.say(2, [Self.slot(1, .approval)], after: 6) == ["approval 1"])
    }

    @Test func anOfflineComputerMakesNoEvents() {
        var lab = AttentionLab()
        var view = Lab.view(1, [Self.slot(1, .approval)])
        view.disconnect(.offline(reason: nil))
        lab.hosts[1] = view
        #expect(lab.look() == [])
        #expect(lab.say(1, [Self.slot(1, .approval)]) == [])
    }

    @Test func aMoveToAnotherSlotIsNoEvent() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.say(1, [Self.slot(1, .approval)])
        #expect(lab.say(1, [Self.slot(1, .approval, id: 5)]) == [])
    }

    @Test func aReinstalledComputerHasABaselineOfItsOwn() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.hosts[1] = nil
        #expect(lab.say(3, [Self.slot(9, .approval)]) == [])
    }

    @Test func aComputerThatWasRemovedIsHeardForTheFirstTimeAgain() {
        var lab = AttentionLab()
        lab.say(1, [Self.slot(1, .working)])
        lab.hosts[1] = nil
        lab.ledger.forget(Lab.hostID(1))
        lab.look()
        #expect(lab.say(1, [Self.slot(1, .approval, ago: 1)]) == [])
    }

    @Test func aJoinedTemporaryKeyIsTheSameTask() {
        var lab = AttentionLab()
        lab.remembers = true
        let temporary = Lab.temporaryKey(200)
        lab.say(1, [Lab.slot(0, 200, .working, key: temporary, title: "New", selected: true)], sessions: [])
        lab.say(1, [Lab.slot(0, 200, .approval, key: temporary, title: "New", selected: true)], sessions: [])
        #expect(lab.ledger.events.map(\.task) == [Lab.task(200)])
        let events = lab.say(
            1, [Lab.slot(0, 200, .approval, key: temporary, title: "New", selected: true)], sessions: [Lab.session(7, .working)], active: Lab.key(7))
        #expect(events == [])
        #expect(lab.ledger.events.map(\.task) == [Lab.task(7)])
    }
}
