import Testing

@testable import CodexRollouts

struct LineSplitterTests {
    private struct Line: Equatable {
        var text: String
        var offset: Int64
    }

    private func split(_ text: String, chunk: Int, maximum: Int = 10) -> (lines: [Line], splitter: LineSplitter) {
        var splitter = LineSplitter(maximumLength: maximum)
        var lines: [Line] = []
        let bytes = Array(text.utf8)
        var place = 0
        while place < bytes.count {
            let end = min(place + chunk, bytes.count)
            bytes[place..<end].withUnsafeBytes { splitter.feed($0) { lines.append(Line(text: String(decoding: $0, as: UTF8.self), offset: $1)) } }
            place = end
        }
        return (lines, splitter)
    }

    @Test("Chunks never change the lines", arguments: [1, 2, 3, 5, 8, 64])
    func splitsAnyChunking(chunk: Int) {
        let (lines, splitter) = split("one\n\ntwo\r\n0123456789\n01234567890\nsix\nhalf", chunk: chunk)
        #expect(
            lines == [
                Line(text: "one", offset: 0), Line(text: "two\r", offset: 5), Line(text: "0123456789", offset: 10), Line(text: "six", offset: 33),
            ])
        #expect(splitter.skippedLines == 1)
        #expect(splitter.offset == 41)
        #expect(!splitter.isAtLineStart)
        #expect(splitter.hasEndedLine)
    }

    @Test func aLongLineIsCountedOnceWhileItGrows() {
        let (lines, splitter) = split(String(repeating: "x", count: 1000), chunk: 7)
        #expect(lines.isEmpty)
        #expect(splitter.skippedLines == 1)
        #expect(splitter.hasEndedLine)
    }

    @Test func leavesOutTheRestOfALineItBeganInside() {
        var splitter = LineSplitter(offset: 100, isInsideLine: true, maximumLength: 10)
        var lines: [Line] = []
        Array("rest\nnext\n".utf8).withUnsafeBytes { splitter.feed($0) { lines.append(Line(text: String(decoding: $0, as: UTF8.self), offset: $1)) } }
        #expect(lines == [Line(text: "next", offset: 105)])
        #expect(splitter.skippedLines == 0)
    }

    @Test func waitsForTheFirstLine() {
        #expect(!split("", chunk: 1).splitter.hasEndedLine)
        #expect(!split("half", chunk: 1).splitter.hasEndedLine)
        #expect(split("half\n", chunk: 1).splitter.hasEndedLine)
    }

    @Test("The last newline is found at every place", arguments: 0..<40)
    func findsTheLastNewline(place: Int) {
        var bytes = [UInt8](repeating: 0x8a, count: 40)
        bytes[place] = 0x0a
        bytes.withUnsafeBytes {
            #expect(ByteSearch.lastNewline($0, before: 40) == place)
            #expect(ByteSearch.lastNewline($0, before: place + 1) == place)
            #expect(ByteSearch.lastNewline($0, before: place) == nil)
        }
    }

    @Test(arguments: [("abcabc", "abc", 3), ("abc", "abc", nil), ("xaab", "ab", 2), ("x", "abc", nil), ("", "a", nil), ("aaaa", "a", 3)])
    func findsTheLastOccurrence(text: String, needle: String, place: Int?) {
        let found = Array(text.utf8).withUnsafeBytes { ByteSearch.lastOccurrence(of: Array(needle.utf8), afterFirstOf: $0) }
        #expect(found == place)
    }
}
