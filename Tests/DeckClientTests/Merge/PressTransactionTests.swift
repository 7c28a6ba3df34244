import RelayProtocol
import Testing

@testable import DeckClient

struct PressTransactionTests {
    typealias Action = PressTransaction.Action

    private static let start = ContinuousClock.now
    private static func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private static let key = TaskKey(Lab.key(7))!
    private static let host = Lab.hostID(1)
    private static let pressed = Action.send(.agent(slot: 2, threadKey: key, phase: .press), phase: .press, to: host)
    private static let released = Action.send(.agent(slot: 2, threadKey: key, phase: .release), phase: .release, to: host)

    private static func view(open: Bool = false, live: Bool = true, heard: Double = 0, capabilities: Set<Capability>? = nil) -> HostView {
        Lab.view(1, [Lab.slot(2, 7, selected: open)], live: live, heard: heard, capabilities: capabilities)
    }

    private static func context(_ hosts: HostView...) -> CommandContext { CommandContext(board: Lab.board(hosts), hosts: hosts, wall: Lab.now) }

    private static func begun(_ request: PressTransaction.Request = .open(Lab.task(7))) -> PressTransaction {
        var transaction = PressTransaction(request)
        _ = transaction.begin(in: context(view()), now: at(0))
        return transaction
    }

    @Test func opensAndConfirms() {
        var press = PressTransaction(.open(Lab.task(7)))
        #expect(press.begin(in: Self.context(Self.view()), now: Self.at(0)) == [Self.pressed])
        #expect(press.nextDeadline == Self.at(90))
        #expect(press.handle(.result(.press, error: nil), now: Self.at(20)) == [])
        #expect(press.stage == .confirmedByHost)
        #expect(press.handleTimeout(now: Self.at(89)) == [])
        #expect(press.handleTimeout(now: Self.at(90)) == [Self.released])
        #expect(press.handle(.snapshot(Self.view()), now: Self.at(95)) == [])
        #expect(press.handle(.snapshot(Self.view(open: true)), now: Self.at(100)) == [.finish(.stateConfirmed)])
        #expect(press.nextDeadline == nil)
        #expect(press.handle(.result(.release, error: "late"), now: Self.at(110)) == [])
    }

    @Test func aSnapshotBeforeTheReleaseWaitsForIt() {
        var press = Self.begun()
        #expect(press.handle(.result(.press, error: nil), now: Self.at(5)) == [])
        #expect(press.handle(.snapshot(Self.view(open: true)), now: Self.at(10)) == [])
        #expect(press.handleTimeout(now: Self.at(90)) == [Self.released, .finish(.stateConfirmed)])
    }

    @Test func aSnapshotBeforeTheResultCounts() {
        var press = Self.begun()
        _ = press.handleTimeout(now: Self.at(90))
        #expect(press.handle(.snapshot(Self.view(open: true)), now: Self.at(100)) == [])
        #expect(press.handle(.result(.press, error: nil), now: Self.at(150)) == [.finish(.stateConfirmed)])
    }

    @Test func aTaskThatIsActiveWithoutBeingSelectedIsOpen() {
        var press = Self.begun()
        _ = press.handle(.result(.press, error: nil), now: Self.at(5))
        _ = press.handleTimeout(now: Self.at(90))
        #expect(press.handle(.snapshot(Lab.view(1, active: Lab.key(7))), now: Self.at(100)) == [.finish(.stateConfirmed)])
    }

    @Test func anotherHostsSnapshotConfirmsNothing() {
        var press = Self.begun()
        _ = press.handle(.result(.press, error: nil), now: Self.at(0))
        _ = press.handleTimeout(now: Self.at(90))
        #expect(press.handle(.snapshot(Lab.view(2, [Lab.slot(0, 7, selected: true)])), now: Self.at(100)) == [])
        #expect(press.handleTimeout(now: Self.at(3999)) == [])
        #expect(press.nextDeadline == Self.at(4000))
        #expect(press.handleTimeout(now: Self.at(4000)) == [.finish(.noConfirmingSnapshot)])
        #expect(press.outcome?.kind == .warning)
    }

