import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

struct DashboardViewsTests {
    @Test("Help lists every key, scrolled where it must", arguments: [(40, 12), (79, 24), (80, 24), (40, 14), (80, 12), (200, 50)])
    func helpIsComplete(columns: Int, rows: Int) {
        var screen = Fixture.screen(columns, rows)
        _ = screen.type("?")
        var seen = screen.text
        for _ in 0..<40 {
            _ = screen.update(.key(.down))
            seen += screen.text
        }
        for entry in HelpView.entries { #expect(seen.contains(" \(entry.name) ") && seen.contains(entry.meaning), "\(entry.name)") }
        let bottom = screen.text
        #expect(bottom.contains(" ?  "), "the last entry is in sight")
        _ = screen.update(.key(.pageDown))
        #expect(screen.text == bottom)
        _ = screen.update(.key(.home))
        #expect(screen.text.contains("1-6"))
        _ = screen.update(.key(.end))
        #expect(screen.text == bottom)
    }

    @Test("An entry of help fits into the smallest screen", arguments: HelpView.entries.map(\.meaning)) func shortHelp(meaning: String) {
        #expect(meaning.count <= DashboardScreen.minimum.columns - 14)
    }

    @Test("Any other key leaves help and does nothing else", arguments: [Key.escape, .enter, .character("q"), .character("?"), .character("1")])
    func leavesHelp(key: Key) {
        var screen = Fixture.screen(80, 24)
        let board = screen.render()
        _ = screen.type("?")
        #expect(screen.render() != board)
        #expect(screen.update(.key(key)) == [])
        #expect(screen.render() == board)
    }

    @Test("All thirty keycaps can be reached and sent", arguments: [40, 80, 200]) func sendsEveryKeycap(columns: Int) {
        for (index, keycap) in Keycap.allCases.enumerated() {
            var screen = Fixture.screen(columns, 24)
            _ = screen.type("k")
            for _ in 0..<index { _ = screen.update(.key(.right)) }
            #expect(screen.text.contains("▶\(keycap.rawValue)"))
            let effects = screen.update(.key(.enter))
            switch keycap {
            case .approve, .reject:
                #expect(effects == [], "these two are asked for first")
                #expect(screen.prompt?.task == Fixture.identity(1))
            default: #expect(effects == [.keycap(keycap, Fixture.identity(1))])
            }
        }
    }

    @Test("The choice leaves the grid over no edge") func keycapGrid() {
        var screen = Fixture.screen(40, 12)
        _ = screen.type("k")
        for key in [Key.left, .up] { _ = screen.update(.key(key)) }
        #expect(screen.view == .keycaps(chosen: 0))
        _ = screen.update(.key(.end))
        for key in [Key.right, .down] { _ = screen.update(.key(key)) }
        #expect(screen.view == .keycaps(chosen: 29))
        _ = screen.update(.key(.up))
        #expect(screen.view == .keycaps(chosen: 24))
        #expect(screen.update(.key(.escape)) == [])
        #expect(screen.view == .board)
    }

    @Test(
        "Receipts",
        arguments: [
            (ReceiptLine.Kind.progress, TextStyle.faint), (.success, .good), (.warning, .warning), (.failure, .bad),
        ] as [(ReceiptLine.Kind, TextStyle)])
    func showsReceipts(kind: ReceiptLine.Kind, style: TextStyle) {
        var screen = Fixture.screen(80, 24)
        _ = screen.update(.receipt(ReceiptLine("Sen\u{1b}[2Jt\nnow.", kind)))
        #expect(screen.render()[21] == StyledLine(" Sen[2Jt now.", style))
        _ = screen.update(.key(.escape))
        #expect(screen.render()[21] == StyledLine())
    }

    @Test func aReceiptDoesNotHideTheQuestion() {
        var screen = Fixture.screen(80, 24)
        _ = screen.type("a")
        _ = screen.update(.receipt(ReceiptLine("The task is open.", .success)))
        #expect(screen.text.contains("y/n"))
    }

    @Test("What keeps a computer away is said until a command has something to say") func trouble() {
        var screen = Fixture.screen(80, 24, nil)
        let node = Fixture.node(1, "desk", health: .rePairRequired(reason: "its certificate changed"), host: nil)
        _ = screen.update(.state(ClientState(board: .empty, nodes: [node]), now: Fixture.now))
        #expect(screen.text.contains("? desk re-pair required"))
        #expect(screen.text.contains("desk: re-pair required, its certificate changed"))
        _ = screen.update(.receipt(ReceiptLine("Sending", .progress)))
        #expect(!screen.text.contains("its certificate changed"))
    }
}

struct HeaderTests {
    private static let healths: [HostHealth] = [
        .ready, .connecting, .degraded(reason: "slow"), .offline(reason: nil), .rePairRequired(reason: "changed"),
    ]

    private func lines(_ count: Int, _ columns: Int, _ rows: Int) -> [StyledLine] {
        let nodes = (0..<count).map { NodeSummary(name: "node-\($0)", badge: .linux, health: Self.healths[$0 % 5]) }
        return HeaderView(nodes: nodes, isConnecting: false, waiting: 12, glyphs: .unicode).lines(ScreenSize(columns: columns, rows: rows))
    }

    @Test("Every health has its word", arguments: [80, 100, 200]) func namesHealth(columns: Int) {
        let text = lines(5, columns, 24).map(\.text).joined(separator: "\n")
        for (index, health) in Self.healths.enumerated() { #expect(text.contains("L node-\(index) \(health.word)")) }
        #expect(text.contains("12 waiting"))
    }

    @Test("Many nodes are counted where they have no room", arguments: [(6, 40, 12), (40, 80, 24), (100, 200, 50)])
    func counts(count: Int, columns: Int, rows: Int) {
        let lines = lines(count, columns, rows)
        #expect(lines.count == 1)
        #expect(lines[0].text.contains(" \((count + 4) / 5) of \(count) ready"))
        #expect(lines[0].text.hasSuffix("12 waiting "))
    }

    @Test("A long name leaves the health in sight", arguments: [40, 60]) func longName(columns: Int) {
        let node = NodeSummary(name: String(repeating: "漢字", count: 60), badge: .mac, health: .offline(reason: nil))
        let lines = HeaderView(nodes: [node], isConnecting: false, waiting: 0, glyphs: .unicode).lines(ScreenSize(columns: columns, rows: 12))
        #expect(lines.count == 1)
        #expect(lines[0].text.contains("… offline"))
        #expect(lines[0].columns <= columns)
    }
}
