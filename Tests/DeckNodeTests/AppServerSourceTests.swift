import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer
@testable import DeckNode

/// What the source reads of a daemon, and what becomes of it when the daemon goes.
@Suite(.timeLimit(.minutes(1)))
struct AppServerSourceTests {
    static func isGone(_ number: UInt8, isRemoved: Bool) -> @Sendable (AppServerChange) -> Bool {
        { if case .gone(Wire.id(number), isRemoved) = $0 { true } else { false } }
    }

    static let isLost: @Sendable (AppServerChange) -> Bool = { if case .condition(let condition) = $0 { !condition.isConnected } else { false } }
    static let isConnected: @Sendable (AppServerChange) -> Bool = { if case .condition(let condition) = $0 { condition.isConnected } else { false } }

    static func misses(_ sentence: String) -> @Sendable (AppServerChange) -> Bool {
        { if case .condition(let condition) = $0 { condition.missing.contains { $0.hasPrefix(sentence) } } else { false } }
    }

    // MARK: Reading

    @Test func onlyLoadedTasksAreTakenUp() async throws {
        let lab = try await AppServerLab(
            [
                Wire.thread(1, Wire.idle), Wire.thread(2, Wire.notLoaded), Wire.thread(3, Wire.idle, ["ephemeral": true]),
                Wire.helper(4, of: 1, Wire.active()), Wire.thread(5, ["type": "hibernating"]),
            ], readStates: [Wire.id(2).uuid: Wire.readState(unread: true)])
        await lab.subscribed(1)
        #expect(await lab.facts(1).status == .idle)
        let listed = await lab.facts(2)
        #expect((listed.status, listed.isUnread) == (.notLoaded, true))
        #expect(lab.script.untaken("thread/resume") == 0)
        await lab.script.say(Wire.status(2, Wire.idle))
        await lab.subscribed(2)
        #expect(lab.script.untaken("thread/resume") == 0)
    }

    @Test func aLoadedThreadThatIsNotListedIsRead() async throws {
        let lab = try await AppServerLab([Wire.thread(1)]) { script in script.on("thread/list") { [$0.result(["data": []])] } }
        #expect(await lab.script.call("thread/read").thread == Wire.id(1).uuid)
        await lab.subscribed(1)
        await lab.facts(1)
    }

    @Test func theListIsReadToItsFourthPage() async throws {
        let lab = try await AppServerLab { script in
            script.on("thread/list") { call in
                let page = call.params["cursor"]?.string.flatMap { UInt8($0) } ?? 0
                return [call.result(["data": [Wire.thread(page + 1, Wire.notLoaded)], "nextCursor": .string("\(page + 1)"), "readStates": [:]])]
            }
        }
        for number in 1...4 { await lab.facts(UInt8(number)) }
        await lab.settle()
        #expect(lab.script.untaken("thread/list") == 4)
    }

    /// The answer, and what happened right after it, come in one packet.
    @Test func whatFollowsAnAnswerComesAfterIt() async throws {
        let lab = try await AppServerLab([Wire.thread(1)]) { script in
            script.on("thread/list") { call in
                [
                    call.result(["data": [Wire.thread(1, Wire.active())], "readStates": [:]]), Wire.status(1, Wire.idle),
                    Wire.note("thread/name/updated", 1, ["threadName": "Later"]),
                ]
            }
        }
        let facts = await lab.facts(1) { $0.name == "Later" }
        #expect((facts.status, facts.statusSince) == (.idle, Wire.start))
    }

    @Test func whatAVersionLacksIsSaidOnce() async throws {
        let lab = try await AppServerLab { script in
            script.on("thread/list") { [$0.result(["data": []])] }
            script.on("model/list") { [$0.error("Invalid request: unknown variant `model/list`, expected one of `initialize`")] }
        }
        await lab.changes.take { change in
            if case .condition(let condition) = change { condition.missing.count == 2 } else { false }
        }
        let missing = await lab.source.condition.missing
        #expect(missing.contains { $0.contains("no read marks") })
        #expect(missing.contains { $0.contains("no models") })
    }

    /// A daemon that has no time is no older daemon.
    @Test func whatADaemonHasNoTimeForIsAskedForAgain() async throws {
        let asked = Journal<Int>()
        let lab = try await AppServerLab { script in
            script.on("model/list") { call in
                asked.add(0)
                // More often than a single call tries.
                guard asked.rest.count > OverloadBackoff.maximumAttempts else { return [call.error("busy", code: -32001)] }
                return [call.result(["data": [["model": "gpt-5.5"]]])]
            }
        }
        for _ in 0...OverloadBackoff.maximumAttempts { await lab.script.call("model/list") }
        await lab.settle()
        #expect(await lab.source.models.map(\.name) == ["gpt-5.5"])
        #expect(await lab.source.condition.missing.isEmpty)
    }

