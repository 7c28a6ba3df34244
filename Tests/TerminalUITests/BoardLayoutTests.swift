import Testing

@testable import TerminalUI

struct BoardLayoutTests {
    @Test(
        "Cards take the form there is room for",
        arguments: [
            (40, 12, BoardLayout.Card.line, 1), (40, 16, .line, 1), (40, 17, .pair, 1), (40, 28, .pair, 1), (40, 29, .framed, 1), (69, 24, .pair, 1),
            (70, 16, .line, 1), (70, 17, .framed, 2), (119, 24, .framed, 2), (120, 12, .line, 1), (120, 13, .framed, 3), (300, 100, .framed, 3),
        ] as [(Int, Int, BoardLayout.Card, Int)])
    func fits(columns: Int, rows: Int, card: BoardLayout.Card, across: Int) {
        let layout = BoardLayout(size: ScreenSize(columns: columns, rows: rows), headerRows: 1, rest: 0)
        #expect(layout.card == card)
        #expect(layout.columns == across)
        #expect(layout.restRows == 0)
    }

    @Test("What has no key is listed where there are rows left", arguments: [(17, 0), (19, 0), (20, 0), (22, 0), (23, 2), (24, 3), (50, 4)])
    func listsTheRest(rows: Int, shown: Int) {
        #expect(BoardLayout(size: ScreenSize(columns: 80, rows: rows), headerRows: 1, rest: 3).restRows == shown)
        #expect(BoardLayout(size: ScreenSize(columns: 80, rows: rows), headerRows: 1, rest: 0).restRows == 0)
    }
}

struct BoardFootTests {
    @Test(
        "Controls take the form there is room for, after the cards",
        arguments: [
            (40, 12, BoardLayout.Foot.compact), (80, 19, .compact), (80, 20, .normal), (80, 31, .normal), (80, 32, .large), (200, 50, .large),
            (59, 60, .normal),
        ] as [(Int, Int, BoardLayout.Foot)])
    func fits(columns: Int, rows: Int, foot: BoardLayout.Foot) {
        #expect(BoardLayout(size: ScreenSize(columns: columns, rows: rows), headerRows: 1, rest: 0).foot == foot)
    }
}
