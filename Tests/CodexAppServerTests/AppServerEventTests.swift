import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer

/// Messages as the official versions send them, shortened where nothing is read, and what later versions might make of them.
struct AppServerEventTests {
    private static let id = thread.uuid
    private static let known: [(String, String, AppServerEvent)] = [
        (
            "thread/status/changed", #"{"threadId":"\#(id)","status":{"type":"active","activeFlags":["waitingOnApproval"]}}"#,
            .statusChanged(thread, .active(waitingOnApproval: true, waitingOnUserInput: false))
        ),
        ("thread/name/updated", #"{"threadId":"\#(id)","threadName":"My name"}"#, .nameUpdated(thread, "My name")),
        ("thread/name/updated", #"{"threadId":"\#(id)","threadName":null}"#, .nameUpdated(thread, nil)),
        ("thread/archived", #"{"threadId":"\#(id)"}"#, .archived(thread)),
        ("thread/unarchived", #"{"threadId":"\#(id.uppercased())"}"#, .unarchived(thread)),
        ("thread/deleted", #"{"threadId":"\#(id)"}"#, .deleted(thread)),
        ("thread/closed", #"{"threadId":"\#(id)","more":[1]}"#, .closed(thread)),
        (
            "turn/started", #"{"threadId":"\#(id)","turn":{"id":"t","rootTurnId":"r","items":[],"status":"inProgress","error":null}}"#,
            .turnStarted(thread, TurnRecord(json(#"{"id":"t","status":"inProgress"}"#))!)
        ),
        (
            "turn/completed", #"{"threadId":"\#(id)","turn":{"id":"t","status":"interrupted"}}"#,
            .turnCompleted(thread, TurnRecord(json(#"{"id":"t","status":"interrupted"}"#))!)
        ),
        ("serverRequest/resolved", #"{"threadId":"\#(id)","requestId":0}"#, .requestResolved(thread, .integer(0))),
        ("serverRequest/resolved", #"{"threadId":"\#(id)","requestId":"a"}"#, .requestResolved(thread, .string("a"))),
    ]

    @Test(arguments: known) func reads(method: String, params: String, event: AppServerEvent) {
        #expect(AppServerEvent(method: method, params: json(params)) == event)
        #expect(AppServerEvent.methods.contains(method))
    }

    /// Whatever a message lacks or has instead, it is read or refused; and every method that is asked for is understood.
    @Test(arguments: AppServerEvent.methods) func eachMethodIsUnderstoodAndBearsAnyShape(method: String) {
        let full = json(
            #"""
            {"threadId":"\#(Self.id)","thread":{"id":"\#(Self.id)"},"status":{"type":"idle"},"turn":{"id":"t"},"item":{"id":"i"},"requestId":1,
            "tokenUsage":{"last":{"totalTokens":1}},"threadSettings":{"model":"m"},"readState":{"revision":"r"},"rateLimits":{}}
            """#)
        #expect(AppServerEvent(method: method, params: full) != nil)
        for params in [JSONValue.null, .object([:]), [], "x", 5, ["threadId": 5], ["threadId": "no uuid"]] {
            #expect(AppServerEvent(method: method, params: params) == nil)
        }
        for key in full.object?.keys.sorted() ?? [] {
            for odd in [JSONValue.null, 1.5, "", [], .object([:]), true] {
                var members = full.object ?? [:]
                members[key] = odd
                _ = AppServerEvent(method: method, params: .object(members))
            }
        }
    }

    @Test(arguments: ["", "thread/later", "item/agentMessage/delta", "Thread/archived"]) func othersAreNot(method: String) {
        #expect(AppServerEvent(method: method, params: ["threadId": .string(Self.id)]) == nil)
    }

    @Test func readsAThreadThatBegan() throws {
        let params = json(
            #"""
            {"thread":{"id":"01a22b92-b798-79e2-8c5d-491a6b6f89a3","environments":[{"environmentId":"local","cwd":"/w"}],"extra":null,
            "forkedFromId":"01a22b92-b616-7573-b811-110cc6dce3bd","parentThreadId":null,"preview":"one","ephemeral":true,"section":null,
            "historyMode":"paginated","modelProvider":"local","model":"gpt-5.4","reasoningEffort":null,"createdAt":1796027364,"updatedAt":1796027365,
            "recencyAt":1796027366,"status":{"type":"idle"},"path":null,"cwd":"/tmp/work","cliVersion":"0.163.0","originator":"decknode",
            "source":"vscode","threadSource":null,"gitInfo":null,"name":null,"turns":[]}}
            """#)
        guard case .threadStarted(let record) = AppServerEvent(method: "thread/started", params: params) else {
            Issue.record("not read")
            return
        }
        #expect(record.identity == TaskIdentity("01a22b92-b798-79e2-8c5d-491a6b6f89a3"))
        #expect(record.forkedFrom == thread && record.parent == nil && record.isEphemeral && !record.isTask)
        #expect(record.preview == "one" && record.name == nil && record.folder == "/tmp/work" && record.model == "gpt-5.4")
        #expect(record.status == .idle && record.recency == UnixMilliseconds(seconds: 1_796_027_366))
    }

    @Test func readsSettings() throws {
        let params = json(
            #"""
            {"threadId":"\#(Self.id)","threadSettings":{"cwd":"/w","approvalPolicy":"on-request","approvalsReviewer":"user",
            "sandboxPolicy":{"type":"readOnly","networkAccess":false},"model":"gpt-5.4","modelProvider":"local",
            "serviceTier":"priority","effort":"high","summary":null,
            "collaborationMode":{"mode":"plan","settings":{"model":"gpt-5.4","reasoning_effort":"high","developer_instructions":"…"}}}}
            """#)
        guard case .settingsUpdated(thread, let settings) = AppServerEvent(method: "thread/settings/updated", params: params) else {
            Issue.record("not read")
            return
        }
        #expect(settings.model == "gpt-5.4" && settings.effort == "high" && settings.isFast && settings.mode == .plan)
        #expect(settings.sandboxPolicy == ["type": "readOnly", "networkAccess": false])
    }

    @Test func readsItems() throws {
        let params = json(
            #"""
            {"item":{"type":"commandExecution","id":"call_94","command":"x","status":"declined","exitCode":null},
            "threadId":"\#(Self.id)","turnId":"turn","completedAtMs":1796027365066}
            """#)
        guard case .itemCompleted(thread, let item) = AppServerEvent(method: "item/completed", params: params) else {
            Issue.record("not read")
            return
        }
        #expect(item.id == "call_94" && item.turnID == "turn" && item.type == "commandExecution" && item.status == .declined)
        // A message of the agent has no status.
        let message = ItemRecord(json(#"{"item":{"type":"agentMessage","id":"m","text":"hello"},"turnId":null}"#))
        #expect(message?.status == .unknown && message?.turnID == nil)
    }

    @Test func wordsOfLaterVersionsAreUnknown() {
        #expect(ThreadStatus(["type": "hibernating"]) == .unknown)
        #expect(ThreadStatus(nil) == .unknown && ThreadStatus(.null) == .unknown && ThreadStatus("idle") == .unknown)
        #expect(!ThreadStatus.unknown.isLoaded && !ThreadStatus.unknown.isActive)
        #expect(TurnRecord(json(#"{"id":"t","status":"paused"}"#))?.status == .unknown)
        #expect(TurnRecord(json(#"{"id":"t"}"#))?.status == .unknown)
        #expect(TurnRecord(json(#"{"id":5}"#)) == nil && TurnRecord(nil) == nil)
        #expect(ItemRecord(json(#"{"item":{"id":"i","status":"queued"}}"#))?.status == .unknown)
        #expect(ThreadSettings(json(#"{"model":"m","collaborationMode":{"mode":"pair_programming"}}"#))?.mode == .other)
    }

    @Test(arguments: [
        ("notLoaded", ThreadStatus.notLoaded, false, false), ("idle", .idle, true, false), ("systemError", .systemError, true, false),
        ("active", .active(waitingOnApproval: false, waitingOnUserInput: false), true, true),
    ]) func readsStatuses(type: String, status: ThreadStatus, isLoaded: Bool, isActive: Bool) {
        #expect(ThreadStatus(["type": .string(type)]) == status)
        #expect(status.isLoaded == isLoaded && status.isActive == isActive)
    }

    @Test func unknownFlagsOfAnActiveThreadAreLeftOut() {
        let flags = json(#"{"type":"active","activeFlags":["waitingOnGodot","waitingOnUserInput",5,null]}"#)
        #expect(ThreadStatus(flags) == .active(waitingOnApproval: false, waitingOnUserInput: true))
        #expect(
            ThreadStatus(json(#"{"type":"active","activeFlags":"waitingOnApproval"}"#))
                == .active(waitingOnApproval: false, waitingOnUserInput: false))
    }

    // MARK: Numbers

    @Test(arguments: [
        (0, 258_400, 0), (129_200, 258_400, 50), (1, 258_400, 0), (1, 200, 1), (1, 201, 0), (258_400, 258_400, 100), (900_000, 258_400, 100),
        (9_007_199_254_740_991, 1, 100),
    ]) func contextIsAPercentage(total: Int, window: Int, percent: Int) {
        let usage = TokenUsage(["last": ["totalTokens": .number(Double(total))], "modelContextWindow": .number(Double(window))])
        #expect(usage?.contextUsedPercent == percent)
    }

    @Test(arguments: [JSONValue.null, 0, -1, 0.5, "5", 1e300]) func withoutAWindowThereIsNoPercentage(window: JSONValue) {
        let usage = TokenUsage(["last": ["totalTokens": 5], "modelContextWindow": window])
        #expect(usage?.lastTotal == 5)
        #expect(usage?.contextUsedPercent == nil)
    }

    @Test func strangeCountsAreRefusedAndNeverTrap() throws {
        for total in [JSONValue.null, -1, 0.5, "5", 1e300] { #expect(TokenUsage(["last": ["totalTokens": total]]) == nil) }
        #expect(TokenUsage(["total": ["totalTokens": 5]]) == nil)
        var usage = try #require(TokenUsage(["last": ["totalTokens": 5], "modelContextWindow": 10]))
        usage.lastTotal = .max
        usage.contextWindow = 1
        #expect(usage.contextUsedPercent == 100)
        usage.lastTotal = .min
        #expect(usage.contextUsedPercent == 0)
        usage.contextWindow = 0
        #expect(usage.contextUsedPercent == nil)
    }

    @Test func readMarks() {
        let unread = ReadState(json(#"{"firstUnread":{"type":"turn","turnId":"t"},"revision":"ce5aa601"}"#))
        #expect(unread?.isUnread == true && unread?.revision == "ce5aa601")
        #expect(ReadState(json(#"{"firstUnread":null,"revision":"27"}"#))?.isUnread == false)
        #expect(ReadState(json(#"{"revision":"27"}"#))?.isUnread == false)
        // A kind of mark of a later version is one, too.
        #expect(ReadState(json(#"{"firstUnread":"somewhere","revision":"27"}"#))?.isUnread == true)
        for odd in [JSONValue.null, .object([:]), ["revision": 5], "27"] { #expect(ReadState(odd) == nil) }
    }
}