    @Test func anOpenTaskIsReportedWithoutSending() {
        var press = PressTransaction(.open(Lab.task(7)))
        #expect(press.begin(in: Self.context(Self.view(open: true)), now: Self.at(0)) == [.finish(.alreadyOpen)])
        var again = PressTransaction(.open(Lab.task(7), again: true))
        #expect(again.begin(in: Self.context(Self.view(open: true)), now: Self.at(0)) == [Self.pressed])
    }

    @Test(arguments: [
        (8.0, nil), (8.001, CommandOutcome.oldSnapshot(name: "Host 1", seconds: 8)), (60, .oldSnapshot(name: "Host 1", seconds: 60)),
        (-1, nil), (-1.001, .oldSnapshot(name: "Host 1", seconds: nil)),
    ])
    func aSnapshotMayBeEightSecondsOld(heard: Double, outcome: CommandOutcome?) {
        var press = PressTransaction(.open(Lab.task(7)))
        let actions = press.begin(in: Self.context(Self.view(heard: heard)), now: Self.at(0))
        #expect(actions == [outcome.map { .finish($0) } ?? Self.pressed])
    }

    @Test func anOfflineHostFailsAndNothingFallsThrough() {
        let owner = Lab.view(1, [Lab.slot(2, 7, owned: true)], live: false)
        var press = PressTransaction(.open(Lab.task(7)))
        let actions = press.begin(in: Self.context(owner, Lab.view(2, [Lab.slot(0, 7)])), now: Self.at(0))
        #expect(actions == [.finish(.offlineHost(name: "Host 1"))])
        var key = PressTransaction(.execute(.keycap(.fast), host: Self.host))
        #expect(key.begin(in: Self.context(owner, Lab.view(2)), now: Self.at(0)) == [.finish(.offlineHost(name: "Host 1"))])
    }

    @Test func aMissingTaskAndAMissingHostFail() {
        var press = PressTransaction(.open(Lab.task(99)))
        #expect(press.begin(in: Self.context(Self.view()), now: Self.at(0)) == [.finish(.missingTask)])
        var key = PressTransaction(.execute(.keycap(.fast), host: Lab.hostID(9)))
        #expect(key.begin(in: Self.context(Self.view()), now: Self.at(0)) == [.finish(.missingTask)])
    }

    @Test func aNodeThatDoesNotOfferItIsNotAsked() {
        var press = PressTransaction(.execute(.rateLimitReset, host: Self.host))
        let actions = press.begin(in: Self.context(Self.view(capabilities: [.agent])), now: Self.at(0))
        #expect(actions == [.finish(.unsupported(.rateLimitReset, name: "Host 1"))])
        #expect("\(CommandOutcome.unsupported(.rateLimitReset, name: "vm"))" == "vm has no reset credit to spend.")
        #expect("\(CommandOutcome.unsupported(.keycap, name: "vm"))" == "vm can only show its tasks now; run `decknode doctor` there.")
    }

    @Test func theTargetIsResolvedWhenItBegins() {
        var press = PressTransaction(.open(Lab.task(7)))
        let moved = Lab.view(3, [Lab.slot(5, 7)], sessions: [Lab.session(7)])
        let actions = press.begin(in: Self.context(Self.view(), moved), now: Self.at(0))
        #expect(actions == [.send(.agent(slot: 5, threadKey: Self.key, phase: .press), phase: .press, to: Lab.hostID(3))])
    }

    @Test func aRefusedPressIsStillReleased() {
        var press = Self.begun()
        #expect(press.handle(.result(.press, error: "No."), now: Self.at(5)) == [])
        #expect(press.nextDeadline == Self.at(90))
        #expect(press.handleTimeout(now: Self.at(90)) == [Self.released, .finish(.rejected("No."))])
    }

    @Test func anInterruptedPressIsStillReleased() {
        var press = Self.begun()
        #expect(press.handle(.interrupted, now: Self.at(10)) == [])
        #expect(press.handleTimeout(now: Self.at(90)) == [Self.released, .finish(.interrupted)])
    }

    @Test func aPressThatCouldNotBeSentIsStillReleased() {
        var press = Self.begun()
        #expect(press.handle(.sendFailed(.press), now: Self.at(0)) == [])
        #expect(press.handleTimeout(now: Self.at(90)) == [Self.released, .finish(.notSent(name: "Host 1"))])
    }

