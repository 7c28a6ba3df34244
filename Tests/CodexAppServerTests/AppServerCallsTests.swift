import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer

struct AppServerCallsTests {
    private let id = #""threadId":"01a22b92-b616-7573-b811-110cc6dce3bd""#

    private func check<Answer>(_ call: AppServerCall<Answer>, _ method: String, _ params: String) {
        #expect(call.method == method)
        #expect(call.params == json(params), "\(String(decoding: call.params.encoded(), as: UTF8.self))")
        #expect(call.timeout > .zero)
    }

    @Test func asksExactlyThis() throws {
        let list = #"{"sortKey":"recency_at","limit":100,"sourceKinds":["cli","vscode","exec","appServer"],"cursor":"#
        check(.threadList(), "thread/list", list + "null}")
        check(.threadList(cursor: "1|x"), "thread/list", list + #""1|x"}"#)
        check(.loadedThreads(), "thread/loaded/list", "{}")
        check(.readThread(thread), "thread/read", "{\(id),\"includeTurns\":false}")
        check(.readThread(thread, withTurns: true), "thread/read", "{\(id),\"includeTurns\":true}")
        check(.latestTurn(thread), "thread/turns/list", "{\(id),\"limit\":1}")
        check(.models(), "model/list", #"{"limit":100}"#)
        check(.rateLimits(), "account/rateLimits/read", "{}")
        check(.resume(loaded: thread), "thread/resume", "{\(id),\"excludeTurns\":true}")
        check(.fork(thread, isEphemeral: true), "thread/fork", "{\(id),\"excludeTurns\":true,\"ephemeral\":true}")
        check(.startThread(in: "/w"), "thread/start", #"{"cwd":"/w"}"#)
        check(.archive(thread), "thread/archive", "{\(id)}")
        check(.markRead(thread, revision: "r"), "thread/readState/update", "{\(id),\"expectedRevision\":\"r\",\"operation\":{\"type\":\"read\"}}")
        check(.startTurn(thread, text: "a\nb"), "turn/start", #"{\#(id),"input":[{"type":"text","text":"a\nb"}]}"#)
        check(.steerTurn(thread, turnID: "t", text: "x"), "turn/steer", #"{\#(id),"expectedTurnId":"t","input":[{"type":"text","text":"x"}]}"#)
        check(.useResetCredit(key: "k"), "account/rateLimitResetCredit/consume", #"{"idempotencyKey":"k"}"#)
    }

    @Test func settingsAreChangedOneAtATime() throws {
        check(.setEffort("high", of: thread), "thread/settings/update", #"{\#(id),"effort":"high"}"#)
        check(.setFast(true, of: thread), "thread/settings/update", #"{\#(id),"serviceTier":"priority"}"#)
        check(.setFast(false, of: thread), "thread/settings/update", #"{\#(id),"serviceTier":"default"}"#)
        // A mode without the effort would clear it.
        var settings = try #require(ThreadSettings(["model": "m", "effort": "low"]))
        check(
            .setMode(.plan, of: thread, keeping: settings), "thread/settings/update",
            #"{\#(id),"collaborationMode":{"mode":"plan","settings":{"model":"m","reasoning_effort":"low"}}}"#)
        settings.effort = nil
        check(
            .setMode(.standard, of: thread, keeping: settings), "thread/settings/update",
            #"{\#(id),"collaborationMode":{"mode":"default","settings":{"model":"m","reasoning_effort":null}}}"#)
    }

    @Test(arguments: [
        (ReviewTarget.uncommittedChanges, #"{"type":"uncommittedChanges"}"#), (.baseBranch("main"), #"{"type":"baseBranch","branch":"main"}"#),
        (.custom(instructions: "look"), #"{"type":"custom","instructions":"look"}"#),
    ]) func reviews(target: ReviewTarget, text: String) {
        check(.startReview(thread, target), "review/start", #"{\#(id),"target":\#(text)}"#)
    }

    @Test(arguments: [
        (Duration.seconds(5), 5_000), (.milliseconds(1_500), 1_500), (.microseconds(1_999), 1), (.zero, 1), (.seconds(-5), 1),
        (.seconds(Int64.max / 4), 86_400_000),
    ]) func aCommandHasATimeLimit(timeout: Duration, milliseconds: Int) {
        let call = AppServerCall.run(["/bin/true", "a b"], in: "/w", policy: nil, timeout: timeout)
        check(call, "command/exec", #"{"command":["/bin/true","a b"],"cwd":"/w","timeoutMs":\#(milliseconds)}"#)
        // The server ends it first.
        #expect(call.timeout > .milliseconds(milliseconds))
    }

    @Test func aCommandMayHaveAPolicy() {
        check(
            .run(["x"], in: "/w", policy: ["type": "readOnly"], timeout: .seconds(1)), "command/exec",
            #"{"command":["x"],"cwd":"/w","timeoutMs":1000,"sandboxPolicy":{"type":"readOnly"}}"#)
    }

    // MARK: Answers

    @Test func readsAnswers() throws {
        #expect(AppServerCall.startTurn(thread, text: "").read(json(#"{"turn":{"id":"t","status":"inProgress"}}"#)) == "t")
        #expect(AppServerCall.startReview(thread, .uncommittedChanges).read(json(#"{"turn":{"id":"t"},"reviewThreadId":"x"}"#)) == "t")
        #expect(AppServerCall.steerTurn(thread, turnID: "", text: "").read(json(#"{"turnId":"t"}"#)) == "t")
        #expect(AppServerCall.run([], in: "/", policy: nil, timeout: .zero).read(json(#"{"exitCode":3,"stdout":"hi\n","stderr":""}"#))?.exitCode == 3)
        #expect(AppServerCall.loadedThreads().read(json(#"{"data":["\#(thread.uuid)","broken",5],"nextCursor":null}"#)) == [thread])
        #expect(AppServerCall.models().read(json(#"{"data":[{"model":"a"},5,{}]}"#))?.map(\.name) == ["a"])
        let reading = try #require(
            AppServerCall.readThread(thread).read(json(#"{"thread":{"id":"\#(thread.uuid)"},"readState":{"firstUnread":null,"revision":"1"}}"#)))
        #expect(reading.thread.identity == thread && reading.readState?.revision == "1" && reading.json["readState"] != nil)
        #expect(AppServerCall.readThread(thread).read(json(#"{"thread":{"id":"\#(thread.uuid)"}}"#))?.readState == .some(nil))
        #expect(AppServerCall.archive(thread).read(.null) != nil)
    }

    @Test func tellsNoTurnFromNoAnswer() throws {
        let call = AppServerCall.latestTurn(thread)
        #expect(try #require(call.read(json(#"{"data":[{"id":"t","status":"failed"}],"nextCursor":null}"#)))?.status == .failed)
        #expect(try #require(call.read(json(#"{"data":[]}"#))) == nil)
        #expect(call.read(json("{}")) == nil)
    }

    @Test(arguments: [
        ("reset", ResetOutcome.reset), ("nothingToReset", .nothingToReset), ("noCredit", .noCredit), ("alreadyRedeemed", .alreadyRedeemed),
        ("later", .unknown),
    ]) func readsOutcomes(word: String, outcome: ResetOutcome) {
        #expect(AppServerCall.useResetCredit(key: "k").read(["outcome": .string(word)]) == outcome)
    }

    @Test(arguments: ["null", "{}", "[]", "5", #"{"turn":5,"turnId":5,"data":5,"thread":5,"exitCode":1.5,"outcome":5,"rateLimits":5}"#])
    func answersThatLackWhatTheyMustHave(text: String) {
        let answer = json(text)
        #expect(AppServerCall.threadList().read(answer) == nil)
        #expect(AppServerCall.loadedThreads().read(answer) == nil)
        #expect(AppServerCall.models().read(answer) == nil)
        #expect(AppServerCall.readThread(thread).read(answer) == nil)
        #expect(AppServerCall.resume(loaded: thread).read(answer) == nil)
        #expect(AppServerCall.startTurn(thread, text: "").read(answer) == nil)
        #expect(AppServerCall.steerTurn(thread, turnID: "", text: "").read(answer) == nil)
        #expect(AppServerCall.run([], in: "/", policy: nil, timeout: .zero).read(answer) == nil)
        #expect(AppServerCall.useResetCredit(key: "").read(answer) == nil)
        #expect(AppServerCall.rateLimits().read(answer) == nil)
    }
}
