import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

struct PlainPresenterTests {
    private func board(_ slots: [Slot], health: HostHealth = .ready, now: UnixMilliseconds = Fixture.now) -> Board {
        Fixture.board([Fixture.view(1, "desk", health: health, snapshot: Fixture.snapshot(slots))], now: now)
    }

    @Test func tellsEverythingOnceAndThenWhatChanges() {
        var presenter = PlainPresenter()
        let slot = Fixture.slot(0, "Fix the login", .working, context: 10)
        #expect(presenter.lines(board([slot])) == ["desk: ready", "working: Fix the login (key 1, L desk)"])
        #expect(presenter.lines(board([slot])) == [])
        #expect(presenter.lines(board([slot], now: Fixture.ago(-90))) == [], "time alone is no news")
        var fuller = slot
        fuller.contextUsedPercent = 11
        #expect(presenter.lines(board([fuller])) == [], "nor is a percent of context")
        var asks = slot
        asks.status = .approval
        #expect(presenter.lines(board([asks])) == ["approve?: Fix the login (key 1, L desk)"])
        #expect(presenter.lines(board([asks], health: .degraded(reason: "no snapshot for 6 s"))) == ["desk: degraded: no snapshot for 6 s"])
        #expect(presenter.lines(board([], health: .degraded(reason: "no snapshot for 6 s"))) == ["gone: Fix the login (L desk)"])
    }

    @Test func tellsThatAComputerIsAwayOrRemoved() {
        var presenter = PlainPresenter()
        var view = Fixture.view(1, "desk", snapshot: Fixture.snapshot([Fixture.slot(0, "Fix", .working)]))
        _ = presenter.lines(Fixture.board([view]))
        view.disconnect(.offline(reason: "no route"))
        #expect(presenter.lines(Fixture.board([view])) == ["desk: offline: no route", "working (last known): Fix (key 1, L desk)"])
        #expect(presenter.lines(.empty) == ["removed: desk: offline: no route", "gone: Fix (L desk)"])
    }

    @Test func tellsThatATaskWasOpened() {
        var presenter = PlainPresenter()
        _ = presenter.lines(board([Fixture.slot(0, "Fix", .idle)]))
        #expect(presenter.lines(board([Fixture.slot(0, "Fix", .idle, selected: true)])) == ["idle (open): Fix (key 1, L desk)"])
    }

    @Test func everyLineIsOneLine() {
        var presenter = PlainPresenter()
        let lines = presenter.lines(Fixture.many)
        #expect(lines.count == 3 + 9)
        for line in lines { #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.value == 0x202e }) }
        #expect(lines.contains { $0.contains("unread: ]0;owned[31mred[0m task with lines") })
    }
}

struct BoardTextTests {
    @Test("Once, in a table that fits", arguments: [20, 40, 80, 132, 0, -5]) func fits(columns: Int) {
        for board in [Board.empty, Fixture.one, Fixture.many] {
            let lines = BoardText.lines(board, now: Fixture.now, columns: columns, color: false, glyphs: .unicode, all: true)
            #expect(lines.count == board.computers.count + 6 + board.rest.count + 2)
            for line in lines {
                #expect(CellWidth.columns(line) <= max(columns, 20))
                #expect(!line.hasSuffix(" "))
                #expect(!line.contains("\u{1b}"))
            }
        }
    }

    @Test func saysWhatIsThere() {
        let lines = BoardText.lines(Fixture.one, now: Fixture.now, columns: 80, color: false, glyphs: .unicode)
        #expect(lines[0] == "L atelier ready")
        #expect(lines[1] == " 1 approve? Fix the login redirect loop           L atelier, open   45 %   2 min")
        #expect(lines[6] == " 6 no task")
        #expect(lines[7].hasPrefix(" 5 hours "))
    }

    @Test func coloursAreOursAndEndWhereTheyBegin() {
        let plain = BoardText.lines(Fixture.many, now: Fixture.now, columns: 80, color: false, glyphs: .unicode)
        let colored = BoardText.lines(Fixture.many, now: Fixture.now, columns: 80, color: true, glyphs: .unicode)
        #expect(colored != plain)
        for (line, expected) in zip(colored, plain) {
            #expect(line.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == expected)
            #expect(line.components(separatedBy: "\u{1B}[0m").count * 2 - 1 == line.components(separatedBy: "\u{1B}").count)
        }
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] { split(separator: separator, omittingEmptySubsequences: false) }
}
