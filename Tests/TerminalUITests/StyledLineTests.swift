import Testing

@testable import TerminalUI

struct StyledLineTests {
    @Test func joinsSpansOfOneStyle() {
        var line = StyledLine("a", .key)
        line.append("b", .key)
        line.append("", .bad)
        line.append("漢")
        #expect(line.spans == [Span("ab", .key), Span("漢")])
        #expect(line.columns == 4)
        #expect(line.text == "ab漢")
    }

    @Test(
        "Cut across spans",
        arguments: [
            (6, "abcdef"), (5, "abcd…"), (4, "abc…"), (3, "ab…"), (1, "…"), (0, ""), (-3, ""),
        ] as [(Int, String)])
    func clips(columns: Int, text: String) {
        let line = StyledLine([Span("abc", .key), Span("def", .bad)])
        #expect(line.clipped(to: columns, .unicode).text == text)
    }

    @Test func aWideCharacterThatDoesNotFitLeavesRoom() {
        let line = StyledLine([Span("漢字漢", .key)])
        #expect(line.clipped(to: 4, .unicode).text == "漢…")
        #expect(line.clipped(to: 5, .unicode).text == "漢字…")
    }

    @Test(
        "Two ends of a row",
        arguments: [
            ("left", "r", 8, "left   r"), ("left", "r", 6, "left r"), ("left", "r", 5, "le… r"), ("left", "right", 6, " right"),
            ("left", "right", 5, "left "), ("left", "", 6, "left  "), ("left", "right", 0, ""),
        ] as [(String, String, Int, String)])
    func spreads(left: String, right: String, columns: Int, text: String) {
        #expect(StyledLine.spread(StyledLine(left), StyledLine(right), columns: columns, .unicode).text == text)
    }
}
