import Testing

@testable import TerminalUI

struct CellTextTests {
    @Test(
        "What must not reach a terminal goes",
        arguments: [
            ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"), ("a\u{9b}2Jb", "a2Jb"), ("\u{1b}]52;c;aGk=\u{07}x", "]52;c;aGk=x"), ("a\nb\r\n\tc", "a b c"),
            ("a\u{202e}b\u{2066}c", "abc"), ("\u{0}\u{7f}", ""), ("a\u{2028}b", "a b"), ("\u{1b}P0;1|17/ab\u{1b}\\", "P0;1|17/ab\\"),
        ])
    func dropsControls(text: String, clean: String) {
        #expect(CellText.clean(text, .unicode) == clean)
    }

    @Test(
        "What terminals count differently becomes what they count alike",
        arguments: [
            ("🇩🇪", "DE"), ("❤\u{fe0f}", "❤"), ("👍🏽", "👍"), ("👩‍👩‍👧", "👩👩👧"), ("\u{301}a", "a"), ("1\u{fe0f}\u{20e3}", "1\u{20e3}"),
            ("e\u{301}", "e\u{301}"),
        ])
    func makesWidthsCertain(text: String, clean: String) {
        let result = CellText.clean(text, .unicode)
        #expect(Array(result.unicodeScalars) == Array(clean.unicodeScalars))
    }

    @Test("Without Unicode only ASCII is left", arguments: [("漢字 a", "?? a"), ("e\u{301}t\u{e9}", "?t?"), ("a…b–c “d”", "a...b-c \"d\""), ("😀", "?")])
    func fallsBackToASCII(text: String, clean: String) {
        #expect(CellText.clean(text, .ascii) == clean)
    }

    @Test(
        "Cut by columns, between characters",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 0, ""), ("abc", -1, ""), ("abc", 1, "…"), ("", 0, ""), ("漢字", 4, "漢字"), ("漢字", 3, "漢…"),
            ("漢字", 2, "…"), ("漢", 1, "…"), ("漢", 2, "漢"), ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"), ("e\u{301}e\u{301}e", 2, "e\u{301}…"),
            ("שלום", 3, "של…"),
        ] as [(String, Int, String)])
    func clips(text: String, columns: Int, clipped: String) {
        let result = CellText.clipped(text, to: columns, .unicode)
        #expect(result == clipped)
        #expect(CellWidth.columns(result) <= max(columns, 0))
    }

    @Test func boundsWhatItReads() {
        let long = String(repeating: "x", count: 1_000_000)
        #expect(CellText.clean(long, .unicode).count <= 500)
    }
}

struct WrappedTextTests {
    @Test(
        "Broken at blanks, else inside words, never inside a character",
        arguments: [
            ("", 5, [""]), ("one two", 7, ["one two"]), ("one two", 6, ["one", "two"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
            ("漢字漢字", 5, ["漢字", "漢字"]), ("漢", 1, ["漢"]), ("a bcdefg h", 4, ["a", "bcde", "fg h"]), ("one", 0, ["o", "n", "e"]),
        ] as [(String, Int, [String])])
    func wraps(text: String, columns: Int, rows: [String]) { #expect(CellText.wrapped(text, to: columns) == rows) }
}
