import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer
@testable import DeckNode

/// Settings, read marks and credits: what the daemon confirms, and when.
@Suite(.timeLimit(.minutes(1)))
struct AppServerSettingsTests {
    static func lab(
        _ settings: JSONValue? = nil, readStates: [String: JSONValue] = [:], _ change: (inout AppServerLimits) -> Void = { _ in }
    ) async throws -> AppServerLab {
        var limits = AppServerLab.patient
        change(&limits)
        let lab = try await AppServerLab([Wire.thread(1)], readStates: readStates, limits: limits)
        await lab.subscribed(1)
        if let settings { await lab.script.say(Wire.settingsUpdated(1, settings)) }
        await lab.settle()
        return lab
    }

    // MARK: Confirmation

    enum Order: CaseIterable { case before, sameBreath, after, afterAnother }

    @Test(arguments: Order.allCases) func aSettingIsDoneWhenItIsConfirmed(order: Order) async throws {
        let lab = try await Self.lab()
        let news = Wire.settingsUpdated(1, Wire.settings(tier: "priority"))
        let other = Wire.settingsUpdated(1, Wire.settings(effort: "high"))
        lab.script.on("thread/settings/update") { call in
            switch order {
            case .before: [news, call.result()]
            case .sameBreath: [call.result(), news]
            case .after: [call.result()]
            case .afterAnother: [call.result(), other]
            }
        }
        async let outcome = lab.source.toggleFast(Wire.id(1))
        #expect(await lab.script.call("thread/settings/update").params["serviceTier"] == "priority")
        if order == .after || order == .afterAnother {
            await lab.settle()
            await lab.script.say(news)
        }
        #expect(await outcome.isDone)
        #expect(await lab.source.fastThreads == [Wire.id(1)])
    }

    @Test func aSettingThatIsNeverConfirmed() async throws {
        let lab = try await Self.lab { $0.settings = .milliseconds(20) }
        #expect(await lab.source.toggleFast(Wire.id(1)).refusal == Refusal.unconfirmed)
        #expect(await lab.source.fastThreads.isEmpty, "a reload must not bring what nobody confirmed")
    }

    @Test func aConnectionThatEndsBeforeTheConfirmation() async throws {
        let lab = try await Self.lab()
        async let outcome = lab.source.toggleFast(Wire.id(1))
        await lab.script.call("thread/settings/update")
        await lab.settle()
        await lab.script.die()
        #expect(await outcome.refusal == Refusal.connectionLost)
    }

    // MARK: What is asked for

    @Test(arguments: [("priority", "default"), ("default", "priority"), (nil, "priority"), ("flex", "priority")] as [(String?, String)])
    func fastIsToggled(tier: String?, wanted: String) async throws {
        let lab = try await Self.lab(Wire.settings(tier: tier))
        lab.script.on("thread/settings/update") {
            [$0.result(), Wire.settingsUpdated(1, Wire.settings(tier: $0.params["serviceTier"]?.string))]
        }
        #expect(await lab.source.toggleFast(Wire.id(1)).isDone)
        #expect(await lab.script.call("thread/settings/update").params["serviceTier"]?.string == wanted)
    }

    @Test(arguments: [
        ("low", true, "medium"), ("medium", true, "high"), ("high", true, nil), ("high", false, "medium"), ("low", false, nil),
    ] as [(String, Bool, String?)])
    func effortGoesUpAndDownToTheEnds(effort: String, upwards: Bool, wanted: String?) async throws {
        let lab = try await Self.lab(Wire.settings(effort: effort))
        lab.script.on("thread/settings/update") {
            [$0.result(), Wire.settingsUpdated(1, Wire.settings(effort: $0.params["effort"]?.string))]
        }
        #expect(await lab.source.changeEffort(Wire.id(1), upwards: upwards).isDone)
        #expect(lab.script.calls.rest.compactMap { $0.params["effort"]?.string } == [wanted].compactMap(\.self))
    }

    /// A mode without model and effort would clear the effort.
    @Test(arguments: [("default", "plan"), ("plan", "default"), ("pair_programming", "plan")])
    func planKeepsModelAndEffort(mode: String, wanted: String) async throws {
        let lab = try await Self.lab(Wire.settings(effort: "high", mode: mode))
        lab.script.on("thread/settings/update") { [$0.result(), Wire.settingsUpdated(1, Wire.settings(effort: "high", mode: wanted))] }
        #expect(await lab.source.togglePlan(Wire.id(1)).isDone)
        let call = await lab.script.call("thread/settings/update")
        #expect(call.params["collaborationMode"] == ["mode": .string(wanted), "settings": ["model": "gpt-5.5", "reasoning_effort": "high"]])
    }

    @Test func aModelThatIsNotListedOffersNothing() async throws {
        let lab = try await Self.lab(Wire.settings(model: "gpt-5.4"))
        #expect(await lab.source.toggleFast(Wire.id(1)).refusal == Refusal.noFastMode)
        #expect(await lab.source.changeEffort(Wire.id(1), upwards: true).refusal == Refusal.noEfforts)
        await lab.script.say(Wire.settingsUpdated(1, Wire.settings(effort: "bogus")))
        await lab.settle()
        #expect(await lab.source.changeEffort(Wire.id(1), upwards: true).refusal == Refusal.effortUnlisted)
        #expect(lab.script.untaken("thread/settings/update") == 0)
    }