    @Test func equalFactsAreReportedOnce() async throws {
        let lab = try await AppServerLab([Wire.thread(1)])
        await lab.subscribed(1)
        await lab.facts(1)
        await lab.script.say(Wire.started(Wire.thread(1)), Wire.status(1, Wire.idle), Wire.resolved(0, of: 1))
        await lab.settle()
        let more = lab.changes.rest.filter { if case .thread(let facts) = $0 { facts.identity == Wire.id(1) } else { false } }
        #expect(more.isEmpty)
    }

    @Test(arguments: ["thread/archived", "thread/deleted"]) func anArchivedThreadIsGoneForGood(method: String) async throws {
        let lab = try await AppServerLab([Wire.thread(1)])
        await lab.facts(1)
        await lab.script.say(Wire.status(1, Wire.notLoaded), Wire.note(method, 1))
        await lab.changes.take(Self.isGone(1, isRemoved: true))
    }

    // MARK: Limits

    @Test func limitsAndCreditsAreReported() async throws {
        let lab = try await AppServerLab { script in
            script.on("account/rateLimits/read") { call in
                [call.result(["rateLimits": ["primary": ["usedPercent": 38]], "rateLimitResetCredits": ["availableCount": 2]])]
            }
        }
        await lab.changes.take { if case .limits(let record) = $0 { record.primary?.usedPercent == 38 } else { false } }
        await lab.changes.take { if case .credits(2) = $0 { true } else { false } }
        await lab.script.say(["method": "account/rateLimits/updated", "params": ["rateLimits": ["limitId": "codex", "primary": ["usedPercent": 40]]]])
        await lab.changes.take { if case .limits(let record) = $0 { record.primary?.usedPercent == 40 } else { false } }
        await lab.settle()
        #expect(lab.script.untaken("account/rateLimits/read") == 1, "the account is not asked at every turn of the model")
        await lab.script.die()
        await lab.changes.take { if case .credits(nil) = $0 { true } else { false } }
    }

    // MARK: The end of a connection

    @Test func whenTheDaemonIsGoneEverythingIsToldInOneReport() async throws {
        let lab = try await AppServerLab([Wire.thread(1), Wire.thread(2, Wire.notLoaded)])
        await lab.asked(Wire.request(0, of: 1))
        await lab.script.die()
        let report = await lab.reports.take { $0.contains(where: Self.isLost) }
        #expect(report.contains(where: Self.isGone(1, isRemoved: false)))
        #expect(report.contains(where: Self.isGone(2, isRemoved: false)))
        #expect(await lab.answerToApprove().refusal == Refusal.notConnected)
    }

    @Test func aNewConnectionReadsEverythingAnew() async throws {
        let lab = try await AppServerLab([Wire.thread(1)])
        await lab.asked(Wire.request(0, of: 1))
        await lab.facts(1) { $0.waitsForApproval }
        await lab.script.die(comesBack: true)
        await lab.changes.take(Self.isLost)
        await lab.changes.take(Self.isConnected)
        await lab.subscribed(1)
        let facts = await lab.facts(1) { !$0.waitsForApproval }
        #expect((facts.timesRead, facts.statusSince, facts.lastEnd) == (0, nil, nil))
        // The new daemon's first request has the number of the old one's last.
        await lab.script.say(Wire.status(1, Wire.active("waitingOnApproval")), Wire.request(0, of: 1, "item/fileChange/requestApproval"))
        await lab.settle()
        async let outcome = lab.answerToApprove()
        #expect(await lab.script.answers.take()["id"] == 0)
        await lab.script.say(Wire.resolved(0, of: 1))
        #expect(await outcome.isDone)
        #expect(lab.script.answers.rest.isEmpty)
    }

    /// A reload drops the fast tier; what was made fast here becomes fast again.
    @Test func aReloadedThreadBecomesFastAgain() async throws {
        let lab = try await AppServerLab([Wire.thread(1)])
        await lab.subscribed(1)
        await lab.script.say(Wire.settingsUpdated(1, Wire.settings(tier: "priority")))
        await lab.script.say(Wire.note("thread/closed", 1), Wire.status(1, Wire.idle))
        let call = await lab.script.call("thread/settings/update")
        #expect(call.params["serviceTier"] == "priority")
        await lab.script.say(Wire.settingsUpdated(1, Wire.settings(tier: "priority")), Wire.settingsUpdated(1, Wire.settings(tier: "default")))
        await lab.script.say(Wire.note("thread/closed", 1), Wire.status(1, Wire.idle))
        await lab.script.calls.take { $0.method == "thread/resume" }
        await lab.script.calls.take { $0.method == "thread/resume" }
        await lab.settle()
        #expect(lab.script.untaken("thread/settings/update") == 0, "somebody made it slow on purpose")
    }
}
