import RelayProtocol
import Testing

@testable import DeckClient

struct EngineMessageTests {
    @Test(arguments: [
        EngineRequest.subscribe(shows: true), .subscribe(shows: false), .perform(.open(Lab.task(1))), .interrupt, .settle(milliseconds: 5000),
        .change(.mark([1, 2], read: false)), .change(.remove([3])), .change(.follow(Lab.task(1))), .change(.follow(nil)), .change(.settings),
        .change(.profiles(renewed: "p-1")), .change(.profiles(renewed: nil)), .change(.reconnect), .change(.show(Lab.task(2))),
        .showIfOpen(Lab.task(3)),
    ])
    func requestsTravel(request: EngineRequest) throws {
        let line = request.line(id: 12)
        #expect(line.last == 0x0a)
        #expect(!line.dropLast().contains(0x0a))
        let read = try #require(EngineRequest.read(Array(line.dropLast())))
        #expect(read.id == 12)
        #expect(read.request == request)
    }

    @Test(arguments: [
        EngineReply.hello(version: 1), .frame(["follow": nil]), .outcome(id: 4, .rejected("No.")), .done(id: 5), .show(Lab.task(1)), .shown(id: 6, true), .shown(id: 7, false),
    ])
    func repliesTravel(reply: EngineReply) { #expect(EngineReply(line: Array(reply.line.dropLast())) == reply) }

    @Test(arguments: [
        "", "x", "{}", "[]", #"{"id":1}"#, #"{"ask":"interrupt"}"#, #"{"id":1,"ask":"eval"}"#, #"{"id":1,"ask":"perform","request":{"do":"open"}}"#,
        #"{"id":1,"ask":"change","change":{"to":"follow"}}"#, #"{"id":1,"ask":"change","change":{"to":"follow","task":"x"}}"#,
        #"{"id":1,"ask":"showIfOpen"}"#, #"{"id":1,"ask":"showIfOpen","task":"x"}"#,
    ])
    func nonsenseIsNoRequest(text: String) { #expect(EngineRequest.read(Array(text.utf8)) == nil) }

    @Test(arguments: ["", "x", "{}", #"{"id":1,"outcome":{"word":"fine"}}"#, #"{"show":"x"}"#])
    func nonsenseIsNoReply(text: String) { #expect(EngineReply(line: Array(text.utf8)) == nil) }

    @Test func waitsAreBounded() throws {
        let read = try #require(EngineRequest.read(Array(#"{"id":1,"ask":"settle","milliseconds":99999999}"#.utf8)))
        #expect(read.request == .settle(milliseconds: 60_000))
    }
}

struct LineBufferTests {
    @Test(arguments: [1, 2, 3, 7, 100])
    func anyCutGivesTheSameLines(size: Int) {
        let text = Array("one\n\ntwo three\nfour".utf8)
        var buffer = LineBuffer(limit: 16)
        var lines: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            let received = buffer.receive(text[start..<min(start + size, text.count)])
            lines += (received ?? [[0x21]]).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(lines == ["one", "", "two three"])
        let rest = buffer.receive(Array("th\n".utf8))
        #expect(rest == [Array("fourth".utf8)])
    }

    @Test func linesAreBounded() {
        var buffer = LineBuffer(limit: 4)
        let fits = buffer.receive(Array("1234\n12".utf8))
        #expect(fits == [Array("1234".utf8)])
        let tooLong = buffer.receive(Array("345".utf8))
        #expect(tooLong == nil)
        var other = LineBuffer(limit: 4)
        let whole = other.receive(Array("12345\n".utf8))
        #expect(whole == nil)
    }
}
