import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer
@testable import DeckNode

/// What the keys do to threads.
@Suite(.timeLimit(.minutes(1)))
struct AppServerActionsTests {
    static func lab(_ status: JSONValue = Wire.idle, _ change: (inout AppServerLimits) -> Void = { _ in }) async throws -> AppServerLab {
        var limits = AppServerLab.patient
        change(&limits)
        let lab = try await AppServerLab([Wire.thread(1, status), Wire.thread(2, Wire.notLoaded)], limits: limits)
        await lab.subscribed(1)
        return lab
    }

    // MARK: Turns

    @Test func wordsBeginATurn() async throws {
        let lab = try await Self.lab()
        lab.script.on("turn/start") { [$0.result(["turn": ["id": "t"]])] }
        #expect(await lab.source.send("Ship it", to: Wire.id(1)).isDone)
        let call = await lab.script.call("turn/start")
        #expect(call.params["input"] == [["type": "text", "text": "Ship it"]])
        #expect(lab.script.untaken("turn/steer") == 0)
    }

    @Test(arguments: [true, false]) func wordsJoinTheTurnThatRuns(isTaken: Bool) async throws {
        let lab = try await Self.lab()
        lab.script.on("turn/steer") { isTaken ? [$0.result(["turnId": "t"])] : [$0.error("no active turn to steer")] }
        lab.script.on("turn/start") { [$0.result(["turn": ["id": "u"]])] }
        await lab.script.say(Wire.status(1, Wire.active()), Wire.turnStarted(1, "t"))
        await lab.settle()
        #expect(await lab.source.send("and this", to: Wire.id(1)).isDone)
        #expect(await lab.script.call("turn/steer").params["expectedTurnId"] == "t")
        #expect(lab.script.untaken("turn/start") == (isTaken ? 0 : 1))
    }

    @Test(arguments: [
        ("Server is draining", "serverShuttingDown", "The Codex daemon is stopping; try again in a moment."),
        ("something with /home/me in it", nil, "Codex refused to do that."),
        ("Invalid request: unknown variant `turn/start`, expected one of `x`", nil, "This version of Codex cannot do that."),
    ] as [(String, String?, String)])
    func aRefusalIsSaidInPlainWords(message: String, reason: String?, sentence: String) async throws {
        let lab = try await Self.lab()
        lab.script.on("turn/start") { [$0.error(message, reason: reason)] }
        #expect(await lab.source.send("x", to: Wire.id(1)).refusal == sentence)
        #expect(lab.script.untaken("turn/start") == 1)
    }

    @Test func anOverloadedDaemonIsAskedAgain() async throws {
        let lab = try await Self.lab()
        let asked = Journal<Int>()
        lab.script.on("turn/start") { call in
            asked.add(0)
            return asked.rest.count < 3 ? [call.error("busy", code: -32001)] : [call.result(["turn": ["id": "t"]])]
        }
        #expect(await lab.source.send("x", to: Wire.id(1)).isDone)
        #expect(asked.rest.count == 3)
    }

    // MARK: What must be idle

    /// What was last heard may be older than the press: the daemon itself is asked.
    @Test(arguments: ["archive", "review"]) func aWorkingTaskIsLeftAlone(action: String) async throws {
        let lab = try await Self.lab()
        lab.script.on("thread/read") { [$0.result(["thread": Wire.thread(1, Wire.active())])] }
        let outcome = action == "archive" ? await lab.source.archive(Wire.id(1)) : await lab.source.review(Wire.id(1), .uncommittedChanges)
        #expect(outcome.refusal == RelayError.stillWorking)
        #expect(lab.script.untaken("thread/read") == 1)
        #expect(lab.script.untaken("thread/archive") + lab.script.untaken("review/start") == 0)
    }

    @Test(arguments: [1, 2] as [UInt8]) func anIdleTaskIsArchived(number: UInt8) async throws {
        let lab = try await Self.lab()
        lab.script.on("thread/archive") { [$0.result(), Wire.status(number, Wire.notLoaded), Wire.note("thread/archived", number)] }
        #expect(await lab.source.archive(Wire.id(number)).isDone)
        await lab.changes.take(AppServerSourceTests.isGone(number, isRemoved: true))
    }

    /// The review's turn begins in the packet of the answer, or later.
    @Test(arguments: [true, false]) func aReviewHasBegunWhenItIsSaidSo(isAtOnce: Bool) async throws {
        let lab = try await Self.lab()
        let begun = [Wire.status(1, Wire.active()), Wire.turnStarted(1, "other")]
        lab.script.on("review/start") { [$0.result(["turn": ["id": "t"], "reviewThreadId": .string($0.thread)])] + (isAtOnce ? begun : []) }
        let outcomes = Journal<ActionOutcome>()
        Task { outcomes.add(await lab.source.review(Wire.id(1), .baseBranch("main"))) }
        #expect(await lab.script.call("review/start").params["target"] == ["type": "baseBranch", "branch": "main"])
        if !isAtOnce {
            // The answer is in by the first of these, and what it is good for by the second.
            for _ in 0..<2 { await lab.settle() }
            #expect(outcomes.rest.isEmpty)
            await lab.script.say(begun[0], begun[1])
        }
        #expect(await outcomes.take().isDone)
    }

