import RelayProtocol
import Testing

@testable import DeckClient
@testable import TerminalUI

struct DashboardControlsTests {
    private let first = Fixture.identity(1)

    private func screen(_ profile: LayoutProfile) -> DashboardScreen {
        var state = Fixture.full
        state.settings.layouts.active = profile
        state.lowerKeys = state.settings.layouts.keys(host: nil)
        return Fixture.screen(80, 24, state)
    }

    @Test("Each of the six lower keys goes out by its place", arguments: 1...6) func lowerKeys(number: Int) {
        var screen = screen(.coding)
        let effects = screen.update(.key(.function(number)))
        switch number {
        case 2, 3: #expect(effects == [] && screen.prompt?.task == first, "these two are asked for first")
        default: #expect(effects == [.perform(.control(.lowerKey(ActionSlot.allCases[number - 1]), .task(first)))])
        }
    }

    @Test("The labels are those of the layout", arguments: LayoutProfile.allCases, [(40, 12), (80, 24), (200, 50)])
    func labels(profile: LayoutProfile, size: (Int, Int)) {
        var state = Fixture.full
        state.settings.layouts.active = profile
        state.lowerKeys = state.settings.layouts.keys(host: .standard)
        let text = Fixture.screen(size.0, size.1, state).text
        for key in state.lowerKeys { #expect(text.contains(key.label), "\(key.label)") }
    }

    @Test("Keys of their own work in every layout", arguments: LayoutProfile.allCases) func ownKeys(profile: LayoutProfile) {
        var screen = screen(profile)
        #expect(screen.type("F") == [.keycap(.fast, first)])
        #expect(screen.type("S") == [.keycap(.split, first)])
        #expect(screen.type("N") == [.keycap(.new, first)])
        #expect(screen.type("C") == [.keycap(.codex, first)])
        #expect(screen.type("P") == [.perform(.control(.joystick(.up), .task(first)))])
        #expect(screen.type("B") == [.perform(.control(.joystick(.left), .task(first)))])
        #expect(screen.type("+-").count == 2)
        #expect(screen.type("a") == [] && screen.prompt?.answer == .approve)
        _ = screen.type("n")
        #expect(screen.type("d") == [] && screen.prompt?.answer == .decline)
    }

    @Test("No two meanings on one key") func noCollisions() {
        let keys = KeyMap.bindings.flatMap(\.keys) + (1...6).map { .character(Character("\($0)")) } + (1...6).map { Key.function($0) }
        #expect(Set(keys).count == keys.count)
    }

    @Test("Plan is where the computer has it") func plan() {
        func board(_ stick: [JoystickDirection: String]) -> ClientState {
            var snapshot = Fixture.snapshot([Fixture.slot(0, "One", .idle)])
            snapshot.layout = KeyLayout(slots: [:], analogStick: stick)
            return ClientState(board: Fixture.board([Fixture.view(1, "desk", snapshot: snapshot)]), nodes: [])
        }
        var moved = Fixture.screen(80, 24, board([.down: "Plan", .up: "next"]))
        #expect(moved.type("P") == [.perform(.control(.joystick(.down), .task(first)))])
        #expect(moved.type("B") == [], "back is nowhere, and nothing else is pushed instead")
        #expect(moved.text.contains("No direction of the stick is back"))
    }

    @Test("In automatic a label of the selected computer is not a place on another one") func otherOwner() {
        var here = Fixture.snapshot([Fixture.slot(0, "Here", .idle, task: 1)])
        here.layout = KeyLayout(slots: [.act06: .init(.diff), .act07: .init(keycapID: "FUTURE")], analogStick: [:])
        let there = Fixture.snapshot([Fixture.slot(1, "There", .idle, task: 2)])
        let board = Fixture.board([Fixture.view(1, "desk", snapshot: here), Fixture.view(2, "box", snapshot: there)])
        var state = ClientState(board: board, nodes: [])
        state.lowerKeys = LayoutBook().keys(host: board.layout)
        var screen = Fixture.screen(80, 24, state)
        #expect(screen.update(.key(.function(1))) == [.perform(.control(.lowerKey(.act06), .task(Fixture.identity(1))))])
        _ = screen.update(.key(.right))
        #expect(screen.update(.key(.function(1))) == [.keycap(.diff, Fixture.identity(2))])
        #expect(screen.update(.key(.function(2))) == [])
        #expect(screen.text.contains("lives on another one"))
    }

    @Test func followsAndStops() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        #expect(screen.type("f") == [.apply(.follow(first))])
        _ = screen.update(.key(.right))
        #expect(screen.type("f") == [.apply(.follow(nil))], "it is followed already")
    }

