import RelayProtocol
import Testing

@testable import DeckClient

struct TaskFactsTests {
    @Test func titleAndContextAreTheOwners() {
        let hosts = [
            Lab.view(1, [Lab.slot(0, 7, title: "Mirror", context: 90)]),
            Lab.view(2, [Lab.slot(0, 7, title: "Owner", context: 30)], sessions: [Lab.session(7)]),
        ]
        #expect(Lab.board(hosts)[7].title == "Owner")
        #expect(Lab.board(hosts)[7].contextPercent == 30)
    }

    @Test(arguments: [String?.none, ""])
    func withoutATitleOfTheOwnerTheFirstThatHasOneCounts(title: String?) {
        var untitled = Lab.slot(0, 7)
        untitled.title = title
        let hosts = [
            Lab.view(1, [untitled], sessions: [Lab.session(7)]), Lab.view(2, [untitled]), Lab.view(3, [Lab.slot(0, 7, title: "Three", context: 3)]),
            Lab.view(4, [Lab.slot(0, 7, title: "Four", context: 4)]),
        ]
        #expect(Lab.board(hosts)[7].title == "Three")
        #expect(Lab.board(hosts.reversed())[7].contextPercent == 3)
    }

    @Test func aLiveTitleComesBeforeARememberedOne() {
        var untitled = Lab.slot(0, 7)
        untitled.title = nil
        let hosts = [
            Lab.view(1, [untitled], sessions: [Lab.session(7)]), Lab.view(2, [Lab.slot(0, 7, title: "Old")], live: false),
            Lab.view(3, [Lab.slot(0, 7, title: "New")]),
        ]
        #expect(Lab.board(hosts)[7].title == "New")
    }

    @Test func theOwnersOpenTaskHasATitleWithoutASlot() {
        let hosts = [
            Lab.view(1, sessions: [Lab.session(7, context: 12)], active: Lab.key(7), activeTitle: "Open there"),
            Lab.view(2, [Lab.slot(0, 7, title: "Mirror")]),
        ]
        #expect(Lab.board(hosts)[7].title == "Open there")
        #expect(Lab.board(hosts)[7].contextPercent == 12)
        #expect(Lab.board(hosts)[7].active)
        #expect(!Lab.board(hosts)[7].selected)
    }

    @Test func activityIsTheOwnersByOurClock() {
        let mirror = Lab.view(1, [Lab.slot(0, 7, ago: 1)])
        let hosts = [mirror, Lab.view(2, [Lab.slot(0, 7, ago: 50)], sessions: [Lab.session(7, ago: 40)], clock: 18_000)]
        #expect(Lab.board(hosts)[7].activityAt == Lab.ago(40))
        #expect(Lab.board([mirror, Lab.view(2, [Lab.slot(0, 7, owned: true)])])[7].activityAt == nil)
    }

    @Test func connectingIsNoActivity() {
        var view = Lab.view(1, [Lab.slot(0, 7, ago: 500)])
        let before = Lab.board([view])[7].activityAt
        view.disconnect(.offline(reason: nil))
        let later = Lab.now.advanced(byMilliseconds: 60_000)
        view.health = .ready
        view.receive(Lab.snapshot([Lab.slot(0, 7, ago: 500)]), observedAt: later, receivedAt: later)
        #expect(Lab.board([view], at: later)[7].activityAt == before)
    }

    @Test func aChangedClockOfTheHostIsFollowed() {
        var view = Lab.view(1, [Lab.slot(0, 7, ago: 60)], clock: 18_000)
        #expect(view.report?.clockShift == -18_000_000)
        view.receive(Lab.snapshot([Lab.slot(0, 7, ago: 60)]), observedAt: Lab.now, receivedAt: Lab.now)
        #expect(view.report?.clockShift == 0)
        #expect(Lab.board([view])[7].activityAt == Lab.ago(60))
    }

    @Test func selectionOfAHostThatIsNotLiveIsOver() {
        let silent = Lab.view(1, [Lab.slot(0, 7, selected: true)], active: Lab.key(7), live: false)
        #expect(!Lab.board([silent, Lab.view(2, [Lab.slot(0, 7)], sessions: [Lab.session(7)])])[7].selected)
        // Nobody else speaks of it: it is shown as it was.
        #expect(Lab.board([silent])[7].selected)
        #expect(Lab.board([silent])[7].active)
    }

    @Test func rememberedSnapshotsAreShownAndNotCommanded() {
        let report = HostReport(snapshot: Lab.snapshot([Lab.slot(0, 7, .working)]), observedAt: Lab.ago(9999), receivedAt: Lab.ago(9999))
        var view = HostView(host: Lab.view(1).host, profileID: "p", health: .connecting, cached: report)
        #expect(!view.isLive)
        #expect(Lab.board([view])[7].offline)
        view.health = .ready
        // The connection is there, but what is shown is still from the cache.
        #expect(!view.isLive)
        #expect(Lab.board([view])[7].target == nil)
        view.renew(observedAt: Lab.now, receivedAt: Lab.now)
        #expect(view.report?.receivedAt == Lab.ago(9999))
        view.receive(Lab.snapshot([Lab.slot(0, 7, .working)]), observedAt: Lab.now, receivedAt: Lab.now)
        #expect(view.isLive)
    }

    @Test(arguments: [
        (HostHealth.ready, true), (.degraded(reason: "x"), true), (.connecting, false), (.offline(reason: nil), false),
        (.rePairRequired(reason: "x"), false),
    ])
    func onlyConnectedHostsAreCommanded(health: HostHealth, commanded: Bool) {
        var view = Lab.view(1, [Lab.slot(0, 7)])
        view.health = health
        #expect((Lab.board([view])[7].target != nil) == commanded)
        #expect(Lab.board([view])[7].offline == !commanded)
    }
}
