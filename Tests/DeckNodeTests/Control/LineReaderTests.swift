import Testing

@testable import DeckNode

struct LineReaderTests {
    private func feed(_ reader: inout LineReader, _ text: String) -> [String]? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { reader.receive($0) }?.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aLongLineInPiecesIsWhole() {
        var reader = LineReader(limit: 100_000)
        var lines: [String] = []
        for _ in 0..<100 { lines += feed(&reader, String(repeating: "x", count: 1_000)) ?? ["refused"] }
        lines += feed(&reader, "\nnext") ?? ["refused"]
        #expect(lines == [String(repeating: "x", count: 100_000)])
        let rest = feed(&reader, "\n")
        #expect(rest == ["next"])
    }

    @Test func theLimitCountsForEachLine() {
        var reader = LineReader(limit: 3)
        let good = feed(&reader, "abc\nabc\nabc\n")
        #expect(good == ["abc", "abc", "abc"])
        let bad = feed(&reader, "ab\nabcd\n")
        #expect(bad == nil)
    }

    @Test func aLineEndAtTheStartOfAPieceEndsTheLineBefore() {
        var reader = LineReader(limit: 10)
        let parts = ["a", "\n", "\n", "b", "\nc\n"].map { feed(&reader, $0) }
        #expect(parts == [[], ["a"], [""], [], ["b", "c"]])
    }
}
