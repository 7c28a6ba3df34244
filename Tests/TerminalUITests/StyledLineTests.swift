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

struct ClickTargetTests {
    @Test(
        "A column belongs to the piece that covers it",
        arguments: [(-1, nil), (0, 1), (1, 1), (2, nil), (3, 2), (4, 2), (5, nil), (99, nil)] as [(Int, Int?)])
    func finds(column: Int, row: Int?) {
        let line = StyledLine([Span("漢", .plain, .row(1)), Span(" "), Span("ab", .key, .row(2))])
        #expect(line.target(at: column) == row.map(ClickTarget.row))
    }

    @Test func survivesCuttingAndJoining() {
        let line = StyledLine([Span("one ", .plain, .card(1)), Span("two", .plain)]).clickable(.card(2))
        #expect(line.target(at: 0) == .card(1) && line.target(at: 4) == .card(2))
        let cut = line.clipped(to: 6, .unicode)
        #expect(cut.target(at: 5) == .card(2) && cut.columns == 6)
        let spread = StyledLine.spread(line, StyledLine("x", .key, .card(3)), columns: 20, .unicode)
        #expect(spread.target(at: 19) == .card(3) && spread.target(at: 12) == nil)
    }
}
