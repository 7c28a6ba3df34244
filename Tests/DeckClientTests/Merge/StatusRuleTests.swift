import RelayProtocol
import Testing

@testable import DeckClient

struct StatusRuleTests {
    private static let waiting: [TaskStatus] = [.approval, .awaitingApproval, .awaitingResponse]
    private static let finished: [TaskStatus] = [.complete, .completed, .done, .unread]

    private func status(_ hosts: HostView..., seen: Acknowledgements = Acknowledgements(), at now: UnixMilliseconds = Lab.now) -> TaskStatus {
        Lab.board(hosts, seen: seen, at: now)[7].status
    }

    private func seen(completion: Acknowledgements.Revision? = nil, error: Acknowledgements.Revision? = nil) -> Acknowledgements {
        var seen = Acknowledgements()
        seen.record(Lab.task(7), .init(completion: completion, error: error), at: Lab.now)
        return seen
    }

    @Test(arguments: waiting + [.error], [TaskStatus.off, .idle, .working, .thinking, .complete, .unread])
    func waitingAndErrorCountFromAnyCopy(word: TaskStatus, owners: TaskStatus) {
        let owner = Lab.view(1, [Lab.slot(0, 7, owners, owned: true)], sessions: [Lab.session(7, .working)])
        #expect(status(owner, Lab.view(2, [Lab.slot(0, 7, word)])) == word)
    }

