import Testing

@testable import CommandLineKit

struct TableTests {
    private let columns: [Table.Column] = [.init("NO", alignment: .right), .init("TITLE", isFlexible: true), .init("STATE")]

    @Test func alignsColumns() {
        let table = Table(columns, rows: [["1", "Short", "idle"], ["12", "A longer title", "working"]])
        #expect(table.render() == ["NO  TITLE           STATE", " 1  Short           idle", "12  A longer title  working"])
    }

    @Test func missingCellsAreEmptyAndFurtherOnesAreNotShown() {
        #expect(Table(columns, rows: [[], ["1"], ["1", "a", "b", "c"]]).render() == ["NO  TITLE  STATE", "", " 1", " 1  a      b"])
        #expect(Table([], rows: [["x"]]).render() == ["", ""])
    }

    @Test(arguments: [20, 24, 30, 33, 60])
    func flexibleColumnsGiveWay(width: Int) {
        let lines = Table(columns, rows: [["1", String(repeating: "long title ", count: 3), "idle"]]).render(width: width)
        for line in lines { #expect(TextWidth.columns(line) <= width) }
        #expect(lines[1].hasSuffix("idle"))
        #expect(lines[1].contains("…") == (width < 48))
    }

    @Test func nothingGivesWayBelowEightColumns() {
        let lines = Table(columns, rows: [["1", "a title of some length", "idle"]]).render(width: 5)
        #expect(lines == ["NO  TITLE     STATE", " 1  a title…  idle"])
    }

    @Test func twoFlexibleColumnsEndAlike() {
        let table = Table(
            [.init("A", isFlexible: true), .init("B", isFlexible: true)],
            rows: [[String(repeating: "a", count: 50), String(repeating: "b", count: 30)]])
        let line = table.render(width: 42)[1]
        #expect(line == String(repeating: "a", count: 19) + "…  " + String(repeating: "b", count: 19) + "…")
    }

    @Test func wideCharactersKeepColumnsTogether() {
        let table = Table(columns, rows: [["1", "修正標題", "idle"], ["2", "👍🏽 ok", "idle"], ["3", "e\u{301}", "idle"]])
        #expect(table.render() == ["NO  TITLE     STATE", " 1  修正標題  idle", " 2  👍🏽 ok     idle", " 3  e\u{301}         idle"])
    }

    @Test func cellsCannotCommandTheTerminal() {
        let lines = Table(columns, rows: [["1", "a\u{1B}]52;c;x\u{7}b\nc\u{9B}d\u{202E}e", "i\tdle"]]).render()
        #expect(lines[1] == " 1  a?]52;c;x?b c?d?e  i dle")
    }

    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("標", 2), ("한", 2), ("ﾊ", 1), ("Ａ", 2), ("👍", 2),
        ("👍🏽", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤", 1),
        ("❤️", 2),
        ("\u{301}", 0), ("\u{200B}", 0), ("→", 1), ("…", 1), ("█", 1), ("⏰", 2), ("1️⃣", 2), ("𠀀", 2),
    ])
    func measuresText(text: String, expected: Int) { #expect(TextWidth.columns(text) == expected) }

    @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("標題字", 5, "標題…"), ("標題字", 4, "標…"), ("", 0, "")])
    func cutsAtCharacters(text: String, width: Int, expected: String) { #expect(TextWidth.truncated(text, to: width) == expected) }
}
