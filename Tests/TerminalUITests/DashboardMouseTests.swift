import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

struct DashboardMouseTests {
    @Test("The first click chooses a card, the next one shows its detail, and nothing is sent", arguments: [(40, 12), (80, 24), (200, 50)])
    func cards(columns: Int, rows: Int) {
        var screen = Fixture.screen(columns, rows, Fixture.one)
        #expect(screen.click("Find the memory") == [])
        #expect(screen.focus.slot == 3)
        #expect(screen.click("Find the memory") == [])
        #expect(screen.view == .detail(Fixture.identity(4), title: "Find the memory leak", offset: 0))
        #expect(screen.click("back") == [])
        #expect(screen.view == .board)
    }

    @Test("A click on a number, a lower key or a hint is that key", arguments: [(80, 24), (200, 50)]) func keys(columns: Int, rows: Int) {
        var state = Fixture.full
        state.settings.layouts.active = .coding
        state.lowerKeys = state.settings.layouts.keys(host: nil)
        var screen = Fixture.screen(columns, rows, state)
        #expect(screen.click("2 ◆ working") == [.open(Fixture.identity(2))])
        #expect(screen.click("SPLIT") == [.perform(.control(.lowerKey(.act09), .task(Fixture.identity(2))))])
        #expect(screen.click("F fast") == [.keycap(.fast, Fixture.identity(2))])
        #expect(screen.click("→") == [.perform(.control(.joystick(.right), .task(Fixture.identity(2))))])
        #expect(screen.click("bell 3") == [])
        #expect(screen.text.contains("Attention"))
    }

    @Test func aClickBesideEverythingDoesNothing() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        for (row, column) in [(-1, 0), (0, -1), (24, 0), (0, 80), (19, 79), (.max, .max), (.min, .min)] {
            #expect(screen.update(.mouse(MouseEvent(.click, row: row, column: column))) == [])
        }
        #expect(screen.view == .board)
    }

    @Test func aQuestionIsAnsweredOnlyByItsOwnWords() {
        var screen = Fixture.screen(80, 24, Fixture.one)
        _ = screen.type("a")
        #expect(screen.click("Write the release") == [])
        #expect(screen.update(.mouse(MouseEvent(.wheelDown, row: 3, column: 3))) == [])
        #expect(screen.prompt != nil, "neither a card nor the wheel answers")
        #expect(screen.click("y yes") == [.approve(Fixture.identity(1))])
    }

    @Test func theWheelMovesTheChoice() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("s")
        _ = screen.update(.mouse(MouseEvent(.wheelDown, row: 0, column: 0)))
        #expect(screen.view == .settings(chosen: 1))
        _ = screen.update(.mouse(MouseEvent(.wheelUp, row: 0, column: 0)))
        #expect(screen.view == .settings(chosen: 0))
    }

    @Test func entriesOfListsAreChosenThenEntered() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("s")
        #expect(screen.click("bell") == [])
        #expect(screen.click("bell") == [.edit(.set(key: "bell", word: "true"))])
        _ = screen.type("qb")
        _ = screen.click("Find the memory")
        _ = screen.click("Find the memory")
        #expect(screen.view == .detail(Fixture.identity(4), title: "Find the memory leak", offset: 0))
    }
}