    /// The settings of a thread that was unloaded meanwhile may be others by now.
    @Test func oldSettingsAreNotBuiltUpon() async throws {
        let lab = try await Self.lab()
        lab.script.on("thread/resume") { _ in [] }
        await lab.script.say(Wire.note("thread/closed", 1), Wire.status(1, Wire.idle))
        await lab.settle()
        #expect(await lab.source.togglePlan(Wire.id(1)).refusal == Refusal.noSettings)
    }

    // MARK: Read marks

    static let unread = [Wire.id(1).uuid: Wire.readState(unread: true, "r1")]

    @Test func anOpenedTaskIsMarkedRead() async throws {
        let lab = try await Self.lab(readStates: Self.unread)
        lab.script.on("thread/readState/update") { call in
            let state = Wire.readState(unread: false, "r2")
            return [Wire.note("thread/readState/changed", 1, ["readState": state]), call.result(["readState": state])]
        }
        await lab.source.markRead(Wire.id(1))
        #expect(await lab.script.call("thread/readState/update").params["expectedRevision"] == "r1")
        let facts = await lab.facts(1) { $0.isUnread == false }
        #expect(facts.timesRead == 1, "the word of it and the answer are one reading")
        await lab.source.markRead(Wire.id(1))
        #expect(lab.script.untaken("thread/readState/update") == 0, "what is read is left alone")
    }

    @Test(arguments: [1, 2]) func aMarkThatHasChangedIsTriedOnceMore(conflicts: Int) async throws {
        let lab = try await Self.lab(readStates: Self.unread)
        let asked = Journal<Int>()
        lab.script.on("thread/readState/update") { call in
            asked.add(0)
            if asked.rest.count <= conflicts { return [call.error("read state changed", reason: "readStateConflict")] }
            return [call.result(["readState": Wire.readState(unread: false, "r9")])]
        }
        lab.script.on("thread/read") { [$0.result(["thread": Wire.thread(1), "readState": Wire.readState(unread: true, "r8")])] }
        await lab.source.markRead(Wire.id(1))
        await lab.settle()
        #expect(await lab.script.call("thread/readState/update").params["expectedRevision"] == "r1")
        #expect(await lab.script.call("thread/readState/update").params["expectedRevision"] == "r8")
        #expect(lab.script.untaken("thread/readState/update") == 0)
        #expect(await lab.source.book.facts(Wire.id(1))?.isUnread == (conflicts == 2))
    }

    @Test func aMarkThatSomebodyElseRemovedIsTaken() async throws {
        let lab = try await Self.lab(readStates: Self.unread)
        lab.script.on("thread/readState/update") { [$0.error("read state changed", reason: "readStateConflict")] }
        lab.script.on("thread/read") { [$0.result(["thread": Wire.thread(1), "readState": Wire.readState(unread: false, "r8")])] }
        await lab.source.markRead(Wire.id(1))
        #expect(await lab.facts(1) { $0.isUnread == false }.timesRead == 1)
        #expect(lab.script.untaken("thread/readState/update") == 1)
    }

    // MARK: Credits

    static func account(_ credits: Int?) -> JSONValue {
        ["rateLimits": [:], "rateLimitResetCredits": credits.map { ["availableCount": .number(Double($0))] } ?? .null]
    }

    @Test(arguments: [
        ("reset", nil), ("nothingToReset", Refusal.nothingToReset), ("noCredit", Refusal.noCredit), ("alreadyRedeemed", Refusal.alreadyRedeemed),
        ("something", Refusal.resetUnknown),
    ] as [(String, String?)])
    func aCreditIsUsed(word: String, refusal: String?) async throws {
        let lab = try await Self.lab()
        lab.script.on("account/rateLimits/read") { [$0.result(Self.account(2))] }
        lab.script.on("account/rateLimitResetCredit/consume") { [$0.result(["outcome": .string(word)])] }
        let outcome = await lab.source.resetLimit(key: "fresh")
        #expect(outcome.refusal == refusal)
        #expect(outcome.isDone == (refusal == nil))
        #expect(await lab.script.call("account/rateLimitResetCredit/consume").params["idempotencyKey"] == "fresh")
        #expect(lab.script.untaken("account/rateLimitResetCredit/consume") == 0)
        // At the beginning, before the credit is used, and after it.
        for _ in 0..<3 { await lab.script.call("account/rateLimits/read") }
    }

    @Test(arguments: [0, nil] as [Int?]) func withoutACreditNothingIsUsed(credits: Int?) async throws {
        let lab = try await Self.lab()
        #expect(await lab.source.resetLimit(key: "a").refusal == Refusal.noCredit, "nobody is signed in")
        lab.script.on("account/rateLimits/read") { [$0.result(Self.account(credits))] }
        #expect(await lab.source.resetLimit(key: "b").refusal == Refusal.noCredit)
        #expect(lab.script.untaken("account/rateLimitResetCredit/consume") == 0)
    }

    @Test(arguments: [true, false]) func aCreditWhoseFateIsUnknown(isAsked: Bool) async throws {
        let lab = try await Self.lab()
        lab.script.on("account/rateLimits/read") { isAsked ? [$0.result(Self.account(1))] : [] }
        _ = await lab.script.call("account/rateLimits/read")
        async let outcome = lab.source.resetLimit(key: "k")
        await lab.script.call(isAsked ? "account/rateLimitResetCredit/consume" : "account/rateLimits/read")
        await lab.script.die()
        let sentence = await outcome.refusal
        #expect(sentence == (isAsked ? Refusal.resetUnknown : "\(AppServerError.disconnected)"))
    }
}
