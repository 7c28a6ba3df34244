import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer

struct RateLimitTests {
    @Test func readsWindows() throws {
        let params = json(
            #"""
            {"rateLimits":{"limitId":"codex","limitName":null,"primary":{"usedPercent":38,"windowDurationMins":300,"resetsAt":1796012437},
            "secondary":null,"credits":null,"planType":null}}
            """#)
        guard case .rateLimits(let limits) = AppServerEvent(method: "account/rateLimits/updated", params: params) else {
            Issue.record("not read")
            return
        }
        let primary = try #require(limits.primary)
        #expect(primary.usedPercent == 38 && primary.durationMinutes == 300 && primary.resetsAt == UnixMilliseconds(seconds: 1_796_012_437))
        #expect(limits.secondary == nil && limits.isMain)
    }

    /// Missing is not zero, and what cannot be is missing.
    @Test(arguments: [
        "null", "{}", #"{"usedPercent":null}"#, #"{"usedPercent":-1}"#, #"{"usedPercent":"38"}"#, "[]", "5",
    ]) func aWindowWithoutAShareIsNone(window: String) {
        #expect(RateLimitRecord(json(#"{"primary":\#(window)}"#))?.primary == nil)
    }

    @Test func oddTimesAreLeftOut() throws {
        let limits = try #require(
            RateLimitRecord(
                json(#"{"primary":{"usedPercent":124,"windowDurationMins":0,"resetsAt":-5},"secondary":{"usedPercent":0.5,"resetsAt":1e15}}"#)))
        #expect(limits.primary?.usedPercent == 124 && limits.primary?.durationMinutes == nil && limits.primary?.resetsAt == nil)
        #expect(limits.secondary?.usedPercent == 0.5 && limits.secondary?.resetsAt == nil)
    }

    @Test(arguments: [("null", true), (#""codex""#, true), (#""codex_other""#, false), (#""""#, false)]) func othersLimitsAreNotTheAccounts(
        id: String, isMain: Bool
    ) {
        #expect(RateLimitRecord(json(#"{"limitId":\#(id)}"#))?.isMain == isMain)
    }

    @Test(
        arguments: [
            (#"{"availableCount":2}"#, 2), (#"{"availableCount":0}"#, 0), (#"{"availableCount":-1}"#, 0), (#"{"availableCount":"2"}"#, nil),
            ("null", nil), ("{}", nil),
        ] as [(String, Int?)]) func readsCredits(credits: String, count: Int?)
    {
        #expect(AccountLimits(json(#"{"rateLimits":{},"rateLimitResetCredits":\#(credits)}"#))?.resetCredits == count)
    }

    @Test func anAnswerWithoutLimitsIsNone() {
        #expect(AccountLimits(json("{}")) == nil)
        #expect(AccountLimits(json(#"{"rateLimits":null}"#)) == nil)
    }
}

struct ThreadRecordTests {
    @Test(arguments: [
        (#""ephemeral":false"#, true), (#""ephemeral":true"#, false), (#""ephemeral":null,"source":"cli""#, true), (#""source":"vscode""#, true),
        (#""parentThreadId":"01a22b92-b7aa-72e2-b5f8-7b4e3a67cb05""#, false), (#""parentThreadId":null,"source":{"custom":"x"}"#, true),
        // Older versions name no parent.
        (#""source":{"subAgent":"review"}"#, false), (#""source":{"subAgent":{"thread_spawn":{}}}"#, false),
    ]) func helpersAreNoTasks(members: String, isTask: Bool) throws {
        let record = try #require(ThreadRecord(json(#"{"id":"\#(thread.uuid)",\#(members)}"#)))
        #expect(record.isTask == isTask)
    }

    @Test(
        arguments: [
            (#""recencyAt":3,"updatedAt":2,"createdAt":1"#, 3), (#""updatedAt":2,"createdAt":1"#, 2), (#""recencyAt":null,"createdAt":1"#, 1),
            (#""recencyAt":1e300,"updatedAt":2"#, 2), (#""recencyAt":9007199254740991"#, nil), (#""recencyAt":-1"#, nil), (#""name":null"#, nil),
        ] as [(String, Int64?)]) func theLatestTimeCounts(members: String, seconds: Int64?) throws
    {
        let record = try #require(ThreadRecord(json(#"{"id":"\#(thread.uuid)",\#(members)}"#)))
        #expect(record.recency == seconds.flatMap { UnixMilliseconds(seconds: $0) })
    }

    @Test func onlyAbsoluteFoldersCount() {
        #expect(ThreadRecord(json(#"{"id":"\#(thread.uuid)","cwd":"work"}"#))?.folder == nil)
        #expect(ThreadRecord(json(#"{"id":"\#(thread.uuid)","cwd":"/w"}"#))?.folder == "/w")
        #expect(ThreadRecord(json(#"{"id":"\#(thread.uuid)","preview":""}"#))?.preview == nil)
    }

    @Test(arguments: ["null", "{}", "5", #"{"id":null}"#, #"{"id":"x"}"#, #"{"id":5}"#]) func withoutAnIDThereIsNoThread(text: String) {
        #expect(ThreadRecord(json(text)) == nil)
    }

    @Test func pages() throws {
        let page = try #require(
            ThreadPage(
                json(
                    #"""
                    {"data":[{"id":"\#(thread.uuid)"},{"id":"broken"},5,null,{"id":"\#(otherThread.uuid)"}],
                    "readStates":{"\#(thread.uuid)":{"firstUnread":null,"revision":"1"},"broken":{"revision":"1"},"\#(otherThread.uuid)":7},
                    "nextCursor":"1796012437|x","backwardsCursor":null}
                    """#)))
        #expect(page.threads.map(\.identity) == [thread, otherThread])
        #expect(Array(page.readStates.keys) == [thread] && page.hasReadStates)
        #expect(page.nextCursor == "1796012437|x")
        let old = try #require(ThreadPage(json(#"{"data":[],"nextCursor":null}"#)))
        #expect(!old.hasReadStates && old.nextCursor == nil && old.threads.isEmpty)
        #expect(ThreadPage(json("{}")) == nil && ThreadPage(json(#"{"data":{}}"#)) == nil)
    }
}

struct ModelRecordTests {
    private let model = ModelRecord(
        json(
            #"""
            {"id":"gpt-6.1-sol","model":"gpt-6.1-sol","hidden":false,"supportedReasoningEfforts":[{"reasoningEffort":"low","description":"Fast"},
            {"reasoningEffort":"medium"},{"reasoningEffort":"high"}],"defaultReasoningEffort":"low","additionalSpeedTiers":["fast"],
            "serviceTiers":[{"id":"priority","name":"Fast"}],"defaultServiceTier":null,"isDefault":true}
            """#))

    @Test(
        arguments: [
            ("low", true, "medium"), ("medium", true, "high"), ("high", true, "high"), ("high", false, "medium"), ("low", false, "low"),
            (nil, true, "medium"),
            (nil, false, "low"), ("ultra", true, nil), ("", false, nil),
        ] as [(String?, Bool, String?)]) func stepsAlongTheOfferedEfforts(current: String?, upwards: Bool, next: String?) throws
    {
        #expect(try #require(model).effort(after: current, upwards: upwards) == next)
    }

    @Test func aModelWithoutEffortsHasNone() throws {
        let plain = try #require(ModelRecord(json(#"{"id":"m","supportedReasoningEfforts":[5,{"reasoningEffort":null}]}"#)))
        #expect(plain.name == "m" && plain.efforts.isEmpty && !plain.offersFast)
        for current in [nil, "low"] { #expect(plain.effort(after: current, upwards: true) == nil) }
        #expect(ModelRecord(json(#"{"displayName":"m"}"#)) == nil)
    }

    @Test(arguments: [
        (#""serviceTiers":[{"id":"priority"}]"#, true), (#""additionalSpeedTiers":["fast"]"#, true), (#""serviceTiers":[{"id":"flex"}]"#, false),
        (#""serviceTiers":null,"additionalSpeedTiers":[1]"#, false),
    ]) func tellsWhetherItCanBeFast(members: String, offersFast: Bool) {
        #expect(ModelRecord(json(#"{"model":"m",\#(members)}"#))?.offersFast == offersFast)
    }
}

struct ThreadSettingsTests {
    @Test func readsTheAnswerToResuming() throws {
        let opened = try #require(
            OpenedThread(
                json(
                    #"""
                    {"thread":{"id":"\#(thread.uuid)"},"model":"gpt-5.4","modelProvider":"local","serviceTier":"priority","cwd":"/w",
                    "approvalPolicy":"on-request","sandbox":{"type":"readOnly","networkAccess":false},"reasoningEffort":"high",
                    "collaborationMode":{"mode":"plan","settings":{"model":"gpt-5.4"}}}
                    """#)))
        let settings = try #require(opened.settings)
        #expect(opened.thread.identity == thread)
        #expect(settings.model == "gpt-5.4" && settings.effort == "high" && settings.isFast && settings.mode == .plan)
        #expect(settings.sandboxPolicy?["type"] == "readOnly")
    }

    /// Version 0.149.0 names no mode and may name no tier.
    @Test func anOlderAnswerHasLess() throws {
        let opened = try #require(OpenedThread(json(#"{"thread":{"id":"\#(thread.uuid)"},"model":"m","serviceTier":null,"reasoningEffort":null}"#)))
        let settings = try #require(opened.settings)
        #expect(settings.mode == .standard && !settings.isFast && settings.effort == nil && settings.sandboxPolicy == nil)
        #expect(OpenedThread(json(#"{"thread":{"id":"\#(thread.uuid)"}}"#))?.settings == nil)
        #expect(OpenedThread(json(#"{"model":"m"}"#)) == nil)
    }

    @Test(arguments: [("priority", true), ("fast", false), ("default", false), ("flex", false)]) func onlyPriorityIsFast(tier: String, isFast: Bool) {
        #expect(ThreadSettings(["model": "m", "serviceTier": .string(tier)])?.isFast == isFast)
    }
}

struct ServerInfoTests {
    @Test(
        arguments: [
            ("decknode/0.163.0 (Debian 12.0.0; x86_64) xterm (decknode; 0.2)", "0.163.0"),
            ("decknode/0.149.0 (Debian 12.0.0; x86_64) xterm (decknode; 0.2)", "0.149.0"),
            ("codex_cli_rs/0.136.0 (Mac OS 15.5.0; arm64) unknown", "0.136.0"), ("codex-tui/0.170.0-alpha.2 (x)", "0.170.0-alpha.2"),
            ("a/b/c 1/0.163.0", "0.163.0"), ("tool 1.2/x/0.163.0 (y/9.9.9)", "0.163.0"), ("0.163.0", nil), ("decknode", nil), ("", nil), ("/", nil),
            ("a/", nil),
            ("a/b", nil), ("a/1.2", nil), ("a/../../etc", nil), ("a/1..2", nil), ("a/\u{661}.2.3", nil), ("a/1.2.\u{e9}", nil), ("a/1.2.", nil),
            ("a/1.2.x", nil),
        ] as [(String, String?)]) func findsTheVersion(userAgent: String, version: String?)
    {
        #expect(ServerInfo(["userAgent": .string(userAgent)]).version == version)
    }

    @Test func aVersionHasALimit() {
        let info = ServerInfo(["userAgent": .string("a/1.2." + String(repeating: "3", count: 1000))])
        #expect(info.version?.count == 32)
    }

    @Test func anythingMayBeMissing() {
        #expect(ServerInfo(.null) == ServerInfo(["userAgent": 5, "codexHome": []]))
        #expect(ServerInfo(["codexHome": "/c"]).codexHome == "/c")
    }
}
