import RelayProtocol
import Testing

@testable import DeckClient

struct BoardUsageTests {
    private func window(_ kind: Usage.Window.Kind, _ used: Double, id: String = "w", resetsIn seconds: Double? = 600) -> Usage.Window {
        Usage.Window(
            id: id, kind: kind, usedPercent: used, remainingPercent: 100 - used, durationMinutes: 300, resetsAt: seconds.map { Lab.ago(-$0) })
    }

    private func usage(_ windows: [Usage.Window], ago: Double, credits: Int? = nil) -> Usage {
        Usage(windows: windows, observedAt: Lab.ago(ago), resetCreditsAvailable: credits)
    }

    @Test(arguments: [0.0, 18_000.0, -18_000.0])
    func theFreshestWordCountsWhateverTheClocks(clock: Double) {
        let hosts = [
            Lab.view(1, clock: clock, usage: usage([window(.fiveHour, 10)], ago: 20)),
            Lab.view(2, usage: usage([window(.fiveHour, 30)], ago: 10, credits: 2)),
            Lab.view(3),
        ]
        for given in [hosts, hosts.reversed()] {
            let found = Lab.board(given).usage
            #expect(found?.host == Lab.hostID(2))
            #expect(found?.fiveHour.window?.usedPercent == 30)
            #expect(found?.resetCreditsAvailable == 2)
        }
    }

    @Test func equallyFreshTheLiveHostThenTheFirst() {
        let words = usage([window(.weekly, 1)], ago: 5)
        #expect(Lab.board([Lab.view(2, usage: words), Lab.view(1, usage: words)]).usage?.host == Lab.hostID(1))
        #expect(Lab.board([Lab.view(1, live: false, usage: words), Lab.view(2, usage: words)]).usage?.host == Lab.hostID(2))
    }

    @Test func aMissingWindowIsUnavailable() {
        let found = Lab.board([Lab.view(1, usage: usage([window(.weekly, 0)], ago: 5))]).usage
        #expect(found?.fiveHour == .unavailable)
        #expect(found?.weekly == .known(window(.weekly, 0)))
        #expect(Lab.board([Lab.view(1)]).usage == nil)
    }

    @Test(arguments: [(0.001, false), (0, true), (-600, true)])
    func aResetTimeInThePastMakesItStale(seconds: Double, stale: Bool) {
        let found = Lab.board([Lab.view(1, usage: usage([window(.fiveHour, 90, resetsIn: seconds)], ago: 5))]).usage
        let expected = window(.fiveHour, 90, resetsIn: seconds)
        #expect(found?.fiveHour == (stale ? .stale(expected) : .known(expected)))
    }

    @Test func withoutAResetTimeItIsKnown() {
        let found = Lab.board([Lab.view(1, usage: usage([window(.fiveHour, 90, resetsIn: nil)], ago: 5))]).usage
        #expect(found?.fiveHour == .known(window(.fiveHour, 90, resetsIn: nil)))
    }

    @Test func furtherLimitsStayOutOfTheMainWindows() {
        let windows = [window(.other, 99, id: "a"), window(.fiveHour, 1, id: "b"), window(.fiveHour, 98, id: "c"), window(.weekly, 2, id: "d")]
        let found = Lab.board([Lab.view(1, usage: usage(windows, ago: 5))]).usage
        #expect(found?.fiveHour.window?.id == "b")
        #expect(found?.weekly.window?.id == "d")
        #expect(found?.others.map(\.id) == ["a", "c"])
    }
}
