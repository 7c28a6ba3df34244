import Testing

@testable import TerminalUI

struct CellWidthTests {
    @Test(
        "Columns of scalars",
        arguments: [
            ("a", 1), ("é", 1), ("ß", 1), ("\u{301}", 0), ("\u{20dd}", 0), ("\u{200b}", 0), ("\u{ad}", 1), ("\u{1b}", 0), ("\u{9b}", 0), ("漢", 2),
            ("ｱ", 1), ("Ａ", 2), ("한", 2), ("\u{1160}", 0), ("😀", 2), ("❤", 1), ("\u{fe0f}", 0), ("ש", 1), ("م", 1), ("…", 1), ("█", 1), ("┃", 1),
            ("▶", 1), ("\u{10fffd}", 1), ("\u{3000}", 2), ("\u{3fffd}", 2), ("\u{1100}", 2), ("\u{10ff}", 1), ("\u{115f}", 2),
        ] as [(String, Int)])
    func countsAsTheTerminalDoes(text: String, columns: Int) {
        #expect(CellWidth.columns(text) == columns)
    }

    @Test func addsUp() {
        #expect(CellWidth.columns("a漢e\u{301}😀") == 6)
        #expect(CellWidth.columns("") == 0)
        #expect(CellWidth.columns(Character("e\u{301}\u{323}")) == 1)
    }

    @Test("All ornaments take one column", arguments: [GlyphSet.unicode, .ascii])
    func ornamentsAreNarrow(glyphs: GlyphSet) {
        let corners = [glyphs.corners, glyphs.focusCorners].flatMap {
            [$0.topLeft, $0.topRight, $0.bottomLeft, $0.bottomRight, $0.horizontal, $0.vertical]
        }
        for glyph in corners + [glyphs.ellipsis, glyphs.meterFull, glyphs.meterRest, glyphs.pointer] {
            #expect(CellWidth.columns(glyph) == 1)
            #expect(glyphs.isUnicode || glyph.isASCII)
        }
    }
}
