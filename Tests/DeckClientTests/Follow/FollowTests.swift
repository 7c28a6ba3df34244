import RelayProtocol
import Testing

@testable import DeckClient

struct FollowTests {
    /// A followed task on one computer, on one clock.
    private final class Story {
        var follow = Follow(Lab.task(1), since: Lab.now)
        var view: HostView?
        var now = Lab.now

        /// - Returns: Whether following goes on.
        func say(_ status: TaskStatus, after seconds: Double = 1, revision: Int64? = nil, title: String = "Task 1") -> Bool {
            now = now.advanced(byMilliseconds: Int64(seconds * 1000))
            let sessions = revision.map { [Lab.session(1, .idle, revision: $0)] }
            let fresh = Lab.view(1, [Lab.slot(0, 1, status, title: title)], sessions: sessions)
            var view = view ?? fresh
            view.health = .ready
            if let report = fresh.report { view.receive(report.snapshot, observedAt: now, receivedAt: now) }
            self.view = view
            return look()
        }

        func look(after seconds: Double = 0) -> Bool {
            now = now.advanced(byMilliseconds: Int64(seconds * 1000))
            return follow.observe(board, now: now)
        }

        var board: Board { Lab.board(view.map { [$0] } ?? [], at: now) }
        var shown: FollowView { FollowView(follow, board: board, now: now) }
    }

    @Test func aCompletedTaskStaysForAMinute() {
        let story = Story()
        #expect(story.say(.working))
        #expect(story.follow.endsAt == nil)
        #expect(story.say(.complete))
        let end = story.now.advanced(byMilliseconds: 60_000)
        #expect(story.follow.endsAt == end)
        #expect(story.say(.complete, after: 30))
        #expect(story.follow.endsAt == end)
        #expect(story.look(after: 29.999))
        #expect(!story.look(after: 0.001))
    }

    @Test(arguments: [TaskStatus.working, .thinking, .approval, .awaitingResponse, .error])
    func aNewTurnCancelsTheEnd(status: TaskStatus) {
        let story = Story()
        _ = story.say(.working)
        _ = story.say(.unread)
        #expect(story.say(status, after: 59))
        #expect(story.follow.endsAt == nil)
        #expect(story.look(after: 600))
    }

    @Test func openingTheTaskDoesNotCancelTheEnd() {
        let story = Story()
        _ = story.say(.working)
        _ = story.say(.complete)
        #expect(story.say(.idle, after: 30))
        #expect(!story.say(.idle, after: 30))
    }

    @Test func aCompletionThatIsSeenAtOnceCounts() {
        let story = Story()
        _ = story.say(.working, revision: 5)
        #expect(story.say(.idle, revision: 6))
        #expect(story.follow.endsAt == story.now.advanced(byMilliseconds: 60_000))
    }

    @Test func anAbortedTurnIsNoCompletion() {
        let story = Story()
        _ = story.say(.working, revision: 5)
        #expect(story.say(.idle, revision: 5))
        #expect(story.follow.endsAt == nil)
    }

    @Test func theNextCompletionStartsTheMinuteAnew() {
        let story = Story()
        _ = story.say(.complete, revision: 5)
        _ = story.say(.complete, after: 50, revision: 6)
        #expect(story.look(after: 59))
        #expect(!story.look(after: 1))
    }

    @Test(arguments: [(7.999, true), (8.0, false)])
    func eightSecondsWithoutAWordAreTooLong(seconds: Double, isLive: Bool) {
        let story = Story()
        _ = story.say(.working)
        let heard = story.now
        _ = story.look(after: seconds)
        #expect(story.shown.isLive == isLive)
        if !isLive { #expect(story.shown.freshness == .lastKnown(at: heard)) }
    }

    @Test func theTimeOfTheNextChangeIsKnown() {
        let story = Story()
        _ = story.say(.working)
        let heard = story.now
        #expect(story.shown.nextChange(receivedAt: heard) == heard.advanced(byMilliseconds: 8000))
        _ = story.say(.complete)
        #expect(story.shown.nextChange(receivedAt: story.now) == story.now.advanced(byMilliseconds: 8000))
        let end = story.follow.endsAt
        _ = story.look(after: 9)
        #expect(story.shown.nextChange(receivedAt: heard) == end)
    }

    @Test func anOfflineComputerIsLastKnownAtOnceAndKeepsWhatWasSeen() {
        let story = Story()
        _ = story.say(.approval)
        story.view?.disconnect(.offline(reason: nil))
        #expect(story.look())
        #expect(!story.shown.isLive)
        #expect(story.shown.status == .approval)
        #expect(story.shown.hostName == "Host 1")
    }

    @Test func aTaskThatIsNowhereIsLastKnown() {
        let story = Story()
        _ = story.say(.working)
        story.view = Lab.view(1, [Lab.slot(0, 2)])
        #expect(story.look())
        #expect(!story.shown.isLive)
        #expect(story.shown.title == "Task 1")
    }

    @Test func itGoesByIdentityWhereverTheTaskIs() {
        var follow = Follow(Lab.task(1), since: Lab.now)
        _ = follow.observe(Lab.board([Lab.view(1, [Lab.slot(0, 1, .working)], sessions: [Lab.session(1, .working, ago: 50)])]), now: Lab.now)
        let moved = Lab.board([
            Lab.view(1, [Lab.slot(0, 2)]), Lab.view(2, [Lab.slot(5, 1, .approval)], sessions: [Lab.session(1, .working, ago: 1)]),
        ])
        _ = follow.observe(moved, now: Lab.now)
        let view = FollowView(follow, board: moved, now: Lab.now)
        #expect(view.hostName == "Host 2")
        #expect(view.status == .approval)
        #expect(view.isLive)
    }

    @Test func aTemporaryKeyBecomesTheTaskItIs() {
        var follow = Follow(Lab.task(200), since: Lab.now)
        let joins = TemporaryKeyJoins([.init(temporary: Lab.task(200), task: Lab.task(7), evidence: .selection, seenAt: Lab.now)])
        _ = follow.observe(Lab.board([Lab.view(1, [Lab.slot(0, 7, .working)])], joins: joins), joins: joins, now: Lab.now)
        #expect(follow.task == Lab.task(7))
        #expect(follow.known?.status == .working)
    }

    @Test func aMinuteThatPassedWhileNobodyRanIsOver() {
        var follow = Follow(Lab.task(1), since: Lab.now, known: nil, endsAt: Lab.now)
        let goesOn = follow.observe(.empty, now: Lab.now)
        #expect(!goesOn)
    }

    @Test func onlyTimesAreNotWorthWriting() {
        let story = Story()
        _ = story.say(.working)
        let first = story.follow.withoutTimes
        _ = story.say(.working, after: 5)
        #expect(story.follow.withoutTimes == first)
        _ = story.say(.approval)
        #expect(story.follow.withoutTimes != first)
    }

    @Test func itSurvivesBeingWrittenDown() {
        let story = Story()
        _ = story.say(.complete, revision: 5, title: "a \"b\"")
        #expect(Follow(json: story.follow.json) == story.follow)
        #expect(Follow(json: Follow(Lab.task(1), since: Lab.now).json) == Follow(Lab.task(1), since: Lab.now))
        #expect(Follow(json: ["task": "x", "since": 1]) == nil)
    }
}
