import JSON
import RelayProtocol
import Testing

@testable import CodexRollouts

struct RecordParserTests {
    private func kind(_ line: String) -> RolloutRecord.Kind? { RecordParser().parse(line.utf8, offset: 7)?.kind }

    @Test(
        "Both families mean the same",
        arguments: [("task_started", "turn_started"), ("task_complete", "turn_completed"), ("turn_aborted", "task_aborted")])
    func readsBothFamilies(pair: (String, String)) throws {
        let first = try #require(kind(Lines.event(pair.0, #""model_context_window":10"#)))
        #expect(first == kind(Lines.event(pair.1, #""model_context_window":10"#)))
        #expect(first != .bookkeeping)
    }

    @Test func readsUserMessagesOfBothFamilies() {
        #expect(kind(Lines.userMessage("Do it")) == .userMessage(preview: "Do it"))
        let item = #""item":{"type":"UserMessage","id":"x","content":[{"type":"text","text":"Do it\nnow"}]}"#
        #expect(kind(Lines.event("item_completed", item)) == .userMessage(preview: "Do it"))
        #expect(
            kind(Lines.event("item_completed", #""turn_id":"\#(String(repeating: "x", count: 600))",\#(item)"#)) == .userMessage(preview: "Do it"))
    }

    @Test(
        "What shows work, and what is only kept in the books",
        arguments: [
            (Lines.item("reasoning"), RolloutRecord.Kind.activity),
            (Lines.item("message", #""role":"assistant","content":[]"#), .activity),
            (Lines.item("message", #""role":"developer","content":[]"#), .bookkeeping),
            (Lines.item("message", #""role":"user","content":[{"text":"<environment_context>\n"}]"#), .userItem(preview: nil)),
            (Lines.item("function_call", #""name":"exec_command","arguments":"{}","call_id":"c1""#), .toolCall(id: "c1")),
            (Lines.item("function_call", #""arguments":"\#(String(repeating: "y", count: 900))","call_id":"c1""#), .toolCall(id: "c1")),
            (Lines.item("function_call_output", #""call_id":"c1","output":"x""#), .toolResult(id: "c1")),
            (Lines.item("custom_tool_call", #""call_id":"c2""#), .toolCall(id: "c2")),
            (Lines.item("custom_tool_call_output", #""call_id":"c2""#), .toolResult(id: "c2")),
            (Lines.item("web_search_call"), .activity),
            (Lines.item("ghost_snapshot"), .bookkeeping),
            (Lines.event("agent_message"), .activity),
            (Lines.event("agent_reasoning"), .activity),
            (Lines.event("exec_command_begin"), .activity),
            (Lines.event("exec_command_end"), .toolResult(id: nil)),
            (Lines.event("item_completed", #""item":{"type":"Reasoning"}"#), .activity),
            (Lines.event("item_completed", #""item":{"type":"CommandExecution"}"#), .toolResult(id: nil)),
            (Lines.event("error", #""message":"x""#), .error),
            (Lines.settings(), .bookkeeping),
            (Lines.event("something_new_in_2030"), .bookkeeping),
            (Lines.record("turn_context", "{}"), .bookkeeping),
            (Lines.record("token_usage_record", "{}"), .bookkeeping),
            (Lines.record("compacted", #"{"message":"x"}"#), .bookkeeping),
            (Lines.record("brand_new", #"{"type":"task_complete"}"#), .bookkeeping),
        ])
    func tellsRecordsApart(line: String, kind expected: RolloutRecord.Kind) { #expect(kind(line) == expected) }

    @Test(
        arguments: [
            (#""last_agent_message":"done""#, RolloutRecord.Kind.turnCompleted(.answered)),
            (#""last_agent_message":null"#, .turnCompleted(.silent)),
            (#""last_agent_message":null,"error":null"#, .turnCompleted(.silent)),
            (#""last_agent_message":null,"error":{"message":"limit","codex_error_info":"usage_limit_exceeded"}"#, .turnCompleted(.failed)),
            (#""status":"failed""#, .turnCompleted(.failed)),
            (#""turn":{"status":"interrupted"}"#, .turnAborted),
        ])
    func readsHowATurnEnded(members: String, expected: RolloutRecord.Kind) { #expect(kind(Lines.event("task_complete", members)) == expected) }

    @Test func readsTokenCountsWithNumbersInStrings() throws {
        let line = Lines.event(
            "token_count",
            #""info":{"last_token_usage":{"total_tokens":"250"},"model_context_window":"1000"},"#
                + #""rate_limits":{"primary":{"used_percent":"37.5","window_minutes":"300","resets_at":1796012437}}"#,
            at: 5)
        guard case .tokenCount(let count) = kind(line) else { throw TestFailure() }
        #expect(count.lastTotal == 250)
        #expect(count.contextWindow == 1000)
        #expect(
            count.limits?.primary
                == RateLimits.Window(
                    usedPercent: 37.5, durationMinutes: 300, resetsAt: UnixMilliseconds(Int64(1_796_012_437_000)), observedAt: Lines.time(5)))
        #expect(count.limits?.secondary == nil)
    }

    @Test func countsOldResetTimesFromTheRecord() throws {
        let line = Lines.tokens(1, limits: #"{"secondary":{"used_percent":150,"window_minutes":10080,"resets_in_seconds":60}}"#, at: 10)
        guard case .tokenCount(let count) = kind(line) else { throw TestFailure() }
        #expect(count.limits?.secondary?.resetsAt == Lines.time(70))
        #expect(count.limits?.secondary?.usedPercent == 100)
    }

    @Test(
        "Only the main family fills the main windows",
        arguments: [(#""codex""#, true), ("null", true), (#""codex_other""#, false), (#""""#, false), ("7", false)])
    func ignoresOtherLimits(id: String, counts: Bool) throws {
        let line = Lines.tokens(1, limits: #"{"limit_id":\#(id),"primary":{"used_percent":1,"window_minutes":300}}"#)
        guard case .tokenCount(let count) = kind(line) else { throw TestFailure() }
        #expect((count.limits != nil) == counts)
    }

    @Test func keysASessionByItsOwnIdentity() throws {
        let line = Lines.record(
            "session_meta", #"{"session_id":"\#(Lines.identity(1))","id":"\#(Lines.identity(2))","source":"cli","cli_version":"0.163.0"}"#)
        guard case .sessionMeta(let meta) = kind(line) else { throw TestFailure() }
        #expect(meta == SessionMeta(id: Lines.identity(2), source: .terminal, cliVersion: "0.163.0"))
    }

    @Test(
        arguments: [
            (#""source":"exec""#, false), (#""source":"vscode","parent_thread_id":null,"thread_source":"user""#, false),
            (#""source":{"custom":"bot"}"#, false), (#""source":"vscode","forked_from_id":"01a22a90-0000-7000-8000-000000000009""#, false),
            (#""source":{"subagent":"review"}"#, true), (#""source":{"subAgent":{"thread_spawn":{}}}"#, true),
            (#""source":"sub_agent_review""#, true),
            (#""source":"vscode","parent_thread_id":"01a22a90-0000-7000-8000-000000000009""#, true),
            (#""source":"vscode","thread_source":"subagent""#, true), (#""source":"vscode","thread_source":"thread_title""#, true),
            (#""source":"vscode","ephemeral":true"#, true),
        ])
    func knowsHelpers(members: String, isHelper: Bool) throws {
        guard case .sessionMeta(let meta) = kind(Lines.meta(Lines.identity(1), members)) else { throw TestFailure() }
        #expect(meta.isHelper == isHelper)
        #expect(meta.id == Lines.identity(1))
    }

    @Test func readsAFirstLineWithoutType() throws {
        let line = #"{"id":"\#(Lines.identity(3))","timestamp":"2025-05-07T17:24:21.597Z","instructions":null,"git":{}}"#
        guard case .sessionMeta(let meta) = kind(line) else { throw TestFailure() }
        #expect(meta.id == Lines.identity(3))
        #expect(kind(#"{"record_type":"state"}"#) == .bookkeeping)
        #expect(kind(#"{"type":"message","role":"user","content":[{"type":"input_text","text":"old words"}]}"#) == .userItem(preview: "old words"))
    }

    @Test func readsTheBeginningOfALongFirstLine() {
        let line = Lines.meta(Lines.identity(4), #""source":"exec","base_instructions":{"text":"\#(String(repeating: "z", count: 5000))"}"#)
        let meta = Array(line.utf8.prefix(400)).withUnsafeBytes { RecordParser.meta(ofPrefix: $0) }
        #expect(meta?.id == Lines.identity(4))
        #expect(meta?.source == .exec)
    }

    @Test func findsTheRecordBehindACutOne() {
        let whole = Lines.complete(at: 9)
        for length in 1..<whole.utf8.count {
            let cut = String(whole.prefix(length))
            let record = RecordParser().parse((cut + whole).utf8, offset: 100)
            #expect(record?.kind == .turnCompleted(.answered))
            #expect(record?.offset == 100 + Int64(length))
        }
    }

    @Test func isNotFooledByNestedOrQuotedRecords() {
        #expect(kind(Lines.record("compacted", #"{"history":[\#(Lines.complete())]}"#)) == .bookkeeping)
        #expect(
            kind(Lines.item("function_call_output", #""call_id":"c","output":"{\"timestamp\":\"x\",\"type\":\"event_msg\"}""#))
                == .toolResult(id: "c"))
    }

    @Test(
        "A record that decides must be whole",
        arguments: [Lines.started(), Lines.complete(), Lines.aborted(), Lines.tokens(5), Lines.meta(Lines.identity(1))])
    func refusesCutRecords(line: String) {
        for length in 0..<line.utf8.count { #expect(kind(String(line.prefix(length))) == nil) }
        #expect(kind(line) != nil)
        #expect(kind(line + "\r") != nil)
        #expect(kind(" " + line + " ") != nil)
    }

    @Test(arguments: [
        "", "}", "{}", "[]", "null", "{\"type\":}", "{\"type\":\"event_msg\"}", "{\"type\":7,\"payload\":[]}", "\u{0}\u{0}}", "{\"a\":{\"a\":{}}",
    ])
    func survivesOddLines(line: String) {
        let found = kind(line)
        #expect(found == nil || found == .bookkeeping)
    }

    @Test("Any bytes are read without a trap", arguments: 0..<40)
    func survivesRandomBytes(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        let lines = [
            Lines.started(), Lines.tokens(9, limits: #"{"primary":{"used_percent":1e999}}"#), Lines.meta(Lines.identity(1)),
            Lines.userMessage("a\\ud83d"),
        ]
        for _ in 0..<300 {
            var bytes = Array(lines.randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count - 1, place + 5))
                default: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
                }
            }
            var state = SessionState()
            if let record = RecordParser().parse(bytes, offset: .max) { state.apply(record) }
            #expect(state.contextUsedPercent.map { (0...100).contains($0) } ?? true)
        }
    }
}

struct TestFailure: Error {}

/// A repeatable source of randomness.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
