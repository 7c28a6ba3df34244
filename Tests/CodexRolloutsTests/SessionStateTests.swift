import RelayProtocol
import Testing

@testable import CodexRollouts

struct SessionStateTests {
    @Test func followsATurn() {
        let lines = [Lines.meta(Lines.identity(1))] + Lines.turn(from: 10, "first words")
        let working = Lines.state(Array(lines.dropLast()))
        #expect(working.lifecycle == .working)
        #expect(working.workStart == SessionState.WorkStart(at: Lines.time(10), revision: Lines.offset(of: 1, in: lines)))
        #expect(working.contextUsedPercent == 25)
        let done = Lines.state(lines)
        #expect(done.lifecycle == .complete(revision: Lines.offset(of: 5, in: lines)))
        #expect(done.activityAt == Lines.time(13))
        #expect(done.preview == "first words")
        #expect(done.workStart == working.workStart)
    }

    @Test func anAbortedTurnIsIdleWhateverItsIdentity() {
        #expect(Lines.state([Lines.started(at: 1), Lines.reasoning(at: 2), Lines.aborted(at: 3)]).lifecycle == .idle)
        #expect(Lines.state([Lines.started(at: 1), Lines.event("turn_aborted", #""turn_id":"other""#, at: 3)]).lifecycle == .idle)
        // A review starts under one turn identity and ends under another.
        let review = [
            Lines.event("task_started", #""turn_id":"B","root_turn_id":"A""#),
            Lines.event("task_complete", #""turn_id":"A","last_agent_message":null"#),
        ]
        #expect(Lines.state(review).lifecycle == .complete(revision: Lines.offset(of: 1, in: review)))
    }

    /// Codex 0.149 copies the parent's turns into the fork's file and stamps them with the time of the fork.
    @Test func turnsCopiedFromTheParentEndNothingInAFork() {
        let (old, new) = ("01a22a90-0000-7000-8000-000000000001", "01a22a91-0000-7000-8000-000000000001")
        func end(_ turn: String, _ more: String = #""last_agent_message":"ok""#) -> String {
            Lines.event("task_complete", #""turn_id":"\#(turn)",\#(more)"#, at: 5)
        }
        var state = SessionState()
        func apply(_ lines: [String]) {
            for (index, line) in lines.enumerated() {
                if let record = RecordParser().parse(line.utf8, offset: Int64(index)) { state.apply(record) }
            }
        }
        state.forkedAt = TaskIdentity("01a22a90-8000-7000-8000-000000000002")?.createdAt
        apply([Lines.started(at: 5), Lines.userMessage("hello", at: 5), end(old)])
        #expect(state.lifecycle == .idle)
        #expect(state.workStart == nil)
        #expect(state.preview == "hello")
        apply([Lines.started(at: 5), end(old, #""error":{"message":"limit"}"#)])
        #expect(state.lifecycle == .idle)
        // A turn of its own, or one that does not say when it began, ends as ever.
        apply([Lines.started(at: 6), end(new)])
        #expect(state.lifecycle == .complete(revision: 1))
        apply([Lines.started(at: 7), Lines.complete(at: 7)])
        #expect(state.lifecycle == .complete(revision: 1))
        // A session that was not forked has no parent whose turns it could hold, whatever its clock did.
        state = SessionState()
        apply([Lines.started(at: 5), end(old)])
        #expect(state.lifecycle == .complete(revision: 1))
    }

    @Test func bookkeepingAfterTheEndChangesNothing() {
        let lines = Lines.turn(from: 1)
        let more = [
            Lines.settings(at: 900), Lines.tokens(250, at: 901), Lines.record("turn_context", "{}", at: 902), Lines.event("new_kind", at: 903),
        ]
        #expect(Lines.state(lines + more) == Lines.state(lines))
        #expect(Lines.state(Array(lines.dropLast()) + more).activityAt == Lines.time(2))
    }

    @Test func aCommandEndingAfterItsTurnRevivesNothing() {
        let lines = Lines.turn(from: 1)
        let late = [Lines.event("exec_command_end", at: 60), Lines.item("function_call_output", #""call_id":"c""#, at: 61)]
        #expect(Lines.state(lines + late) == Lines.state(lines))
        #expect(Lines.state([Lines.started(), Lines.aborted()] + late).lifecycle == .idle)
        #expect(Lines.state(late).lifecycle == .working)
    }

    @Test func aFailedTurnIsNoSuccess() {
        let new = [Lines.started(), Lines.event("task_complete", #""last_agent_message":null,"error":{"message":"limit"}"#)]
        #expect(Lines.state(new).lifecycle == .failed(revision: Lines.offset(of: 1, in: new)))
        // Old files: an error event, then an end that does not mention it.
        let old = [Lines.started(), Lines.event("error", #""message":"x""#), Lines.event("task_complete", #""last_agent_message":null"#)]
        #expect(Lines.state(Array(old.dropLast())).lifecycle == .failed(revision: Lines.offset(of: 1, in: old)))
        #expect(Lines.state(old).lifecycle == .failed(revision: Lines.offset(of: 2, in: old)))
        // It recovered.
        #expect(Lines.state([old[0], old[1], Lines.reasoning()]).lifecycle == .working)
        let recovered = [old[0], old[1], Lines.reasoning(), Lines.complete()]
        #expect(Lines.state(recovered).lifecycle == .complete(revision: Lines.offset(of: 3, in: recovered)))
        // The next turn starts anew.
        #expect(Lines.state(old + [Lines.started()]).lifecycle == .working)
        let next = old + [Lines.started(), old[2]]
        #expect(Lines.state(next).lifecycle == .complete(revision: Lines.offset(of: 4, in: next)))
    }

    @Test func wordsAddedToARunningTurnAreNoNewTurn() {
        let lines = [Lines.started(at: 5), Lines.userMessage("one", at: 5), Lines.reasoning(at: 6), Lines.userMessage("two", at: 7)]
        #expect(Lines.state(lines).workStart == SessionState.WorkStart(at: Lines.time(5), revision: 0))
        let second = lines + [Lines.complete(at: 8), Lines.started(at: 9)]
        #expect(Lines.state(second).workStart == SessionState.WorkStart(at: Lines.time(9), revision: Lines.offset(of: 5, in: second)))
    }

    @Test func withoutStartRecordsEachMessageBeginsATurn() {
        let lines = [Lines.userMessage("one", at: 1), Lines.event("agent_message", at: 2), Lines.userMessage("two", at: 3)]
        #expect(Lines.state(lines).workStart == SessionState.WorkStart(at: Lines.time(3), revision: Lines.offset(of: 2, in: lines)))
        #expect(Lines.state(lines).lifecycle == .working)
    }

    @Test func knowsOpenToolCalls() {
        let call = Lines.item("function_call", #""call_id":"c1""#)
        let output = Lines.item("function_call_output", #""call_id":"c1""#)
        #expect(Lines.state([Lines.started(), call]).hasOpenToolCall)
        #expect(!Lines.state([Lines.started(), call, output]).hasOpenToolCall)
        #expect(!Lines.state([Lines.started(), call, Lines.aborted()]).hasOpenToolCall)
    }

    @Test(arguments: [(0, 1000, 0), (4, 1000, 0), (5, 1000, 1), (995, 1000, 100), (5000, 1000, 100), (1, 3, 33)])
    func roundsTheContext(total: Int, window: Int, percent: Int) {
        #expect(Lines.state([Lines.tokens(total, window: window)]).contextUsedPercent == percent)
    }

    @Test func takesTheWindowFromTheStartWhenTheCountHasNone() {
        let count = Lines.event("token_count", #""info":{"last_token_usage":{"total_tokens":500}}"#)
        #expect(Lines.state([count]).contextUsedPercent == nil)
        #expect(Lines.state([Lines.started(), count]).contextUsedPercent == 50)
        #expect(Lines.state([Lines.started(), count, Lines.event("token_count", #""info":null"#)]).contextUsedPercent == 50)
        #expect(Lines.state([Lines.tokens(5, window: 0)]).contextUsedPercent == nil)
    }

    @Test func missingWindowsDoNotClearKnownOnes() {
        let known = Lines.tokens(
            1, limits: #"{"primary":{"used_percent":10,"window_minutes":300},"secondary":{"used_percent":20,"window_minutes":10080}}"#, at: 1)
        let none = Lines.tokens(1, limits: #"{"limit_id":"codex","primary":null,"secondary":null}"#, at: 2)
        let half = Lines.tokens(1, limits: #"{"primary":{"used_percent":11,"window_minutes":300},"secondary":null}"#, at: 3)
        let other = Lines.tokens(1, limits: #"{"limit_id":"codex_other","primary":{"used_percent":99,"window_minutes":300}}"#, at: 4)
        let limits = Lines.state([known, none, half, other]).limits
        #expect(limits.primary?.usedPercent == 11)
        #expect(limits.primary?.observedAt == Lines.time(3))
        #expect(limits.secondary?.usedPercent == 20)
        #expect(limits.secondary?.observedAt == Lines.time(1))
    }

    @Test func theNewerWindowWinsInAnyOrder() {
        func limits(_ percent: Double, _ seconds: Int) -> RateLimits {
            RateLimits(primary: .init(usedPercent: percent, durationMinutes: 300, resetsAt: nil, observedAt: Lines.time(seconds)))
        }
        var forward = limits(1, 1)
        forward.merge(limits(2, 2))
        var backward = limits(2, 2)
        backward.merge(limits(1, 1))
        #expect(forward == backward)
        #expect(forward == limits(2, 2))
    }

    @Test func thePreviewIsTheFirstThingTheUserWrote() {
        let injected = Lines.item("message", #""role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>/x</cwd>"}]"#)
        let item = Lines.item("message", #""role":"user","content":[{"type":"input_text","text":"as an item"}]"#)
        #expect(Lines.state([injected]).preview == nil)
        #expect(Lines.state([injected, item]).preview == "as an item")
        #expect(Lines.state([injected, item, Lines.userMessage("as an event"), Lines.userMessage("second")]).preview == "as an event")
    }
}
