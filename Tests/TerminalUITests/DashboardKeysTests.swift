import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

struct DashboardKeysTests {
    private let first = Fixture.identity(1)

    @Test("A number opens what lies on that key", arguments: 1...5) func opensByNumber(number: Int) {
        var screen = Fixture.screen(80, 24)
        #expect(screen.type("\(number)") == [.open(Fixture.identity(number))])
        #expect(screen.type("o") == [.open(Fixture.identity(number))], "the number moves the focus")
    }

    @Test("Keys without a meaning do nothing", arguments: ["0", "7", "9", "Q", "é", "漢", " ", "y", "A", "\u{7f}"])
    func ignoresOthers(key: Character) {
        var screen = Fixture.screen(80, 24)
        let before = screen.render()
        #expect(screen.update(.key(.character(key))) == [])
        #expect(screen.render() == before)
    }

    @Test func anEmptyKeyOpensNothing() {
        var screen = Fixture.screen(80, 24)
        #expect(screen.type("6") == [])
        #expect(screen.text.contains("No task is on key 6."))
    }

    @Test("Arrows and Tab move among the cards, over no edge", arguments: [(80, 24, 2), (200, 50, 3), (40, 12, 1), (80, 12, 1), (60, 24, 1)])
    func movesFocus(columns: Int, rows: Int, across: Int) {
        var screen = Fixture.screen(columns, rows)
        func after(_ keys: Key...) -> Int {
            for key in keys { _ = screen.update(.key(key)) }
            return screen.focus.slot
        }
        #expect(after(.left) == 0)
        #expect(after(.up) == 0)
        #expect(after(.down) == across)
        #expect(after(.right) == across + 1)
        #expect(after(.end) == 5)
        #expect(after(.down, .right) == 5)
        #expect(after(.tab) == 0)
        #expect(after(.backTab) == 5)
        #expect(after(.up) == 5 - across)
        #expect(after(.home) == 0)
    }

    @Test(
        "Direct keys are for the focused task",
        arguments: [
            ("F", .keycap(.fast)), ("S", .keycap(.split)), ("N", .keycap(.new)), ("C", .keycap(.codex)), ("+", .reasoning(.increase)),
            ("=", .reasoning(.increase)), ("-", .reasoning(.decrease)), ("E", .encoder), ("P", .joystick(.up)), ("B", .joystick(.left)),
        ] as [(String, ClientRequest.Control)])
    func sendsControls(key: String, control: ClientRequest.Control) {
        var screen = Fixture.screen(80, 24)
        #expect(screen.type(key) == [.perform(.control(control, .task(first)))])
        _ = screen.update(.key(.end))
        #expect(screen.type(key) == [.perform(.control(control, .selected))], "on an empty card it is for the selected computer")
    }

    @Test func theFocusStaysWithItsTask() {
        let slots = [Fixture.slot(0, "One", .idle, task: 1), Fixture.slot(1, "Two", .working, task: 2)]
        let swapped = [Fixture.slot(0, "Two", .working, task: 2), Fixture.slot(1, "One", .idle, task: 1)]
        var screen = Fixture.screen(80, 24, Fixture.board([Fixture.view(1, "desk", snapshot: Fixture.snapshot(slots))]))
        _ = screen.update(.board(Fixture.board([Fixture.view(1, "desk", snapshot: Fixture.snapshot(swapped))]), now: Fixture.now))
        #expect(screen.focus.slot == 1)
        #expect(screen.type("o") == [.open(Fixture.identity(1))])
        _ = screen.update(.board(.empty, now: Fixture.now))
        #expect(screen.focus.slot == 1)
        #expect(screen.type("o") == [])
    }

    @Test("No command leaves for what cannot take one", arguments: ["1", "o", "F", "P", "+", "a", "d"]) func refusesOffline(key: String) {
        var view = Fixture.view(1, "desk", snapshot: Fixture.snapshot([Fixture.slot(0, "One", .approval)]))
        view.disconnect(.offline(reason: nil))
        var screen = Fixture.screen(80, 24, Fixture.board([view]))
        #expect(screen.type(key) == [])
        #expect(screen.prompt == nil)
        #expect(screen.text.contains("desk is offline, so nothing was sent"))
    }

    @Test func refusesAKeyThatCannotBeRead() {
        var slot = Fixture.slot(0, "Strange", .approval)
        slot.threadKey = "not a key"
        var screen = Fixture.screen(120, 40, Fixture.board([Fixture.view(1, "desk", snapshot: Fixture.snapshot([slot]))]))
        #expect(screen.type("1a") == [])
        #expect(screen.text.contains("cannot be commanded"))
    }

