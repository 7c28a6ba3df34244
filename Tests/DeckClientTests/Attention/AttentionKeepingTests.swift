import RelayProtocol
import Testing

@testable import DeckClient

/// Bounds, marks, restarts and what becomes of an event.
struct AttentionKeepingTests {
    private static func event(_ id: Int64, _ kind: AttentionEvent.Kind = .approval, task: Int = 1, at: UnixMilliseconds = Lab.now) -> AttentionEvent {
        AttentionEvent(id: id, kind: kind, task: Lab.task(task), title: "Task", host: Lab.hostID(1), hostName: "vm", badge: .linux, at: at)
    }

    @Test func theNewestHundredAreKept() {
        var lab = AttentionLab()
        lab.say(1, [AttentionLab.slot(1, .working)])
        for round in 1...150 {
            lab.say(1, [AttentionLab.slot(1, .approval, ago: -Double(round * 20))])
            lab.say(1, [AttentionLab.slot(1, .working, ago: -Double(round * 20 + 10))])
        }
        #expect(lab.ledger.events.count == 100)
        #expect(lab.ledger.events.first?.id == 150)
        #expect(lab.ledger.events.last?.id == 51)
    }

    @Test(arguments: [(Int64(0), 1), (1, 0)])
    func eventsLastSevenDays(late: Int64, left: Int) {
        var lab = AttentionLab(AttentionLedger([Self.event(1, at: Lab.now)]))
        lab.now = Lab.now.advanced(byMilliseconds: 7 * 24 * 3600 * 1000 + late)
        lab.look()
        #expect(lab.ledger.events.count == left)
    }

    @Test func aRestartTellsNothingAgain() {
        var lab = AttentionLab()
        lab.say(1, [AttentionLab.slot(1, .working), AttentionLab.slot(2, .working, id: 1)])
        lab.say(
            1, [AttentionLab.slot(1, .approval, ago: 90), AttentionLab.slot(2, .complete, ago: 90, id: 1)],
            sessions: [Lab.session(2, .complete, revision: 6)])
        #expect(lab.ledger.events.count == 2)
        var next = AttentionLab(AttentionLedger(lab.ledger.events, lastID: 40))
        #expect(next.say(1, []) == [])
        // Not in the baseline, but told by the run before.
        let shown = [AttentionLab.slot(1, .approval, ago: 90), AttentionLab.slot(2, .unread, ago: 90, id: 1)]
        #expect(next.say(1, shown, sessions: [Lab.session(2, .complete, revision: 6)]) == [])
        #expect(next.ledger.events.map(\.id) == [2, 1])
        let later = [AttentionLab.slot(1, .awaitingResponse, ago: 10), AttentionLab.slot(2, .unread, ago: 10, id: 1)]
        #expect(next.say(1, later, sessions: [Lab.session(2, .complete, revision: 7)]) == ["response 1", "unread 2"])
        #expect(next.ledger.events.map(\.id) == [42, 41, 2, 1])
    }

    @Test func whatWasSettledWhileNobodyLookedIsSettled() {
        var lab = AttentionLab(AttentionLedger([Self.event(1)]))
        #expect(lab.ledger.unreadCount == 1)
        lab.say(1, [AttentionLab.slot(1, .working)])
        #expect(lab.ledger.unreadCount == 0)
    }

    @Test func readMarksAreSetAndTakenBack() {
        var ledger = AttentionLedger([Self.event(1), Self.event(2, task: 2), Self.event(3, .error)])
        #expect(ledger.unreadCount == 3)
        let marked = ledger.mark([1, 2, 99], read: true)
        #expect(marked)
        #expect(ledger.unreadCount == 1)
        let again = ledger.mark([1], read: true)
        #expect(!again)
        ledger.mark([2], read: false)
        #expect(ledger.events(AttentionFilter(unreadOnly: true)).map(\.id) == [3, 2])
        ledger.markRead(Lab.task(1))
        #expect(ledger.events(AttentionFilter(unreadOnly: true)).map(\.id) == [2])
    }

    @Test func removedEventsAreNotToldAgain() {
        var lab = AttentionLab()
        lab.say(1, [AttentionLab.slot(1, .working)])
        lab.say(1, [AttentionLab.slot(1, .approval)])
        let removed = lab.ledger.remove([1])
        #expect(removed)
        #expect(lab.say(1, [AttentionLab.slot(1, .approval)]) == [])
        #expect(lab.ledger.events.isEmpty)
    }

    @Test func filtersCombine() {
        let mac = AttentionEvent(id: 2, kind: .error, task: Lab.task(2), title: "", host: Lab.hostID(2), hostName: "mac", badge: .mac, at: Lab.now)
        let ledger = AttentionLedger([Self.event(1), mac, Self.event(3, .completion)])
        #expect(ledger.events(AttentionFilter()).map(\.id) == [3, 2, 1])
        #expect(ledger.events(AttentionFilter(hosts: [Lab.hostID(2)])).map(\.id) == [2])
        #expect(ledger.events(AttentionFilter(systems: [.linux])).map(\.id) == [3, 1])
        #expect(ledger.events(AttentionFilter(systems: [.linux, .mac], kinds: [.error, .completion])).map(\.id) == [3, 2])
        #expect(ledger.events(AttentionFilter(hosts: [Lab.hostID(2)], kinds: [.approval])).isEmpty)
    }

    @Test func anEventFindsItsTaskWhereverItIsNow() throws {
        let event = Self.event(1)
        let moved = Lab.board([Lab.view(2, [Lab.slot(4, 1, .working)])])
        guard case .present(let task) = event.resolve(on: moved) else { return #expect(Bool(false), "the task is there") }
        #expect(task.owner == Lab.hostID(2))
        #expect(task.target?.slot == 4)
        #expect(event.resolve(on: Lab.board([Lab.view(2, [Lab.slot(0, 2)])])) == .gone)
    }

    @Test func wordsOfOthersAreMadeHarmless() {
        let event = AttentionEvent(
            id: 1, kind: .error, task: Lab.task(1), title: "a\u{1b}]52;c;x\u{07}b\n" + String(repeating: "x", count: 300), host: Lab.hostID(1),
            hostName: "vm\u{202e}", badge: .linux, at: Lab.now)
        #expect(event.title.hasPrefix("a]52;c;xb x"))
        #expect(event.title.count == 120)
        #expect(event.hostName == "vm")
    }
}
