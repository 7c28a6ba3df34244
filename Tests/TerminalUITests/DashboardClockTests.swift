import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

struct DashboardClockTests {
    @Test("The clock alone changes nothing before the moment named, and something then", arguments: [(40, 12), (80, 24), (200, 50)])
    func namesTheNextChange(columns: Int, rows: Int) throws {
        var screen = Fixture.screen(columns, rows, Fixture.one)
        for _ in 0..<200 {
            let before = screen.render()
            let next = try #require(screen.nextChange)
            #expect(next > screen.now)
            var early = screen
            _ = early.update(.clock(next.advanced(byMilliseconds: -1)))
            #expect(early.render() == before)
            _ = screen.update(.clock(next))
            // At 40 columns the reset times are cut off, and what is cut off may change.
            if columns > 40 { #expect(screen.render() != before) }
        }
    }

    @Test func nothingChangesWhereNothingHasAnAge() {
        #expect(Fixture.screen(80, 24, .empty).nextChange == nil)
        #expect(Fixture.screen(39, 12).nextChange == nil)
        var help = Fixture.screen(80, 24)
        _ = help.type("?")
        #expect(help.nextChange == nil)
    }

    @Test func anEqualBoardMakesEqualRows() {
        var screen = Fixture.screen(80, 24, Fixture.many)
        let before = screen.render()
        _ = screen.update(.board(Fixture.many, now: Fixture.now.advanced(byMilliseconds: 900)))
        let isEqual = screen.render() == before
        #expect(isEqual)
    }

    @Test func aClockThatWasSetBackIsSurvived() {
        var screen = Fixture.screen(80, 24)
        _ = screen.update(.clock(UnixMilliseconds(clamping: 1)))
        #expect(screen.render().count == 24)
        #expect(screen.nextChange.map { $0 > UnixMilliseconds(clamping: 1) } == true)
        _ = screen.update(.clock(UnixMilliseconds(clamping: .max)))
        #expect(screen.render().count == 24)
    }
}
