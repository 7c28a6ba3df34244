import Testing

@testable import DeckNode

struct AnswerTextTests {
    @Test func everyControlCharacterGoesButLineEndsAndTabs() {
        var all = String.UnicodeScalarView()
        for value in UInt32(0)..<0xa0 { if let scalar = Unicode.Scalar(value) { all.append(scalar) } }
        var text = AnswerText(forTerminal: false)
        let piece = text.piece(String(all))
        var expected = "\t\n"
        for value in UInt32(0x20)..<0x7f { if let scalar = Unicode.Scalar(value) { expected.unicodeScalars.append(scalar) } }
        #expect(Array(piece.unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test(arguments: [true, false])
    func directionsAreKeptForPrograms(forTerminal: Bool) {
        var text = AnswerText(forTerminal: forTerminal)
        let piece = text.piece("a\u{202e}b\u{2066}c")
        #expect(Array(piece.unicodeScalars).count == (forTerminal ? 3 : 5))
    }

    @Test func sequencesThatComeInPiecesDoNoHarm() {
        var text = AnswerText(forTerminal: true)
        let pieces = ["a\u{1B}", "[2J", "\u{c2}", "b"].map { text.piece($0) }
        #expect(pieces == ["a", "[2J", "\u{c2}", "b"])
    }

    @Test func aLineIsEndedOnce() {
        var text = AnswerText(forTerminal: true)
        #expect(text.isInLine == false)
        _ = text.piece("a")
        _ = text.piece("")
        let first = text.endLine(), second = text.endLine()
        #expect(first == "\n")
        #expect(second == "")
        _ = text.piece("b\n")
        let third = text.endLine()
        #expect(third == "")
    }
}