    @Test func otherEffects() {
        var screen = Fixture.screen(80, 24)
        #expect(screen.type("r") == [.reconnect])
        #expect(screen.type("\u{0C}") == [.redraw])
        #expect(screen.type("q") == [.quit])
    }

    @Test func onATooSmallScreenOnlyLeavingWorks() {
        var screen = Fixture.screen(39, 12)
        #expect(screen.type("1aF") == [])
        #expect(screen.prompt == nil)
        #expect(screen.type("q") == [.quit])
    }
}

struct DashboardQuestionTests {
    private let first = Fixture.identity(1)

    @Test("Only y after the question answers", arguments: [("a", DashboardEffect.approve(Fixture.identity(1))), ("d", .decline(Fixture.identity(1)))])
    func answersAfterConfirmation(key: String, effect: DashboardEffect) {
        var screen = Fixture.screen(80, 24)
        #expect(screen.type(key) == [])
        #expect(screen.text.contains("“Fix the login redirect loop”? y/n"))
        #expect(screen.type("y") == [effect])
        #expect(screen.type("y") == [], "one yes, one answer")
    }

    @Test(
        "Every other key sends nothing",
        arguments: [
            Key.escape, .enter, .tab, .up, .character("n"), .character("Y"), .character("q"), .character("a"), .character("d"), .character("1"),
            .character(" "),
        ])
    func leavesWithoutAnswer(key: Key) {
        var screen = Fixture.screen(80, 24)
        _ = screen.type("a")
        #expect(screen.update(.key(key)) == [])
        #expect(screen.text.contains("Nothing was sent."))
        #expect(screen.type("y") == [])
    }

    @Test("Only what waits can be answered", arguments: [2, 3, 4, 5]) func asksOnlyWhatWaits(number: Int) {
        var screen = Fixture.screen(80, 24)
        for _ in 1..<number { _ = screen.update(.key(.tab)) }
        #expect(screen.type("a") == [])
        #expect(screen.prompt == nil)
        #expect(screen.text.contains("is not waiting for an answer"))
    }

    @Test("Answered in the terminal meanwhile: the question goes", arguments: [TaskStatus.working, .idle, .complete, .error])
    func dropsAnAnsweredQuestion(status: TaskStatus) {
        var screen = Fixture.screen(80, 24)
        _ = screen.type("a")
        let board = Fixture.board([Fixture.view(1, "atelier", snapshot: Fixture.snapshot([Fixture.slot(0, "Fix the login redirect loop", status)]))])
        _ = screen.update(.board(board, now: Fixture.now))
        #expect(screen.text.contains("Already answered elsewhere."))
        #expect(screen.type("y") == [])
    }

    @Test func dropsTheQuestionOfATaskThatIsGoneOrAway() {
        var gone = Fixture.screen(80, 24)
        _ = gone.type("a")
        var away = gone
        _ = gone.update(.board(.empty, now: Fixture.now))
        #expect(gone.type("y") == [])
        var view = Fixture.view(1, "atelier", snapshot: Fixture.snapshot([Fixture.slot(0, "Fix", .approval)]))
        view.disconnect(.offline(reason: nil))
        _ = away.update(.board(Fixture.board([view]), now: Fixture.now))
        #expect(away.text.contains("atelier is offline"))
        #expect(away.type("y") == [])
    }

    @Test func theQuestionIsAboutItsTaskWhereverThatMoves() {
        var screen = Fixture.screen(80, 24)
        _ = screen.type("a")
        let slots = [Fixture.slot(0, "Other", .approval, task: 9), Fixture.slot(3, "Fix the login redirect loop", .approval, task: 1)]
        let moved = Fixture.snapshot(slots)
        _ = screen.update(.board(Fixture.board([Fixture.view(1, "atelier", snapshot: moved)]), now: Fixture.now))
        #expect(screen.type("y") == [.approve(first)])
    }

    @Test("The end of the question is in sight however long the title", arguments: [40, 41, 80])
    func showsTheEnd(columns: Int) {
        let slots = [Fixture.slot(0, String(repeating: "漢字 very long ", count: 30), .approval)]
        var screen = Fixture.screen(columns, 24, Fixture.board([Fixture.view(1, "desk", snapshot: Fixture.snapshot(slots))]))
        _ = screen.type("a")
        let line = screen.render()[21]
        #expect(line.text.hasPrefix(" Approve “漢字"))
        #expect(line.text.hasSuffix("…”? y/n"))
        #expect(line.columns <= columns)
        #expect(line.spans.map(\.style) == [.prompt])
    }
}