    // MARK: New threads

    @Test(arguments: [false, true]) func aForkOpens(isSideChat: Bool) async throws {
        let lab = try await Self.lab()
        let fork = Wire.thread(3, Wire.idle, ["ephemeral": .bool(isSideChat), "forkedFromId": .string(Wire.id(1).uuid)])
        lab.script.on("thread/fork") { [Wire.started(fork), $0.result(Wire.opened(fork))] }
        guard case .opened(let facts) = await lab.source.fork(Wire.id(1), asSideChat: isSideChat) else { throw NotOpened() }
        #expect(facts.identity == Wire.id(3))
        #expect(facts.sideChatOf == (isSideChat ? Wire.id(1) : nil))
        let call = await lab.script.call("thread/fork")
        #expect((call.params["ephemeral"], call.params["excludeTurns"]) == (.bool(isSideChat), true))
        await lab.facts(3)
    }

    struct NotOpened: Error {}

    @Test func aNewThreadOpensInItsFolder() async throws {
        let lab = try await Self.lab()
        lab.script.on("thread/start") { [$0.result(Wire.opened(Wire.thread(3, Wire.idle, ["cwd": $0.params["cwd"] ?? .null])))] }
        guard case .opened(let facts) = await lab.source.startThread(in: "/home/somebody/here") else { throw NotOpened() }
        #expect(facts.folder == "/home/somebody/here")
        #expect(lab.script.untaken("thread/resume") == 0)
    }

    // MARK: Obstacles

    static let actions: [@Sendable (AppServerSource, TaskIdentity) async -> ActionOutcome] = [
        { await $0.toggleFast($1) }, { await $0.togglePlan($1) }, { await $0.changeEffort($1, upwards: true) }, { await $0.send("x", to: $1) },
        { await $0.review($1, .uncommittedChanges) },
    ]

    @Test(arguments: actions.indices) func aTaskThatIsNotLoadedIsNotTouched(index: Int) async throws {
        let lab = try await Self.lab()
        for number in [2, 9] as [UInt8] {
            #expect(await Self.actions[index](lab.source, Wire.id(number)).refusal == Refusal.notLoaded)
        }
        let quiet = ["thread/list", "thread/loaded/list", "model/list", "account/rateLimits/read"]
        #expect(lab.script.calls.rest.allSatisfy { quiet.contains($0.method) })
    }

    @Test func withoutADaemonNothingIsDone() async throws {
        let lab = try await Self.lab()
        await lab.script.die()
        await lab.changes.take(AppServerSourceTests.isLost)
        var outcomes: [ActionOutcome] = []
        for action in Self.actions { outcomes.append(await action(lab.source, Wire.id(1))) }
        outcomes.append(await lab.source.archive(Wire.id(1)))
        outcomes.append(await lab.source.fork(Wire.id(1), asSideChat: true))
        outcomes.append(await lab.source.startThread(in: "/"))
        outcomes.append(await lab.source.play(["true"], in: "/", of: Wire.id(1)))
        outcomes.append(await lab.source.resetLimit(key: "k"))
        outcomes.append(await lab.source.answer(Wire.id(1), .firstOption))
        #expect(outcomes.map(\.refusal) == Array(repeating: Refusal.notConnected, count: outcomes.count))
    }

    // MARK: The owner's command

    @Test(arguments: [(0, nil), (3, "The command ended with code 3."), (-1, "The command ended with code -1.")] as [(Int, String?)])
    func aCommandThatEnds(code: Int, refusal: String?) async throws {
        let lab = try await Self.lab()
        lab.script.on("command/exec") { [$0.result(["exitCode": .number(Double(code)), "stdout": "", "stderr": ""])] }
        let outcome = await lab.source.play(["make", "test"], in: "/work", of: Wire.id(1))
        #expect(outcome.refusal == refusal)
        #expect(outcome.isDone == (refusal == nil))
        let call = await lab.script.call("command/exec")
        #expect(call.params["command"] == ["make", "test"])
        #expect(call.params["sandboxPolicy"] == ["type": "readOnly"], "with the rights the task has")
    }

    @Test func aCommandThatGoesOnHasBegunWell() async throws {
        let lab = try await Self.lab(Wire.idle) { $0.play = .milliseconds(10) }
        #expect(await lab.source.play(["serve"], in: "/work", of: Wire.id(1)).isDone)
    }

    @Test func aCommandWhoseDaemonDiesIsUnknown() async throws {
        let lab = try await Self.lab()
        async let outcome = lab.source.play(["serve"], in: "/work", of: Wire.id(1))
        await lab.script.call("command/exec")
        await lab.script.die()
        #expect(await outcome.refusal == Refusal.connectionLost)
    }
}