    @Test(arguments: waiting)
    func waitingComesBeforeError(word: TaskStatus) {
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .error)], sessions: [Lab.session(7)]), Lab.view(2, [Lab.slot(0, 7, word)])) == word)
    }

    @Test(arguments: [(4.999, TaskStatus.awaitingApproval), (5, .awaitingApproval), (5.001, .working)])
    func aCopyMoreThanFiveSecondsOlderDoesNotCount(lag: Double, expected: TaskStatus) {
        let owner = Lab.view(1, [Lab.slot(0, 7, .working)], sessions: [Lab.session(7)])
        #expect(status(owner, Lab.view(2, [Lab.slot(0, 7, .awaitingApproval)], heard: lag)) == expected)
    }

    @Test func allCopiesMayBeOld() {
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .working)], heard: 3600), Lab.view(2, [Lab.slot(0, 7, .error)], heard: 3597)) == .error)
    }

    @Test func aWordThatNothingChangedRenewsACopy() {
        var mirror = Lab.view(2, [Lab.slot(0, 7, .awaitingApproval)], heard: 30)
        let owner = Lab.view(1, [Lab.slot(0, 7, .working)], sessions: [Lab.session(7)])
        #expect(status(owner, mirror) == .working)
        mirror.renew(observedAt: Lab.now, receivedAt: Lab.now)
        #expect(status(owner, mirror) == .awaitingApproval)
    }

    @Test func theOwnersSessionMakesATaskWork() {
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, .working)])) == .working)
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .complete)], sessions: [Lab.session(7, .working)])) == .working)
    }

    @Test func aSessionThatIsNotTheOwnersMakesNothingWork() {
        let mirror = Lab.view(2, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, .working, ago: 200)])
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, ago: 100)]), mirror) == .idle)
    }

    @Test func anOwnerThatFellSilentKeepsNothingWorking() {
        let owner = Lab.view(1, [Lab.slot(0, 7, .working)], sessions: [Lab.session(7, .working)], live: false, heard: 100)
        #expect(status(owner, Lab.view(2, [Lab.slot(0, 7, .idle)])) == .idle)
    }

    @Test func theWordOfTheStrongestCopyIsKept() {
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .thinking)], sessions: [Lab.session(7)])) == .thinking)
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .off)]), Lab.view(2, [Lab.slot(0, 7, TaskStatus(rawValue: "pondering"))])).rawValue == "pondering")
    }

    @Test func ofEquallyStrongCopiesTheOwnersCounts() {
        let mirror = Lab.view(1, [Lab.slot(0, 7, .approval)])
        #expect(status(mirror, Lab.view(2, [Lab.slot(0, 7, .awaitingResponse)], sessions: [Lab.session(7)])) == .awaitingResponse)
    }

    @Test(arguments: finished)
    func finishedCountsFromAnyCopyUntilSeen(word: TaskStatus) {
        let owner = Lab.view(1, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, revision: 40)])
        let mirror = Lab.view(2, [Lab.slot(0, 7, word)])
        #expect(status(owner, mirror) == word)
        #expect(status(owner, mirror, seen: seen(completion: .number(40))) == .idle)
        #expect(status(owner, mirror, seen: seen(completion: .number(39))) == word)
    }

    @Test(arguments: [(0.0, TaskStatus.complete), (300, .complete), (300.001, .idle)])
    func theOwnersSessionIsCompleteForFiveMinutes(ago: Double, expected: TaskStatus) {
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, .complete, ago: ago, revision: 3)])) == expected)
        #expect(
            status(Lab.view(1, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, .complete, ago: ago, revision: 3)], clock: -18_000)) == expected)
    }

    @Test func completeEndsWithTimeAlone() {
        let view = Lab.view(1, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, .complete, ago: 0, revision: 3)])
        #expect(status(view, at: Lab.now.advanced(byMilliseconds: 300_000)) == .complete)
        #expect(status(view, at: Lab.now.advanced(byMilliseconds: 300_001)) == .idle)
    }

    @Test func anIdleSessionWithARevisionIsSeenAlready() {
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .idle)], sessions: [Lab.session(7, .idle, ago: 1, revision: 3)])) == .idle)
    }

    @Test func aSeenCompletionDoesNotHideWhatCameAfter() {
        let seen = seen(completion: .number(3))
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .working)], sessions: [Lab.session(7, revision: 3)]), seen: seen) == .working)
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .awaitingApproval)], sessions: [Lab.session(7, revision: 3)]), seen: seen) == .awaitingApproval)
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .error)], sessions: [Lab.session(7, revision: 3)]), seen: seen) == .error)
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .complete)], sessions: [Lab.session(7, revision: 4)]), seen: seen) == .complete)
    }

    @Test func aSeenErrorIsIdleUntilTheNextOne() {
        let view = Lab.view(1, [Lab.slot(0, 7, .error)], sessions: [Lab.session(7, revision: 3)])
        #expect(status(view, seen: seen(error: .number(3))) == .idle)
        #expect(status(view, seen: seen(error: .number(2))) == .error)
        #expect(status(view, seen: seen(error: .unnumbered)) == .error)
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .error)]), seen: seen(error: .unnumbered)) == .idle)
        #expect(status(Lab.view(1, [Lab.slot(0, 7, .error, workRevision: 8)]), seen: seen(error: .number(8))) == .idle)
    }

    @Test func aSeenErrorSettlesTheTaskWhateverAMirrorHasFinished() {
        let owner = Lab.view(1, [Lab.slot(0, 7, .error)], sessions: [Lab.session(7, .complete, ago: 1, revision: 3)])
        #expect(status(owner, Lab.view(2, [Lab.slot(0, 7, .unread)]), seen: seen(error: .number(3))) == .idle)
        #expect(status(owner, Lab.view(2, [Lab.slot(0, 7, .approval)]), seen: seen(error: .number(3))) == .approval)
    }

    @Test func aSeenErrorDoesNotHideWork() {
        let owner = Lab.view(1, [Lab.slot(0, 7, .error)], sessions: [Lab.session(7, revision: 3)])
        #expect(status(owner, Lab.view(2, [Lab.slot(0, 7, .working)]), seen: seen(error: .number(3))) == .working)
        let working = Lab.view(1, [Lab.slot(0, 7, .error)], sessions: [Lab.session(7, .working, revision: 3)])
        #expect(status(working, seen: seen(error: .number(3))) == .working)
    }

    @Test func anUnnumberedCompletionCanBeSeenToo() {
        let view = Lab.view(1, [Lab.slot(0, 7, .unread)])
        #expect(Lab.board([view])[7].marks == .init(completion: .unnumbered))
        #expect(status(view, seen: seen(completion: .unnumbered)) == .idle)
    }

    @Test func anOwnerThatListsItOnlyAmongSessionsSpeaksBeforeASilentMirror() {
        let mirror = Lab.view(2, [Lab.slot(0, 7, .awaitingApproval)], live: false, heard: 600)
        #expect(status(Lab.view(1, sessions: [Lab.session(7, .working)]), mirror) == .working)
        #expect(status(Lab.view(1, sessions: [Lab.session(7, .complete, ago: 2, revision: 1)]), mirror) == .complete)
        #expect(status(Lab.view(1, sessions: [Lab.session(7)]), mirror) == .idle)
    }
}
