import CodexAppServer
import CodexRollouts
import RelayProtocol
import Testing

@testable import DeckNode

struct AppServerJoinTests {
    typealias Lifecycle = SessionState.Lifecycle

    static let now = Wire.later(100_000)

    static func facts(_ status: ThreadStatus, _ change: (inout ThreadFacts) -> Void = { _ in }) -> ThreadFacts {
        var facts = ThreadFacts(identity: Wire.id(1), status: status, waitsForApproval: false, waitsForResponse: false)
        change(&facts)
        return facts
    }

    static func session(_ lifecycle: Lifecycle = .idle, _ change: (inout RolloutSession) -> Void = { _ in }) -> RolloutSession {
        var session = RolloutSession(identity: Wire.id(1), state: SessionState(lifecycle: lifecycle), modifiedAt: Wire.start)
        change(&session)
        return session
    }

    static func join(
        _ facts: ThreadFacts?, _ session: RolloutSession?, titles: NodeSettings.Titles = .shown, isConnected: Bool = true
    ) -> TaskJoin.Result? {
        TaskJoin(titles: titles, isConnected: isConnected, now: now).task(facts: facts, session: session)
    }

    static func phase(_ facts: ThreadFacts?, _ session: RolloutSession?) -> DeckTask.Phase? { join(facts, session)?.task.phase }

    static let working = ThreadStatus.active(waitingOnApproval: false, waitingOnUserInput: false)

    // MARK: Phase

    /// A file's word for the turn, and what the task is when the daemon says idle, active, or that there was an error.
    @Test(arguments: [
        (nil, .idle, .working, .failed(revision: 0)), (.idle, .idle, .working, .failed(revision: 0)),
        (.working, .idle, .working, .failed(revision: 0)),
        (.complete(revision: 77), .finished(revision: 77), .working, .failed(revision: 77)),
        (.failed(revision: 88), .failed(revision: 88), .working, .failed(revision: 88)),
    ] as [(Lifecycle?, DeckTask.Phase, DeckTask.Phase, DeckTask.Phase)])
    func theDaemonKnowsNowAndTheFileHowItEnded(
        lifecycle: Lifecycle?, idle: DeckTask.Phase, active: DeckTask.Phase, error: DeckTask.Phase
    ) {
        let session = lifecycle.map { Self.session($0) }
        #expect(Self.phase(Self.facts(.idle), session) == idle)
        #expect(Self.phase(Self.facts(Self.working), session) == active)
        #expect(Self.phase(Self.facts(.systemError), session) == error)
    }

