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
        #expect(presenter.lines(board([slot])) == ["desk, Linux: ready", "working: Fix the login (key 1, on desk)"])
        #expect(presenter.lines(board([slot])) == [])
        #expect(presenter.lines(board([slot], now: Fixture.ago(-90))) == [], "time alone is no news")
        var fuller = slot
        fuller.contextUsedPercent = 11
        #expect(presenter.lines(board([fuller])) == [], "nor is a percent of context")
        var asks = slot
        asks.status = .approval
        #expect(presenter.lines(board([asks])) == ["waits for approval: Fix the login (key 1, on desk)"])
        #expect(presenter.lines(board([asks], health: .degraded(reason: "no snapshot for 6 s"))) == ["desk, Linux: degraded: no snapshot for 6 s"])
        #expect(presenter.lines(board([], health: .degraded(reason: "no snapshot for 6 s"))) == ["gone: Fix the login (on desk)"])
    }

    @Test func tellsThatAComputerIsAwayOrRemoved() {
        var presenter = PlainPresenter()
        var view = Fixture.view(1, "desk", snapshot: Fixture.snapshot([Fixture.slot(0, "Fix", .working)]))
        _ = presenter.lines(Fixture.board([view]))
        view.disconnect(.offline(reason: "no route"))
        #expect(presenter.lines(Fixture.board([view])) == ["desk, Linux: offline: no route"], "once, not once more for each task")
        view.disconnect(.connecting)
        #expect(presenter.lines(Fixture.board([view])) == [], "one more try is no news")
        view.disconnect(.offline(reason: "no route"))
        #expect(presenter.lines(Fixture.board([view])) == [], "nor is that it went as before")
        #expect(presenter.lines(Board.empty) == ["removed: desk, Linux: offline: no route", "gone: Fix (on desk)"])
    }

    @Test("A node that was never heard is told once, and no more when it is heard") func tellsNodesThatWereNeverHeard() {
        var presenter = PlainPresenter()
        func state(_ health: HostHealth, _ board: Board = .empty, seen: Int64? = nil) -> ClientState {
            ClientState(board: board, nodes: [Fixture.node(1, "de\u{1b}sk", health: health, host: nil, seen: seen)])
        }
        let view = Fixture.view(1, "desk", snapshot: Fixture.snapshot([Fixture.slot(0, "Fix", .working)]))
        #expect(presenter.lines(state(.connecting)) == [], "the first try is under way")
        #expect(presenter.lines(state(.offline(reason: "no route"))) == ["not reached: desk (offline: no route)"])
        #expect(presenter.lines(state(.connecting)) == [])
        #expect(presenter.lines(state(.offline(reason: "no route"))) == [], "that one more try went as before is no news")
        #expect(
            presenter.lines(state(.rePairRequired(reason: "certificate changed"))) == ["not reached: desk (re-pair required: certificate changed)"])
        #expect(presenter.lines(state(.ready, Fixture.board([view]), seen: 0)).first == "desk, Linux: ready")
    }

    @Test func tellsThatATaskWasOpened() {
        var presenter = PlainPresenter()
        _ = presenter.lines(board([Fixture.slot(0, "Fix", .idle)]))
        #expect(presenter.lines(board([Fixture.slot(0, "Fix", .idle, selected: true)])) == ["idle (open): Fix (key 1, on desk)"])
    }

    @Test func everyLineIsOneLine() {
        var presenter = PlainPresenter()
        let lines = presenter.lines(Fixture.many)
        #expect(lines.count == 3 + 9)
        for line in lines { #expect(!line.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.value == 0x202e }) }
        #expect(lines.contains { $0.contains("has something unread: ]0;owned[31mred[0m task with lines") })
    }
}

struct PlainEventTests {
    @Test("Events are told once, from the first look on, and so is what is followed") func tellsEvents() {
        var presenter = PlainPresenter()
        var state = Fixture.full
        state.attention = Array(Fixture.events.dropFirst(2))
        state.follow = nil
        #expect(!presenter.lines(state).contains { $0.hasPrefix("attention") }, "what happened before is no news")
        state.attention = Fixture.events
        #expect(
            presenter.lines(state) == [
                "attention: Find the memory leak stopped with an error (on atelier)",
                "attention: Fix the login redirect loop waits for approval (on atelier)",
            ])
        #expect(presenter.lines(state) == [])
        state.follow = Fixture.followed(2)
        #expect(presenter.lines(state) == ["following: Write the release notes, working"])
        state.follow = Fixture.followed(2, freshness: .lastKnown(at: nil))
        #expect(presenter.lines(state) == ["following: Write the release notes, working (last known)"])
        state.follow = nil
        state.attention = []
        #expect(presenter.lines(state) == ["following: nothing"])
        state.attention = [Fixture.event(7, .error, task: 1, "old")]
        #expect(presenter.lines(state) == [], "a removed event that is there again is none")
    }

    @Test("What the line of the task says already is not said twice") func tellsNothingTwice() {
        var presenter = PlainPresenter()
        var state = Fixture.full
        (state.attention, state.follow) = ([], nil)
        state.board = Fixture.board([Fixture.view(1, "desk", snapshot: Fixture.snapshot([Fixture.slot(0, "Fix", .working)]))])
        _ = presenter.lines(state)
        state.board = Fixture.board([Fixture.view(1, "desk", snapshot: Fixture.snapshot([Fixture.slot(0, "Fix", .approval)]))])
        state.attention = [Fixture.event(2, .error, task: 5, "Other"), Fixture.event(1, .approval, task: 1, "Fix")]
        #expect(presenter.lines(state) == ["waits for approval: Fix (key 1, on desk)", "attention: Other stopped with an error (on atelier)"])
    }

    @Test func theFirstEventOfAllIsTold() {
        var presenter = PlainPresenter()
        var state = Fixture.full
        (state.attention, state.follow) = ([], nil)
        _ = presenter.lines(state)
        state.attention = [Fixture.event(1, .response, task: 1, "\u{1b}[31m")]
        #expect(presenter.lines(state) == ["attention: [31m waits for an answer (on atelier)"])
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
