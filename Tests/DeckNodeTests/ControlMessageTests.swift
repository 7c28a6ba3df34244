import JSON
import Testing

@testable import DeckNode

struct ControlMessageTests {
    @Test func requestSurvivesItsLine() throws {
        let request = ControlRequest("open", ["task": .string("a\nb"), "slot": .number(3)])
        let read = try #require(ControlRequest(line: Array(request.line.dropLast())))
        #expect(read.command == "open")
        #expect(read.arguments == request.arguments)
        #expect(request.line.filter { $0 == 0x0a }.count == 1, "a line end inside a value is escaped")
    }

    @Test func repliesSurviveTheirLines() throws {
        for (reply, isSuccess) in [(ControlReply.success(.array([.null])), true), (.failure("No."), false)] {
            let read = try #require(ControlReply(line: Array(reply.line.dropLast())))
            switch read {
            case .success(let value): #expect(isSuccess && value == .array([.null]))
            case .failure(let sentence): #expect(!isSuccess && sentence == "No.")
            }
        }
    }

    @Test(arguments: ["", "{", "[]", "7", #"{"command":7}"#, #"{"arguments":{}}"#])
    func nonsenseIsNoRequest(text: String) { #expect(ControlRequest(line: Array(text.utf8)) == nil) }

    @Test(arguments: [1, 2, 3, 7, 100])
    func chunksNeverChangeTheLines(size: Int) throws {
        let bytes = Array("one\n\ntwo\nthree".utf8)
        var reader = LineReader(limit: 10)
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let chunk = Array(bytes[start..<min(start + size, bytes.count)])
            let read = chunk.withUnsafeBytes { reader.receive($0) }
            lines += try #require(read).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(lines == ["one", "", "two"])
    }

    @Test func aLineWithoutEndIsRefused() {
        var reader = LineReader(limit: 10)
        let first = Array("0123456789".utf8).withUnsafeBytes { reader.receive($0) }
        #expect(first == [])
        let second = Array("x".utf8).withUnsafeBytes { reader.receive($0) }
        #expect(second == nil)
    }
}
