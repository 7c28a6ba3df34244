import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

struct DashboardRowsTests {
    static let sizes = [(40, 12), (80, 24), (200, 50)]

    @Test("One computer, a task in every state", arguments: sizes) func oneComputer(columns: Int, rows: Int) throws {
        try Golden.check(Fixture.screen(columns, rows, Fixture.one).render(), "one-\(columns)x\(rows)")
    }

    @Test("Three computers and titles that mean no good", arguments: sizes) func manyComputers(columns: Int, rows: Int) throws {
        try Golden.check(Fixture.screen(columns, rows, Fixture.many).render(), "many-\(columns)x\(rows)")
    }

    @Test("Without Unicode", arguments: sizes) func ascii(columns: Int, rows: Int) throws {
        let lines = Fixture.screen(columns, rows, Fixture.many, glyphs: .ascii).render()
        #expect(lines.allSatisfy { $0.text.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
        try Golden.check(lines, "ascii-\(columns)x\(rows)")
    }

    @Test("Help, keycaps and the question", arguments: sizes) func otherViews(columns: Int, rows: Int) throws {
        var help = Fixture.screen(columns, rows)
        _ = help.type("?")
        try Golden.check(help.render(), "help-\(columns)x\(rows)")
        var keycaps = Fixture.screen(columns, rows)
        _ = keycaps.type("k")
        _ = keycaps.update(.key(.right))
        try Golden.check(keycaps.render(), "keycaps-\(columns)x\(rows)")
        var question = Fixture.screen(columns, rows)
        _ = question.type("a")
        try Golden.check(question.render(), "question-\(columns)x\(rows)")
    }

    @Test("Nothing is paired or heard yet") func beginnings() throws {
        try Golden.check(Fixture.screen(80, 24, nil).render(), "connecting-80x24")
        var screen = Fixture.screen(80, 24, .empty)
        _ = screen.update(.key(.escape))
        try Golden.check(screen.render(), "empty-80x24")
    }

    @Test("Whoever comes for the first time is shown how it begins", arguments: sizes) func welcome(columns: Int, rows: Int) throws {
        try Golden.check(Fixture.screen(columns, rows, .empty).render(), "welcome-\(columns)x\(rows)")
    }

    @Test("Every size: as many rows as there are, none too wide, and nothing that commands a terminal", arguments: [GlyphSet.unicode, .ascii])
    func everySize(glyphs: GlyphSet) {
        for board in [Board.empty, Fixture.one, Fixture.many] {
            for columns in Array(0...8) + [39, 40, 41, 59, 60, 69, 70, 71, 80, 119, 120, 121, 200, 300] {
                for rows in Array(0...31) + [50, 100] {
                    for keys in ["", "?", "k", "a"] {
                        var screen = Fixture.screen(columns, rows, board, glyphs: glyphs)
                        _ = screen.type(keys)
                        check(screen.render(), columns, rows)
                    }
                }
            }
        }
    }

    private func check(_ lines: [StyledLine], _ columns: Int, _ rows: Int) {
        #expect(lines.count == (columns == 0 ? 0 : rows))
        for line in lines {
            #expect(line.columns <= columns)
            #expect(line.columns == CellWidth.columns(line.text))
            let isHarmless = line.text.unicodeScalars.allSatisfy { scalar in
                scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
            }
            #expect(isHarmless, "\(line.text)")
        }
    }

    @Test("The smallest size shows all that matters") func smallest() {
        let text = Fixture.screen(40, 12).text
        let states = ["1 approve?", "2 working", "3 done", "4 error", "5 idle", "6 no task"]
        for word in states + ["atelier", "ready", "5 hours", "Weekly", "96 %", "? help", "q quit"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test("One cell less is said to be too small", arguments: [(39, 12), (40, 11), (1, 1), (200, 3)]) func tooSmall(columns: Int, rows: Int) {
        let lines = Fixture.screen(columns, rows).render()
        #expect(lines.count == rows)
        #expect("Too small: 40 x 12 cells are needed.".hasPrefix(lines[0].text.replacing("…", with: "")))
        #expect(lines.dropFirst().allSatisfy { $0.columns == 0 })
    }

    @Test("A right-to-left title is kept apart from what stands beside it") func rightToLeft() {
        for line in Fixture.screen(80, 24, Fixture.many).render() where line.text.contains("مرحبا") {
            let before = line.text.prefix { $0 != "م" }
            #expect(before.hasSuffix("│ M "))
        }
        #expect(Fixture.screen(80, 24, Fixture.many).text.contains("M مرحبا"))
    }

    @Test("A window nobody told of is not zero") func missingUsage() {
        let text = Fixture.screen(80, 24, Fixture.many).text
        #expect(text.contains("5 hours  not known"))
        #expect(!text.contains(" 0 %"))
    }

    @Test("A reset that passed since the merge makes the number old") func staleUsage() {
        let later = Fixture.now.advanced(byMilliseconds: 131 * Fixture.minute)
        var screen = Fixture.screen(80, 24)
        #expect(screen.text.contains("62 % used, resets 12:10 (in 2 h)"))
        _ = screen.update(.clock(later))
        #expect(screen.text.contains("62 % before its reset"))
        #expect(!screen.text.contains("62 % used"))
    }
}
