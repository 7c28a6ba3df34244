import RelayProtocol
import Testing

@testable import DeckClient

struct TemporaryKeyTests {
    private static let day: Double = 24 * 60 * 60

    private func learned(_ hosts: [HostView], at now: UnixMilliseconds = Lab.now, from joins: TemporaryKeyJoins = TemporaryKeyJoins())
        -> TemporaryKeyJoins
    {
        var joins = joins
        joins.learn(from: hosts, now: now)
        return joins
    }

    /// Key 90 is temporary and selected; task 1 is open there and is one of the host's own.
    private func desktop(selected: Bool = true, active: String? = Lab.key(1), sessions: [Int] = [1], title: String = "Draft") -> HostView {
        Lab.view(
            1, [Lab.slot(0, 90, .working, key: Lab.temporaryKey(90), title: title, selected: selected)], sessions: sessions.map { Lab.session($0) },
            active: active)
    }

    @Test func selectedKeyIsTheActiveOwnedSession() {
        let hosts = [desktop(), Lab.view(2, [Lab.slot(4, 1, .idle)])]
        let board = Lab.board(hosts, joins: learned(hosts))
        #expect(board.tasks.map(\.number) == [1])
        #expect(board[1].status == .working)
        // The host goes on calling it by the temporary key, so that is what a command says.
        #expect(board[1].target == CommandTarget(host: Lab.hostID(1), slot: 0, key: TaskKey(Lab.temporaryKey(90))!))
    }