    @Test("Context is shown when it is wanted") func contextRings() {
        var state = Fixture.full
        state.follow = nil
        #expect(Fixture.screen(80, 24, state).text.contains("context"))
        state.settings.contextRings = false
        #expect(!Fixture.screen(80, 24, state).text.contains("context"))
    }

    @Test func theBellRingsForSuccessWhenItIsWanted() {
        var state = Fixture.full
        var screen = Fixture.screen(80, 24, state)
        #expect(screen.update(.receipt(ReceiptLine("Done.", .success))) == [])
        state.settings.bell = true
        _ = screen.update(.state(state, now: Fixture.now))
        #expect(screen.update(.receipt(ReceiptLine("Done.", .success))) == [.bell])
        #expect(screen.update(.receipt(ReceiptLine("No.", .failure))) == [])
    }

    @Test("A receipt names what was asked", arguments: [40, 80]) func receiptNamesTheRequest(columns: Int) {
        var screen = Fixture.screen(columns, 24, Fixture.full)
        _ = screen.update(.receipt(ReceiptLine(Fixture.full.receipts[0])))
        #expect(screen.text.contains(" approve Fix the login"))
        #expect(screen.text.contains(": Sending…"))
    }
}

struct ResetLimitTests {
    private let reset = DashboardEffect.perform(.control(.resetLimit, .host(Fixture.hostID(1))))

    private func asked() -> DashboardScreen {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.update(.key(.character("R"), at: 0))
        return screen
    }

    @Test func afterAConfirmation() {
        var screen = asked()
        #expect(screen.text.contains("Spend a credit on atelier?"))
        #expect(screen.type("y") == [reset])
        #expect(screen.type("y") == [])
    }

    @Test("Held for 1.2 s, as keyboards repeat", arguments: [(500, 30), (660, 40), (250, 33)] as [(Int64, Int64)])
    func held(first: Int64, every: Int64) {
        var screen = asked()
        var at = first
        while at < ResetLimitPrompt.hold {
            #expect(screen.update(.key(.character("R"), at: at)) == [])
            at += every
        }
        #expect(screen.update(.key(.character("R"), at: at)) == [reset])
    }

    @Test("Tapped, however often, is not held") func tapped() {
        var screen = asked()
        for at in stride(from: Int64(0), through: 60_000, by: 701) { #expect(screen.update(.key(.character("R"), at: at)) == []) }
        var quick = asked()
        for at: Int64 in [400, 800, 1_200, 1_300] { #expect(quick.update(.key(.character("R"), at: at)) == []) }
    }

    @Test("Every other key sends nothing", arguments: [Key.escape, .enter, .character("n"), .character("r")]) func others(key: Key) {
        var screen = asked()
        #expect(screen.update(.key(key)) == [])
        #expect(screen.resetPrompt == nil)
        #expect(screen.text.contains("Nothing was sent."))
    }

    @Test func notWithoutAnAccountOrACreditOrTheComputer() {
        var none = Fixture.screen(80, 24, .empty)
        #expect(none.type("R") == [] && none.resetPrompt == nil)
        var usage = Fixture.usage
        usage.resetCreditsAvailable = 0
        let view = Fixture.view(1, "desk", snapshot: Fixture.snapshot([], usage: usage))
        var spent = Fixture.screen(80, 24, Fixture.board([view]))
        #expect(spent.type("R") == [] && spent.resetPrompt == nil)
        var away = Fixture.view(1, "desk", snapshot: Fixture.snapshot([], usage: Fixture.usage))
        away.disconnect(.offline(reason: nil))
        var offline = Fixture.screen(80, 24, Fixture.board([away]))
        #expect(offline.type("R") == [] && offline.resetPrompt == nil)
    }
}
