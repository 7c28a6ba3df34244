import CodexKit
import FoundationEssentials
import JSON
import RelayProtocol
import Testing

@testable import DeckAgents

struct AgentAskTests {
    private let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])

    @Test func survivesTheWire() throws {
        let ask = AgentAsk(
            text: "a\nb", files: [.init(name: "x.swift", text: "let x = 1")], urls: ["https://a.example"], images: [png], folder: "/work", thread: "abcd",
            effort: .extraHigh, model: "m", isDetached: true)
        #expect(try AgentAsk(json: JSONParser().parse(ask.json.encoded())) == ask)
        #expect(try AgentAsk(json: AgentAsk(text: "").json) == AgentAsk(text: ""))
    }

    @Test("What is malformed or too much is refused", arguments: [
        "{}", "[]", #"{"text":1}"#, #"{"text":"a","effort":"huge"}"#, #"{"text":"a","files":{}}"#, #"{"text":"a","files":[{"name":"x"}]}"#,
        #"{"text":"a","images":["!!"]}"#, #"{"text":"a","images":["AAAA"]}"#, #"{"text":"a","urls":[1]}"#, #"{"text":"a","folder":"relative"}"#,
        #"{"text":"a","folder":"/a\u0000b"}"#,
    ])
    func malformed(text: String) throws {
        let json = try JSONParser().parse(Array(text.utf8))
        #expect(throws: AgentHostError.self) { try AgentAsk(json: json) }
    }

    @Test func limits() throws {
        #expect(throws: AgentHostError.self) { try AgentAsk(text: String(repeating: "x", count: AgentAsk.Limits.textBytes + 1)).check() }
        #expect(throws: AgentHostError.self) { try AgentAsk(text: "x", urls: Array(repeating: "u", count: 33)).check() }
        #expect(throws: AgentHostError.self) { try AgentAsk(text: "x", images: Array(repeating: png, count: 9)).check() }
        #expect(throws: AgentHostError.self) { try AgentAsk(text: "x", images: [png + Data(count: 12 << 20)]).check() }
        try AgentAsk(text: String(repeating: "x", count: AgentAsk.Limits.textBytes), images: Array(repeating: png, count: 8)).check()
    }

    @Test func messageNamesFilesAndLinks() {
        let ask = AgentAsk(text: "Why?", files: [.init(name: "a.c", text: "int x;")], urls: ["https://a.example"])
        #expect(ask.message == "Why?\n\nFile a.c:\nint x;\n\nLinks:\n- https://a.example")
    }

    @Test("Every event survives the wire")
    func events() throws {
        let id = try #require(TaskIdentity("00000000-0000-4000-8000-000000000001"))
        let approval = AgentApproval(id: "q", thread: id, tool: "run_command", summary: "ls", lines: ["a", "b"], isSandboxed: true)
        let events: [AgentAskEvent] = [
            .thread(id, title: "T", folder: "/w", isNew: true), .thread(id, title: nil, folder: "/w", isNew: false), .turn(id: "t"),
            .retrying(attempt: 2, reason: "r"), .delta("d\n"), .message("m", images: 1), .toolStarted(id: "c", tool: "n", summary: "s"),
            .toolFinished(id: "c", tool: "n", succeeded: false, summary: "s"), .approvalRequested(approval),
            .approvalResolved(id: "q", approved: true, by: .screen), .approvalResolved(id: "q", approved: false, by: nil),
            .completed(AgentUsage(inputTokens: 1, cachedInputTokens: 2, outputTokens: 3, reasoningOutputTokens: 4, totalTokens: 5)), .completed(nil),
            .failed(code: "c", sentence: "s"), .interrupted,
        ]
        for event in events { #expect(AgentAskEvent(json: try JSONParser().parse(event.json.encoded())) == event) }
        for text in ["{}", "[]", #"{"event":"other"}"#, #"{"event":"thread","id":"x","folder":"/"}"#, #"{"event":"approvalRequested","approval":{}}"#] {
            #expect(AgentAskEvent(json: try JSONParser().parse(Array(text.utf8))) == nil)
        }
    }
}

struct AgentBookTests {
    private let id = TaskIdentity("00000000-0000-4000-8000-000000000001")!

    @Test func survivesTheFile() throws {
        let folder = try TemporaryFolder()
        var book = AgentBook()
        book.change(id) {
            $0.folder = "/work"
            $0.isArchived = true
            $0.stoppedTurn = "t"
            $0.resumptions = 3
            $0.contextTokens = 9
        }
        try folder.write(String(decoding: book.json.encoded(), as: UTF8.self), "agents.json")
        let (loaded, notice) = try AgentBook.load(folder.path + "/agents.json", now: UnixMilliseconds(clamping: 0))
        #expect(loaded == book && notice == nil)
        #expect(try AgentBook.load(folder.path + "/none", now: UnixMilliseconds(clamping: 0)).book == AgentBook())
    }

    @Test(arguments: ["", "{", "[]", #"{"threads":[]}"#, #"{"threads":{"x":{}}}"#, #"{"threads":{"00000000-0000-4000-8000-000000000001":1}}"#])
    func damageIsSetAside(text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, "agents.json")
        let (loaded, notice) = try AgentBook.load(folder.path + "/agents.json", now: UnixMilliseconds(clamping: 0))
        #expect(loaded == AgentBook() && notice?.contains("damaged") == true && !folder.exists("agents.json"))
    }

    @Test func numbersOutOfRangeAreHarmless() throws {
        let json = try JSONParser().parse(Array(#"{"threads":{"00000000-0000-4000-8000-000000000001":{"resumptions":-5,"contextTokens":1e300,"folder":"x"}}}"#.utf8))
        let book = try #require(AgentBook(json: json))
        #expect(book.note(of: id) == AgentBook.Note())
    }
}
