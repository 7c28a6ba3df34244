import ServerSentEvents
import Testing

struct ServerSentEventParserTests {
    private static func events(_ text: String, size: Int = .max, limit: Int = 1 << 20) throws -> [ServerSentEvent] {
        try events(Array(text.utf8), size: size, limit: limit)
    }

    private static func events(_ bytes: [UInt8], size: Int, limit: Int = 1 << 20) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser(maximumLength: limit)
        var events: [ServerSentEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            parser.receive(rest.prefix(size))
            rest = rest.dropFirst(size)
            while let event = try parser.nextEvent() { events.append(event) }
        }
        return events
    }

    private static func event(_ data: String, type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: Array(data.utf8), lastEventID: id)
    }

    /// Everything at once: a mark, all line ends, comments, an unknown field, fields without colon, spaces, several lines of data.
    private static let stream =
        "\u{FEFF}: hello\r\n\r\ndata: one\n\nevent: x\rdata:two\rdata: three\r\rid: 7\r\ndata:  four \r\n\r\nfoo: bar\n:\n\ndata\n\n"
        + "data\ndata\n\nevent: gone\n\ndata: last\nid\n\n"
    private static let parsed = [
        event("one"), event("two\nthree", type: "x"), event(" four ", id: "7"), event("", id: "7"), event("\n", id: "7"), event("last"),
    ]

    @Test("The cut of the stream never changes its events", arguments: [1, 2, 3, 5, 16, 4096])
    func cuts(size: Int) throws {
        #expect(try Self.events(Self.stream, size: size) == Self.parsed)
    }

    @Test func everySingleCutInTwoGivesTheSame() throws {
        let bytes = Array(Self.stream.utf8)
        for cut in 0...bytes.count {
            var parser = ServerSentEventParser()
            var events: [ServerSentEvent] = []
            for part in [bytes[..<cut], bytes[cut...]] {
                parser.receive(part)
                while let event = try parser.nextEvent() { events.append(event) }
            }
            #expect(events == Self.parsed, "cut at \(cut)")
        }
    }

    @Test(
        "The standard's examples",
        arguments: [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
                [event("first event", id: "1"), event("second event")]
            ),
            ("data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
            ("data:test\n\ndata: test\n\n", [event("test"), event("test")]),
        ])
    func standard(text: String, expected: [ServerSentEvent]) throws {
        #expect(try Self.events(text) == expected)
    }

    @Test(
        "A carriage return ends a line at once; a line feed after it counts once",
        arguments: [
            ("data: a\r\n\r\n", 1), ("data: a\r\r", 1), ("data: a\n\r\n", 1), ("data: a\r\n\r", 1), ("data: a\r\n", 0), ("data: a\r", 0),
        ])
    func lineEnds(text: String, count: Int) throws {
        #expect(try Self.events(text).count == count)
        #expect(try Self.events(text, size: 1).count == count)
    }

    @Test func onlyTheFirstMarkIsSkipped() throws {
        #expect(try Self.events("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n") == [Self.event("a")])
        #expect(try Self.events([0xEF, 0xBB] + Array("data: a\n\ndata: b\n\n".utf8), size: 1) == [Self.event("b")])
    }

    @Test func anIdWithNulIsIgnored() throws {
        #expect(try Self.events("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n").map(\.lastEventID) == ["1", "1"])
    }

    @Test(
        "Only decimal digits set the reconnection time",
        arguments: [
            ("retry: 250\n", 250), ("retry: -1\n", nil), ("retry: 1.5\n", nil), ("retry\n", nil), ("retry: 99999999999999999999\n", nil),
        ] as [(String, Int?)])
    func retry(text: String, expected: Int?) throws {
        var parser = ServerSentEventParser()
        parser.receive(text.utf8)
        #expect(try parser.nextEvent() == nil)
        #expect(parser.reconnectionTime == expected)
    }

    @Test func whatIsNotUTF8IsRepairedInTextAndKeptInData() throws {
        let event = try #require(try Self.events(Array("data: ".utf8) + [0xFF, 0x41, 0x0A, 0x0A], size: 1).first)
        #expect(event.data == [0xFF, 0x41])
        #expect(event.text == "\u{FFFD}A")
    }

    @Test("The unfinished event at the end is given only when asked for", arguments: ["data: a\n", "data: a", "data: a\r", "data: a\r\n"])
    func unfinished(text: String) throws {
        var parser = ServerSentEventParser()
        parser.receive(text.utf8)
        #expect(try parser.nextEvent() == nil)
        #expect(parser.unfinishedEvent() == Self.event("a"))
        #expect(parser.unfinishedEvent() == nil)
    }

    @Test func nothingUnfinishedAfterAWholeEvent() throws {
        var parser = ServerSentEventParser()
        parser.receive("data: a\n\n: bye".utf8)
        #expect(try parser.nextEvent() != nil)
        #expect(try parser.nextEvent() == nil)
        #expect(parser.unfinishedEvent() == nil)
    }

    @Test("Lines and events are bounded, exactly", arguments: [1, 64, .max])
    func bounds(size: Int) throws {
        let limit = 32
        let fits = "data: " + String(repeating: "x", count: limit - 6) + "\n\n"
        #expect(try Self.events(fits, size: size, limit: limit).count == 1)
        for text in [
            "data: " + String(repeating: "x", count: limit - 5) + "\n\n", ":" + String(repeating: "c", count: limit),
            String(repeating: "data: 123456\n", count: 6),
        ] {
            #expect(throws: ServerSentEventError.tooLarge(limit: limit)) { try Self.events(text, size: size, limit: limit) }
        }
    }

    @Test func anErrorIsFinalAndGoodEventsBeforeItAreKept() throws {
        var parser = ServerSentEventParser(maximumLength: 10)
        parser.receive("data: a\n\n01234567890".utf8)
        #expect(try parser.nextEvent() == Self.event("a"))
        for _ in 0..<2 {
            #expect(throws: ServerSentEventError.tooLarge(limit: 10)) { try parser.nextEvent() }
            parser.receive("\n\ndata: b\n\n".utf8)
        }
        #expect(parser.unfinishedEvent() == nil)
    }

    @Test func tenThousandEventsInOnePieceAreLinear() throws {
        let text = String(repeating: "event: response.output_text.delta\ndata: {\"delta\":\"hello\"}\n\n", count: 10_000)
        #expect(try Self.events(text).count == 10_000)
        #expect(try Self.events("data: " + String(repeating: "y", count: 500_000) + "\n\n", size: 100).count == 1)
    }

    @Test func randomBytesNeverTrap() throws {
        var random = SystemRandomNumberGenerator()
        let alphabet: [UInt8] = Array("data:event id\r\n\n\r:retry0\0".utf8) + [0xEF, 0xBB, 0xBF, 0xFF]
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let whole = try Self.events(bytes, size: .max)
            let single = try Self.events(bytes, size: 1)
            #expect(whole == single, "\(bytes)")
        }
    }
}
