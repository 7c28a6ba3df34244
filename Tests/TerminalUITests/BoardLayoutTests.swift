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

    @Test("What has no key is listed where there are rows left", arguments: [(20, 0), (21, 2), (22, 3), (23, 4), (24, 4), (50, 4)])
    func listsTheRest(rows: Int, shown: Int) {
        #expect(BoardLayout(size: ScreenSize(columns: 80, rows: rows), headerRows: 1, rest: 3).restRows == shown)
        #expect(BoardLayout(size: ScreenSize(columns: 80, rows: rows), headerRows: 1, rest: 0).restRows == 0)
    }
}