    @Test func withoutSelectionNothingIsJoined() { #expect(learned([desktop(selected: false)]).isEmpty) }
    @Test func anActiveTaskOfAnotherHostIsNotJoined() { #expect(learned([desktop(sessions: [2])]).isEmpty) }
    @Test func withoutActiveTaskNothingIsJoined() { #expect(learned([desktop(active: nil)]).isEmpty) }

    @Test func anActiveTemporaryKeyIsNotJoinedToItself() {
        #expect(learned([desktop(active: Lab.temporaryKey(90), sessions: [90])]).isEmpty)
    }

    @Test func twoSelectedSlotsSayNothing() {
        let view = Lab.view(
            1, [Lab.slot(0, 90, key: Lab.temporaryKey(90), selected: true), Lab.slot(1, 5, selected: true)], sessions: [Lab.session(1)],
            active: Lab.key(1))
        #expect(learned([view]).isEmpty)
    }

    @Test func aSessionWithItsOwnSlotIsAnotherTask() {
        let view = Lab.view(
            1, [Lab.slot(0, 90, key: Lab.temporaryKey(90), selected: true), Lab.slot(1, 1)], sessions: [Lab.session(1)], active: Lab.key(1))
        #expect(learned([view]).isEmpty)
    }

    @Test func aTitleThatFitsOneOwnedSessionJoins() {
        let hosts = [
            desktop(selected: false, active: nil, sessions: [1, 2]), Lab.view(2, [Lab.slot(0, 1, title: "Draft"), Lab.slot(1, 2, title: "Other")]),
        ]
        #expect(learned(hosts).task(behind: Lab.task(90), now: Lab.now) == Lab.task(1))
    }

    @Test func theTitleOfAnotherHostsOpenTaskJoinsToo() {
        let hosts = [desktop(selected: false, active: nil), Lab.view(2, active: Lab.key(1), activeTitle: "Draft")]
        #expect(learned(hosts).task(behind: Lab.task(90), now: Lab.now) == Lab.task(1))
    }

    @Test(arguments: [
        // The title fits two owned sessions, an unowned one, none; or there is no title.
        ("Draft", [1, 2], [1, 2]), ("Draft", [2], [1]), ("Nothing", [1], [1]), ("", [1], [1]),
    ])
    func otherTitlesDoNotJoin(title: String, sessions: [Int], shown: [Int]) {
        let mirror = Lab.view(2, shown.enumerated().map { Lab.slot($0.offset, $0.element, title: title.isEmpty ? "" : "Draft") })
        #expect(learned([desktop(selected: false, active: nil, sessions: sessions, title: title), mirror]).isEmpty)
    }

    @Test func aTitleOnTheSameHostDoesNotJoin() {
        let view = Lab.view(
            1, [Lab.slot(0, 90, key: Lab.temporaryKey(90), title: "Draft"), Lab.slot(1, 1, title: "Draft")], sessions: [Lab.session(1)])
        #expect(learned([view]).isEmpty)
    }

    @Test func aTitleThatTurnsOutAmbiguousIsUnjoined() {
        let first = [desktop(selected: false, active: nil, sessions: [1, 2]), Lab.view(2, [Lab.slot(0, 1, title: "Draft")])]
        let joins = learned(first)
        #expect(joins.task(behind: Lab.task(90), now: Lab.now) == Lab.task(1))
        #expect(learned(first + [Lab.view(3, [Lab.slot(0, 2, title: "Draft")])], from: joins).isEmpty)
    }

    @Test func selectionOutranksTitle() {
        let mirror = Lab.view(2, [Lab.slot(0, 2, title: "Draft")])
        let titled = learned([desktop(selected: false, active: nil, sessions: [1, 2]), mirror])
        #expect(titled.task(behind: Lab.task(90), now: Lab.now) == Lab.task(2))
        let selected = learned([desktop(sessions: [1, 2]), mirror], from: titled)
        #expect(selected.task(behind: Lab.task(90), now: Lab.now) == Lab.task(1))
        let later = learned([desktop(selected: false, active: nil, sessions: [1, 2]), mirror], from: selected)
        #expect(later.task(behind: Lab.task(90), now: Lab.now) == Lab.task(1))
    }

    @Test(arguments: [(Self.day - 0.001, true), (Self.day, false)])
    func aJoinIsRememberedForADay(after seconds: Double, holds: Bool) {
        let joins = learned([desktop()])
        let later = Lab.now.advanced(byMilliseconds: Int64(seconds * 1000))
        #expect((joins.task(behind: Lab.task(90), now: later) != nil) == holds)
        #expect(learned([], at: later, from: joins).isEmpty == !holds)
    }

    @Test func aJoinSurvivesReconnectsAndOtherSelections() {
        var view = desktop()
        var joins = learned([view])
        view.disconnect(.offline(reason: nil))
        joins = learned([view], from: joins)
        view.health = .ready
        view.receive(Lab.snapshot([Lab.slot(0, 90, key: Lab.temporaryKey(90))]), observedAt: Lab.now, receivedAt: Lab.now)
        joins = learned([view], from: joins)
        #expect(Lab.board([view], joins: joins).tasks.map(\.number) == [1])
    }

    @Test func aHostThatIsNotLiveTeachesNothing() {
        var view = desktop()
        view.disconnect(.offline(reason: nil))
        #expect(learned([view]).isEmpty)
    }

    @Test func theRealKeyIsCommandedWhenAHostShowsBoth() {
        let view = Lab.view(1, [Lab.slot(0, 90, key: Lab.temporaryKey(90)), Lab.slot(3, 1)], sessions: [Lab.session(1)])
        let board = Lab.board([view], joins: learned([desktop()]))
        #expect(board.tasks.count == 1)
        #expect(board[1].target == CommandTarget(host: Lab.hostID(1), slot: 3, key: TaskKey(Lab.key(1))!))
    }

    @Test func anUnjoinedTemporaryKeyIsATaskOfItsOwn() {
        let board = Lab.board([desktop(selected: false)])
        #expect(board.tasks.map(\.number) == [90])
        #expect(board[90].target?.key.isTemporary == true)
    }

    @Test func aMirrorsTemporaryKeyIsNotSentToTheOwner() {
        let joins = TemporaryKeyJoins([.init(temporary: Lab.task(90), task: Lab.task(1), evidence: .title, seenAt: Lab.now)])
        let hosts = [Lab.view(1, sessions: [Lab.session(1)]), Lab.view(2, [Lab.slot(2, 90, key: Lab.temporaryKey(90))])]
        let target = Lab.board(hosts, joins: joins)[1].target
        #expect(target == CommandTarget(host: Lab.hostID(1), slot: 2, key: TaskKey(local: Lab.task(1)), mirror: Lab.hostID(2)))
    }

    @Test func theOldestJoinsAreForgottenBeyondTheLimit() {
        let many = (0..<TemporaryKeyJoins.capacity + 10).map { number in
            TemporaryKeyJoins.Join(temporary: Lab.task(1000 + number), task: Lab.task(1), evidence: .title, seenAt: Lab.ago(Double(number)))
        }
        let joins = TemporaryKeyJoins(many)
        #expect(joins.all.count == TemporaryKeyJoins.capacity)
        #expect(joins.task(behind: Lab.task(1000), now: Lab.now) != nil)
        #expect(joins.task(behind: Lab.task(1000 + TemporaryKeyJoins.capacity), now: Lab.now) == nil)
    }
}
