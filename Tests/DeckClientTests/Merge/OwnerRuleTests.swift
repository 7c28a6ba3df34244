import RelayProtocol
import Testing

@testable import DeckClient

struct OwnerRuleTests {
    /// Each line: what host 1 and host 2 show of task 7, and who owns it.
    struct Line: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: Slot?
        let second: Slot?
        var firstSession: HostSession?
        var secondSession: HostSession?
        let owner: Int
    }

    static let lines: [Line] = [
        Line(
            testDescription: "the only session", first: Lab.slot(0, 7, .working, ago: 1, owned: true), second: Lab.slot(0, 7),
            secondSession: Lab.session(7), owner: 2),
        Line(
            testDescription: "the session with the newer activity", first: Lab.slot(0, 7, owned: true), second: Lab.slot(0, 7),
            firstSession: Lab.session(7, ago: 60),
            secondSession: Lab.session(7, ago: 59), owner: 2),
        Line(
            testDescription: "equal sessions: ownedByHost", first: Lab.slot(0, 7), second: Lab.slot(0, 7, owned: true), firstSession: Lab.session(7),
            secondSession: Lab.session(7), owner: 2),
        Line(
            testDescription: "equal sessions: the one with a slot", first: nil, second: Lab.slot(0, 7), firstSession: Lab.session(7),
            secondSession: Lab.session(7), owner: 2),
        Line(
            testDescription: "equal sessions and copies: the lower host", first: Lab.slot(0, 7), second: Lab.slot(0, 7), firstSession: Lab.session(7),
            secondSession: Lab.session(7), owner: 1),
        Line(
            testDescription: "ownedByHost before status", first: Lab.slot(0, 7, .awaitingApproval), second: Lab.slot(0, 7, .idle, owned: true),
            owner: 2),
        Line(
            testDescription: "ownedByHost false is not owned", first: Lab.slot(0, 7, .idle, owned: false),
            second: Lab.slot(
                0, 7,
                .working), owner: 2),
        Line(testDescription: "status before selection", first: Lab.slot(0, 7, .working, selected: true), second: Lab.slot(0, 7, .error), owner: 2),
        Line(testDescription: "waiting before error", first: Lab.slot(0, 7, .error), second: Lab.slot(0, 7, .awaitingResponse), owner: 2),
        Line(testDescription: "working before complete", first: Lab.slot(0, 7, .complete), second: Lab.slot(0, 7, .thinking), owner: 2),
        Line(testDescription: "complete before idle", first: Lab.slot(0, 7, .idle), second: Lab.slot(0, 7, .unread), owner: 2),
        Line(testDescription: "idle before off", first: Lab.slot(0, 7, .off), second: Lab.slot(0, 7, .idle), owner: 2),
        Line(
            testDescription: "an unknown word is idle", first: Lab.slot(0, 7, .idle, ago: 9),
            second: Lab.slot(0, 7, TaskStatus(rawValue: "pondering"), ago: 8),
            owner: 2),
        Line(testDescription: "selection before activity", first: Lab.slot(0, 7, ago: 1), second: Lab.slot(0, 7, selected: true, ago: 50), owner: 2),
        Line(testDescription: "newer activity", first: Lab.slot(0, 7, ago: 50), second: Lab.slot(0, 7, ago: 49), owner: 2),
        Line(testDescription: "some activity before none", first: Lab.slot(0, 7), second: Lab.slot(0, 7, ago: 5000), owner: 2),
        Line(testDescription: "the lower host", first: Lab.slot(5, 7, ago: 50), second: Lab.slot(0, 7, ago: 50), owner: 1),
    ]

    @Test(arguments: lines, [0.0, 18_000.0, -18_000.0])
    func ownerIsChosenWhateverTheClocks(line: Line, clock: Double) {
        let first = Lab.view(1, [line.first].compactMap { $0 }, sessions: line.firstSession.map { [$0] }, clock: clock)
        let second = Lab.view(2, [line.second].compactMap { $0 }, sessions: line.secondSession.map { [$0] }, clock: -clock)
        for hosts in [[first, second], [second, first]] {
            let task = Lab.board(hosts)[7]
            #expect(task.ownerNumber == line.owner)
            #expect(task.target?.host == Lab.hostID(line.owner))
        }
    }

    @Test func sessionsAreFoundInAnyOrderAndTheNewestOfARepeatedOneCounts() {
        let numbers = [9, 2, 120, 7, 33, 5, 200, 1, 64, 8]
        let sessions = numbers.map { Lab.session($0, ago: 500) } + [Lab.session(7, .working, ago: 10), Lab.session(33, ago: 900)]
        let board = Lab.board([
            Lab.view(
                1, [Lab.slot(0, 7), Lab.slot(1, 33), Lab.slot(2, 200), Lab.slot(3, 1), Lab.slot(4, 3)],
                sessions: [7, 33, 3].map { Lab.session($0, ago: 100) }),
            Lab.view(2, [], sessions: sessions),
        ])
        #expect([7, 33, 200, 1, 3].map { board[$0].ownerNumber } == [2, 1, 2, 2, 1])
        #expect(board[7].status == .working)
    }

    @Test func ownerChangesWithTheNewerSession() {
        let first = Lab.view(1, [Lab.slot(0, 7)], sessions: [Lab.session(7, ago: 60)])
        var second = Lab.view(2, [Lab.slot(4, 7)], sessions: [Lab.session(7, ago: 90)])
        #expect(Lab.board([first, second])[7].target == CommandTarget(host: Lab.hostID(1), slot: 0, key: TaskKey(Lab.key(7))!))
        second.receive(Lab.snapshot([Lab.slot(4, 7)], sessions: [Lab.session(7, .working, ago: 1)]), observedAt: Lab.now, receivedAt: Lab.now)
        let moved = Lab.board([first, second])[7]
        #expect(moved.target == CommandTarget(host: Lab.hostID(2), slot: 4, key: TaskKey(Lab.key(7))!))
        #expect(moved.mirrorNumbers == [1])
    }

    @Test func commandFollowsTheSlot() {
        var view = Lab.view(1, [Lab.slot(0, 7), Lab.slot(1, 8)])
        #expect(Lab.board([view])[7].target?.slot == 0)
        view.receive(Lab.snapshot([Lab.slot(0, 8), Lab.slot(5, 7)]), observedAt: Lab.now, receivedAt: Lab.now)
        #expect(Lab.board([view])[7].target?.slot == 5)
    }

    @Test func ownerWithoutASlotIsCommandedWithTheMirrorsKeyAndSlot() {
        let mirrorKey = "Remote:" + Lab.task(7).uuid
        let hosts = [
            Lab.view(1, [Lab.slot(0, 1)], sessions: [Lab.session(7), Lab.session(1)]), Lab.view(2, [Lab.slot(3, 7, key: mirrorKey)]),
            Lab.view(3, [Lab.slot(4, 7)]),
        ]
        let task = Lab.board(hosts)[7]
        #expect(task.ownerNumber == 1)
        #expect(task.target == CommandTarget(host: Lab.hostID(1), slot: 3, key: TaskKey(mirrorKey)!, mirror: Lab.hostID(2)))
        #expect(task.mirrorNumbers == [2, 3])
    }

    @Test func aLiveMirrorLendsItsKeyBeforeOneThatIsNotLive() {
        let hosts = [
            Lab.view(1, sessions: [Lab.session(7)]), Lab.view(2, [Lab.slot(3, 7)], live: false), Lab.view(3, [Lab.slot(4, 7)]),
        ]
        #expect(Lab.board(hosts)[7].target == CommandTarget(host: Lab.hostID(1), slot: 4, key: TaskKey(Lab.key(7))!, mirror: Lab.hostID(3)))
    }

    @Test func anOfflineOwnerKeepsItsTaskAndGetsNoCommand() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 7, .working, owned: true)], sessions: [Lab.session(7, .working)], live: false, heard: 60),
            Lab.view(2, [Lab.slot(0, 7, .idle)]),
        ]
        let task = Lab.board(hosts)[7]
        #expect(task.ownerNumber == 1)
        #expect(task.offline)
        #expect(task.target == nil)
        // The mirror is heard and the owner is not: its word is the newer.
        #expect(task.status == .idle)
    }

    @Test func aSmallDriftOfTheDelayDoesNotChangeTheOwner() {
        // Both hosts see the same files; the messages of the first travel 3 ms longer from now on.
        var first = Lab.view(1, [Lab.slot(0, 7)], sessions: [Lab.session(7)])
        let second = Lab.view(2, [Lab.slot(0, 7)], sessions: [Lab.session(7)])
        for delay: Int64 in [3, 1, 8, 2] {
            let snapshot = Lab.snapshot([Lab.slot(0, 7)], sessions: [Lab.session(7, .working)])
            first.receive(snapshot, observedAt: Lab.now, receivedAt: Lab.now.advanced(byMilliseconds: delay))
            #expect(Lab.board([first, second])[7].ownerNumber == 1)
            #expect(Lab.board([first, second])[7].activityAt == Lab.ago(100))
        }
    }
}
