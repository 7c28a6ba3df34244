import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

/// Every view in three sizes, compared with what was looked at.
struct DashboardGoldenTests {
    static let sizes = [(40, 12), (80, 24), (200, 50)]

    /// The name of a view and the keys that lead to it.
    static let views: [(String, [Key])] = [
        ("full", []), ("detail", [.enter]), ("attention", [.character("b")]), ("nodes", [.character("n")]), ("layouts", [.character("l")]),
        ("settings", [.character("s")]), ("hosts", [.character("h")]), ("receipts", [.character("e")]), ("reset", [.character("R")]),
        ("pairing", [.character("n"), .character("p"), .character("x")]), ("replace", [.character("l"), .end, .enter]),
    ]

    @Test("Views", arguments: views, sizes) func looks(view: (String, [Key]), size: (Int, Int)) throws {
        var screen = Fixture.screen(size.0, size.1, Fixture.full)
        for key in view.1 { _ = screen.update(.key(key)) }
        try Golden.check(screen.render(), "\(view.0)-\(size.0)x\(size.1)")
    }

    @Test("A detail of a title that means no good", arguments: sizes) func hostileDetail(columns: Int, rows: Int) throws {
        for (index, name) in ["emoji", "hebrew", "escape"].enumerated() {
            var screen = Fixture.screen(columns, rows, Fixture.many)
            let task = Fixture.identity([3, 4, 12][index])
            _ = screen.update(.show(task))
            try Golden.check(screen.render(), "detail-\(name)-\(columns)x\(rows)")
        }
    }

    @Test("Every view in every size: as many rows as there are, none too wide, and nothing that commands a terminal", arguments: views)
    func everySize(view: (String, [Key])) {
        for glyphs in [GlyphSet.unicode, .ascii] {
            for columns in [0, 1, 39, 40, 41, 59, 60, 70, 80, 120, 200, 300] {
                for rows in [0, 1, 11, 12, 13, 16, 17, 20, 24, 31, 32, 50] {
                    var screen = Fixture.screen(columns, rows, Fixture.full, glyphs: glyphs)
                    for key in view.1 { _ = screen.update(.key(key)) }
                    let lines = screen.render()
                    #expect(lines.count == (columns == 0 ? 0 : rows))
                    for line in lines {
                        #expect(line.columns <= columns, "\(line.text)")
                        let isHarmless = line.text.unicodeScalars.allSatisfy { scalar in
                            scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
                        }
                        #expect(isHarmless, "\(line.text)")
                        if !glyphs.isUnicode { #expect(line.text.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(line.text)") }
                    }
                }
            }
        }
    }
}