    @Test(arguments: [nil, .idle, .working, .complete(revision: 7), .failed(revision: 7)] as [Lifecycle?])
    func whoeverWaitsWaits(lifecycle: Lifecycle?) {
        let session = lifecycle.map { Self.session($0) }
        #expect(Self.phase(Self.facts(Self.working) { $0.waitsForApproval = true }, session) == .awaitingApproval)
        #expect(Self.phase(Self.facts(Self.working) { $0.waitsForResponse = true }, session) == .awaitingResponse)
        #expect(
            Self.phase(
                Self.facts(Self.working) {
                    $0.waitsForResponse = true
                    $0.waitsForApproval = true
                }, session) == .awaitingApproval)
        #expect(Self.phase(Self.facts(.idle) { $0.waitsForApproval = true }, session) == .awaitingApproval, "a helper of it waits")
    }

    @Test(arguments: [
        (nil, false, .idle), (nil, true, .unread), (Lifecycle.idle, true, .unread), (.complete(revision: 7), true, .finished(revision: 7)),
        (.failed(revision: 7), true, .failed(revision: 7)), (.working, true, .unread),
    ] as [(Lifecycle?, Bool, DeckTask.Phase)])
    func unreadIsWhatHasNoEndOfItsOwn(lifecycle: Lifecycle?, isUnread: Bool, phase: DeckTask.Phase) {
        #expect(Self.phase(Self.facts(.idle) { $0.isUnread = isUnread }, lifecycle.map { Self.session($0) }) == phase)
    }

    @Test(arguments: [
        (.finished(count: 3), .idle, .finished(revision: 3)), (.failed(count: 4), .idle, .failed(revision: 4)), (.interrupted, .idle, .idle),
        (nil, .idle, .idle), (.finished(count: 3), .systemError, .failed(revision: 3)), (.interrupted, .systemError, .failed(revision: 0)),
    ] as [(ThreadFacts.TurnEnd?, ThreadStatus, DeckTask.Phase)])
    func withoutAFileTheEndsAreCounted(end: ThreadFacts.TurnEnd?, status: ThreadStatus, phase: DeckTask.Phase) {
        #expect(Self.phase(Self.facts(status) { $0.lastEnd = end }, nil) == phase)
    }

    @Test func theFilesRevisionIsTheOneThatLasts() {
        let facts = Self.facts(.idle) { $0.lastEnd = .finished(count: 1) }
        #expect(Self.phase(facts, Self.session(.complete(revision: 500))) == .finished(revision: 500))
        #expect(Self.phase(facts, Self.session(.idle)) == .idle, "the file knows of the interruption after it")
    }

    // MARK: Settling

    @Test(arguments: [(0, true), (1_499, true), (1_500, false), (60_000, false)] as [(Int64, Bool)])
    func theFileIsWaitedForAMoment(age: Int64, isWorking: Bool) {
        let since = Self.now.advanced(byMilliseconds: -age)
        let result = Self.join(Self.facts(.idle) { $0.statusSince = since }, Self.session(.working))
        #expect(result?.task.phase == (isWorking ? .working : .idle))
        #expect(result?.revisitAt == (isWorking ? since.advanced(byMilliseconds: TaskJoin.settlingMilliseconds) : nil))
    }

    @Test func aStatusThatWasSoFromTheBeginningIsBelieved() {
        let result = Self.join(Self.facts(.idle), Self.session(.working))
        #expect(result?.task.phase == .idle)
        #expect(result?.revisitAt == nil)
    }

    @Test(arguments: [.idle, .complete(revision: 7), .failed(revision: 7)] as [Lifecycle])
    func anEndIsNotWaitedFor(lifecycle: Lifecycle) {
        #expect(Self.join(Self.facts(.idle) { $0.statusSince = Self.now }, Self.session(lifecycle))?.revisitAt == nil)
    }

    // MARK: What the daemon does not hold

    @Test(arguments: [.notLoaded, .unknown] as [ThreadStatus]) func aListedThreadWithoutAFileIsNoTask(status: ThreadStatus) {
        #expect(Self.join(Self.facts(status), nil) == nil)
        #expect(Self.join(nil, nil) == nil)
    }

    @Test(arguments: [.idle, .working, .complete(revision: 7), .failed(revision: 7)] as [Lifecycle], [nil, .notLoaded, .unknown] as [ThreadStatus?])
    func aFileSpeaksForItself(lifecycle: Lifecycle, status: ThreadStatus?) {
        let result = Self.join(status.map { Self.facts($0) }, Self.session(lifecycle))
        let expected: DeckTask.Phase =
            switch lifecycle {
            case .idle: .idle
            case .working: .working
            case .complete(let revision): .finished(revision: revision)
            case .failed(let revision): .failed(revision: revision)
            }
        #expect(result?.task.phase == expected)
        #expect(result?.task.origin == .rollout)
        #expect(result?.revisitAt == nil)
    }

    @Test func anUnreadMarkShowsOnAQuietFile() {
        let unread = Self.facts(.notLoaded) { $0.isUnread = true }
        #expect(Self.phase(unread, Self.session(.idle)) == .unread)
        #expect(Self.phase(unread, Self.session(.working)) == .working)
        #expect(Self.phase(unread, Self.session(.complete(revision: 7))) == .finished(revision: 7))
    }

    @Test(arguments: [true, false]) func aStalledFileIsStalledUnlessTheDaemonHoldsIt(isHeld: Bool) {
        let session = Self.session(.working) { $0.isStalled = true }
        let task = Self.join(isHeld ? Self.facts(Self.working) : nil, session)?.task
        #expect(task?.stalled == !isHeld)
        #expect(task?.phase == .working)
    }

    @Test func whyItIsOnlyWatched() {
        func reason(hasWriter: Bool, isConnected: Bool) -> String? {
            Self.join(nil, Self.session { $0.hasWriter = hasWriter }, isConnected: isConnected)?.task.observedOnlyReason
        }
        #expect(reason(hasWriter: true, isConnected: true) == "runs in a process of its own, not in the shared Codex daemon")
        #expect(reason(hasWriter: false, isConnected: true) == "not open in Codex")
        #expect(reason(hasWriter: true, isConnected: false) == "watched from its session file")
        #expect(Self.join(Self.facts(.idle), Self.session { $0.hasWriter = true })?.task.observedOnlyReason == nil)
    }
}
