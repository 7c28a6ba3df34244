import Testing

@testable import WebSocket

struct HTTPHeadParserTests {
    private static func parse(_ bytes: [UInt8], chunk: Int, maxBytes: Int = 8192, maxFields: Int = 64) throws(HTTPHeadViolation) -> HTTPHead? {
        var parser = HTTPHeadParser(maxBytes: maxBytes, maxFields: maxFields)
        for piece in bytes.chunks(of: chunk) {
            parser.receive(piece)
            if let head = try parser.nextHead() { return head }
        }
        return nil
    }

    @Test("Reads lines in any pieces", arguments: [1, 2, 5, 1000])
    func readsLines(chunk: Int) throws {
        let head = try Self.parse(Array("START line\r\nA:1\r\nb-C: \t x y\t \r\nD:\r\na: 2\r\n\r\nrest".utf8), chunk: chunk)
        #expect(head?.startLine == "START line")
        #expect(
            head?.fields == [
                .init(name: "a", value: "1"), .init(name: "b-c", value: "x y"), .init(name: "d", value: ""), .init(name: "a", value: "2"),
            ])
        #expect(head?.values(of: "a") == ["1", "2"])
    }

    @Test(
        "Broken lines are refused at the byte that breaks them",
        arguments: [
            ("X\n", .bareLineFeed), ("X\r\nA: 1\n", .bareLineFeed), ("X\rY", .bareCarriageReturn), ("X\r\r", .bareCarriageReturn),
            ("X\r\nA: 1\r\n\rB", .bareCarriageReturn), ("\0", .controlCharacter(0)), ("X\r\nA: \0", .controlCharacter(0)),
            ("\u{16}", .controlCharacter(0x16)),
            ("X\r\nA: \u{7F}", .controlCharacter(0x7F)), ("X\r\nA: \u{1B}", .controlCharacter(0x1B)), ("X\r\n\u{B}", .controlCharacter(0x0B)),
            ("\r\n", .malformedStartLine), ("X\r\n A: 1\r\n", .foldedField), ("X\r\nA: 1\r\n\tfolded\r\n", .foldedField),
            ("X\r\nA\r\n", .malformedField),
            ("X\r\n: 1\r\n", .malformedField), ("X\r\nA : 1\r\n", .malformedField), ("X\r\nA b: 1\r\n", .malformedField),
            ("X\r\nÄ: 1\r\n", .malformedField),
            ("X\r\n(A): 1\r\n", .malformedField),
        ] as [(String, HTTPHeadViolation)])
    func refusesBrokenLines(text: String, violation: HTTPHeadViolation) throws {
        let bytes = Array(text.utf8)
        for chunk in [1, 1000] {
            #expect(throws: violation) { try Self.parse(bytes + Array("more\r\n\r\n".utf8), chunk: chunk) }
            #expect(throws: violation) { try Self.parse(bytes, chunk: chunk) }
        }
        #expect(try Self.parse(Array(bytes.dropLast()), chunk: 1) == nil)
    }

    @Test("The limit counts the empty line, in any pieces", arguments: [1, 13, 10_000])
    func limitsBytes(chunk: Int) throws {
        let head = Array("X\r\nA: \(String(repeating: "a", count: 50))\r\n\r\n".utf8)
        #expect(try Self.parse(head + [1, 2, 3], chunk: chunk, maxBytes: head.count) != nil)
        #expect(throws: HTTPHeadViolation.tooLong) { try Self.parse(head, chunk: chunk, maxBytes: head.count - 1) }
        #expect(throws: HTTPHeadViolation.tooLong) { try Self.parse([UInt8](repeating: 0x41, count: 8192), chunk: chunk) }
        #expect(try Self.parse([UInt8](repeating: 0x41, count: 8191), chunk: chunk) == nil)
    }

    @Test func limitsLines() throws {
        let lines = (0..<65).map { "X\($0): 1\r\n" }
        #expect(try Self.parse(Array(("X\r\n" + lines.prefix(64).joined() + "\r\n").utf8), chunk: 1000)?.fields.count == 64)
        #expect(throws: HTTPHeadViolation.tooManyFields) { try Self.parse(Array(("X\r\n" + lines.joined()).utf8), chunk: 1000) }
    }

    @Test func staysFailedAndKeepsNothing() {
        var parser = HTTPHeadParser(maxBytes: 100, maxFields: 5)
        parser.receive([0])
        for _ in 0..<2 {
            #expect(throws: HTTPHeadViolation.controlCharacter(0)) { try parser.nextHead() }
            parser.receive(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            #expect(parser.takeLeftover() == [])
        }
    }

    @Test func lowersASCIIOnly() {
        #expect(HTTPHead.lowercased("@AZ[`az{\u{212A}\u{C4}".utf8) == "@az[`az{\u{212A}\u{C4}")
    }

    @Test func findsTokensInLists() {
        let head = HTTPHead(startLine: "", fields: [.init(name: "c", value: "one , TWO"), .init(name: "c", value: "three")])
        #expect(["one", "two", "three"].allSatisfy { head.list("c", contains: $0) })
        #expect(!["on", "one , two", "", "four"].contains { head.list("c", contains: $0) })
    }
}