    @Test func interruptedWhileWaitingEndsAtOnce() {
        var press = Self.begun()
        _ = press.handleTimeout(now: Self.at(90))
        #expect(press.handle(.interrupted, now: Self.at(500)) == [.finish(.interrupted)])
    }

    @Test func noResultInTenSecondsIsATimeout() {
        var press = Self.begun()
        _ = press.handleTimeout(now: Self.at(90))
        #expect(press.nextDeadline == Self.at(10_000))
        #expect(press.handleTimeout(now: Self.at(9_999)) == [])
        #expect(press.handleTimeout(now: Self.at(10_000)) == [.finish(.timedOut(name: "Host 1"))])
    }

    @Test func aLateTimerReleasesBeforeItEnds() {
        var press = Self.begun()
        #expect(press.handleTimeout(now: Self.at(60_000)) == [Self.released, .finish(.timedOut(name: "Host 1"))])
    }

    @Test func aLostConnectionLeavesItUnknown() {
        var press = Self.begun()
        #expect(press.handle(.connectionLost(Lab.hostID(2)), now: Self.at(5)) == [])
        #expect(press.handle(.connectionLost(Self.host), now: Self.at(10)) == [Self.released, .finish(.unknown(name: "Host 1"))])
    }

    @Test func aConfirmedPressMayBeSeenAfterAReconnect() {
        var press = Self.begun()
        _ = press.handle(.result(.press, error: nil), now: Self.at(5))
        _ = press.handle(.connectionLost(Self.host), now: Self.at(50))
        #expect(press.handle(.snapshot(Self.view(open: true)), now: Self.at(2000)) == [.finish(.stateConfirmed)])
    }

    @Test func nothingIsSentTwice() {
        var press = Self.begun()
        #expect(press.begin(in: Self.context(Self.view()), now: Self.at(1)) == [])
    }

    // MARK: - Everything else

    @Test func aSingleCommandIsExecutedWithItsResult() {
        var press = PressTransaction(.execute(.keycap(.fast), host: Self.host))
        #expect(press.begin(in: Self.context(Self.view()), now: Self.at(0)) == [.send(.keycap(.fast, task: nil), phase: .press, to: Self.host)])
        #expect(press.nextDeadline == Self.at(10_000))
        #expect(press.handle(.result(.press, error: nil), now: Self.at(3)) == [.finish(.executed)])
    }

    @Test func aHeldControlIsExecutedWhenBothHalvesAre() {
        var press = Self.begun(.execute(.encoder(), host: Self.host))
        _ = press.handle(.result(.press, error: nil), now: Self.at(3))
        #expect(press.handleTimeout(now: Self.at(90)) == [.send(.encoder(phase: .release, task: nil), phase: .release, to: Self.host)])
        #expect(press.nextDeadline == Self.at(10_090))
        #expect(press.handle(.snapshot(Self.view(open: true)), now: Self.at(91)) == [])
        #expect(press.handle(.result(.release, error: nil), now: Self.at(95)) == [.finish(.executed)])
    }

    @Test func aRefusedReleaseIsARefusal() {
        var press = Self.begun(.execute(.encoder(), host: Self.host))
        _ = press.handle(.result(.press, error: nil), now: Self.at(3))
        _ = press.handleTimeout(now: Self.at(90))
        #expect(press.handle(.result(.release, error: "Too late."), now: Self.at(95)) == [.finish(.rejected("Too late."))])
    }

    @Test func aReleaseWithoutResultTimesOut() {
        var press = Self.begun(.execute(.joystick(.up), host: Self.host))
        _ = press.handle(.result(.press, error: nil), now: Self.at(3))
        _ = press.handleTimeout(now: Self.at(90))
        #expect(press.handleTimeout(now: Self.at(10_090)) == [.finish(.timedOut(name: "Host 1"))])
    }

    @Test func aSecondPressOfATaskUnderWayIsSwallowed() {
        var registry = PressRegistry()
        let first = registry.begin(Lab.task(7))
        let second = registry.begin(Lab.task(7))
        let other = registry.begin(Lab.task(8))
        registry.end(Lab.task(7))
        let later = registry.begin(Lab.task(7))
        #expect([first, second, other, later] == [true, false, true, true])
    }
}
