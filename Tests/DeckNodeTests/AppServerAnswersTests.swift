import JSON
import RelayProtocol
import Testing

@testable import CodexAppServer
@testable import DeckNode

/// What a press is told about the answer it gave.
@Suite(.timeLimit(.minutes(1)))
struct AppServerAnswersTests {
    static func lab(_ change: (inout AppServerLimits) -> Void = { _ in }) async throws -> AppServerLab {
        var limits = AppServerLab.patient
        change(&limits)
        return try await AppServerLab([Wire.thread(1)], limits: limits)
    }

    // MARK: Approve and decline

    @Test func anApprovalIsConfirmedByTheDaemon() async throws {
        let lab = try await Self.lab()
        await lab.asked(Wire.request(0, of: 1))
        await lab.facts(1) { $0.waitsForApproval }
        async let outcome = lab.answerToApprove()
        #expect(await lab.script.answers.take() == ["id": 0, "result": ["decision": "accept"]])
        await lab.script.say(Wire.resolved(0, of: 1), Wire.status(1, Wire.active()))
        #expect(await outcome.isDone)
        #expect(await !lab.facts(1) { $0.status.isActive && !$0.waitsForApproval }.waitsForApproval)
        #expect(await lab.source.answering.isEmpty)
        #expect(await lab.source.watchedItems.isEmpty)
        #expect(await lab.source.itemEnds.isEmpty)
    }

    /// How the item of the request ended, before or after the word that it is resolved, all in one packet.
    @Test(arguments: [true, false], [
        ("accept", "completed", nil), ("accept", "failed", nil), ("accept", "declined", RelayError.answeredElsewhere), ("decline", "declined", nil),
        ("decline", "completed", RelayError.answeredElsewhere), ("decline", "failed", RelayError.answeredElsewhere),
        ("accept", nil, nil), ("decline", nil, RelayError.answeredElsewhere),
    ] as [(String, String?, String?)])
    func theItemTellsWhoseAnswerCounted(itemIsFirst: Bool, row: (decision: String, end: String?, refusal: String?)) async throws {
        // Where the item does not end, the limit runs out; where it does, the limit must not matter.
        let lab = try await Self.lab {
            if row.end != nil { ($0.contradiction, $0.refusal) = (.seconds(120), .seconds(120)) }
        }
        await lab.asked(Wire.request(0, of: 1))
        async let outcome = lab.source.answer(Wire.id(1), row.decision == "accept" ? .approve : .decline)
        #expect(await lab.script.answers.take()["result"]?["decision"]?.string == row.decision)
        let (resolved, ended) = (Wire.resolved(0, of: 1), row.end.map { Wire.itemCompleted(1, $0) } ?? Wire.status(1, Wire.active()))
        if itemIsFirst { await lab.script.say(ended, resolved) } else { await lab.script.say(resolved, ended) }
        let answer = await outcome
        #expect(answer.refusal == row.refusal)
        #expect(answer.isDone == (row.refusal == nil))
    }

    @Test func anAnswerThatIsNotConfirmedIsUnknown() async throws {
        let lab = try await Self.lab { $0.confirmation = .milliseconds(20) }
        await lab.asked(Wire.request(0, of: 1))
        #expect(await lab.answerToApprove().refusal == Refusal.unconfirmed)
        #expect(await lab.source.answering.isEmpty)
    }

    @Test func aConnectionThatEndsBeforeTheConfirmation() async throws {
        let lab = try await Self.lab()
        await lab.asked(Wire.request(0, of: 1))
        async let outcome = lab.answerToApprove()
        await lab.script.answers.take()
        await lab.script.die()
        #expect(await outcome.refusal == Refusal.connectionLost)
    }

    @Test(arguments: ["approve", "decline"]) func ofTwoAnswersAtOnceTheFirstIsGiven(second: String) async throws {
        let lab = try await Self.lab()
        await lab.asked(Wire.request(0, of: 1), Wire.request(1, of: 1))
        async let first = lab.answerToApprove()
        await lab.script.answers.take()
        // The second press was meant for the same request, so it must not answer the other.
        #expect(await lab.source.answer(Wire.id(1), second == "approve" ? .approve : .decline).refusal == RelayError.answeredElsewhere)
        await lab.script.say(Wire.resolved(0, of: 1))
        #expect(await first.isDone)
        #expect(lab.script.answers.rest.isEmpty)
        async let third = lab.answerToApprove()
        #expect(await lab.script.answers.take()["id"] == 1)
        await lab.script.say(Wire.resolved(1, of: 1))
        #expect(await third.isDone)
    }

    // MARK: Cut turns

    @Test(arguments: [true, false]) func aTurnThatIsCutWasAnsweredElsewhere(isApproval: Bool) async throws {
        let lab = try await Self.lab { ($0.contradiction, $0.refusal) = (.seconds(120), .seconds(120)) }
        await lab.asked(Wire.request(0, of: 1))
        async let outcome = lab.source.answer(Wire.id(1), isApproval ? .approve : .decline)
        await lab.script.answers.take()
        await lab.script.say(Wire.turnCompleted(1, "interrupted"), Wire.resolved(0, of: 1))
        #expect(await outcome.refusal == RelayError.answeredElsewhere)
    }

    @Test func anEarlierCutTurnDoesNotMatter() async throws {
        let lab = try await Self.lab()
        await lab.subscribed(1)
        await lab.script.say(Wire.turnStarted(1, "old"), Wire.turnCompleted(1, "interrupted", "old"))
        // The turn began while nobody listened.
        await lab.script.say(Wire.status(1, Wire.active("waitingOnApproval")), Wire.request(0, of: 1))
        await lab.settle()
        async let outcome = lab.answerToApprove()
        await lab.script.answers.take()
        await lab.script.say(Wire.resolved(0, of: 1))
        #expect(await outcome.isDone)
    }

    // MARK: What is there to answer

    @Test func aRequestThatIsStillOnItsWayIsWaitedFor() async throws {
        let lab = try await Self.lab()
        await lab.subscribed(1)
        await lab.script.say(Wire.status(1, Wire.active("waitingOnApproval")))
        await lab.facts(1) { $0.waitsForApproval }
        async let outcome = lab.answerToApprove()
        await lab.script.say(Wire.request(0, of: 1))
        await lab.script.answers.take()
        await lab.script.say(Wire.resolved(0, of: 1))
        #expect(await outcome.isDone)
    }

    @Test func aRequestThatNeverComes() async throws {
        let lab = try await Self.lab { $0.arrival = .milliseconds(10) }
        await lab.subscribed(1)
        await lab.script.say(Wire.status(1, Wire.active("waitingOnApproval")))
        await lab.facts(1) { $0.waitsForApproval }
        #expect(await lab.answerToApprove().refusal == RelayError.nothingToApprove)
    }

    @Test func aHelpersRequestIsAnsweredThroughItsTask() async throws {
        let lab = try await Self.lab()
        await lab.subscribed(1)
        await lab.script.say(Wire.started(Wire.helper(2, of: 1)), Wire.request(3, of: 2))
        await lab.facts(1) { $0.waitsForApproval }
        async let outcome = lab.source.answer(Wire.id(1), .decline)
        #expect(await lab.script.answers.take() == ["id": 3, "result": ["decision": "decline"]])
        await lab.script.say(Wire.itemCompleted(2, "declined"), Wire.resolved(3, of: 2))
        #expect(await outcome.isDone)
    }

    /// With nothing else to wait for, each is answered at once.
    @Test(arguments: [
        (nil, .approve, RelayError.nothingToApprove), (nil, .decline, RelayError.nothingToApprove), (nil, .firstOption, Refusal.noQuestion),
        (Wire.question(0, of: 1, options: ["a"]), .approve, RelayError.nothingToApprove),
        (Wire.question(0, of: 1, options: []), .firstOption, Refusal.needsWords), (Wire.request(0, of: 1), .firstOption, Refusal.noQuestion),
        (Wire.request(0, of: 1, "item/novel/ask"), .approve, Refusal.unknownRequest),
        (Wire.request(0, of: 1, "item/novel/ask"), .firstOption, Refusal.unknownRequest),
        (Wire.request(0, of: 1, Wire.commandMethod, ["availableDecisions": ["cancel"]]), .approve, Refusal.notListed),
        (Wire.request(0, of: 1, "item/permissions/requestApproval", ["permissions": [:]]), .approve, Refusal.notListed),
        (Wire.request(0, of: 1, "mcpServer/elicitation/request", ["mode": "url"]), .approve, Refusal.needsWords),
    ] as [(JSONValue?, AppServerSource.Decision, String)])
    func whatCannotBeAnsweredSaysWhy(request: JSONValue?, decision: AppServerSource.Decision, sentence: String) async throws {
        let lab = try await Self.lab()
        await lab.subscribed(1)
        if let request { await lab.script.say(Wire.status(1, Wire.active("waitingOnApproval")), request) }
        await lab.settle()
        #expect(await lab.source.answer(Wire.id(1), decision).refusal == sentence)
        #expect(lab.script.answers.rest.isEmpty)
    }

    /// These kinds do not tell whose answer counted; that one did is all there is to know.
    @Test(arguments: [
        (Wire.question(0, of: 1, options: ["Blue", "Red"]), .firstOption, ["answers": ["q": ["answers": ["Blue"]]]]),
        (
            Wire.request(0, of: 1, "item/permissions/requestApproval", ["permissions": ["network": ["enabled": true]]]), .approve,
            ["permissions": ["network": ["enabled": true]], "scope": "turn"]
        ),
        (Wire.request(0, of: 1, "item/permissions/requestApproval"), .decline, ["permissions": [:], "scope": "turn"]),
        (
            Wire.request(0, of: 1, "mcpServer/elicitation/request", ["mode": "form", "requestedSchema": ["properties": [:]]]), .approve,
            ["action": "accept", "content": [:]]
        ),
        (Wire.request(0, of: 1, "item/fileChange/requestApproval"), .approve, ["decision": "accept"]),
    ] as [(JSONValue, AppServerSource.Decision, JSONValue)])
    func otherKindsGetTheirOwnAnswers(request: JSONValue, decision: AppServerSource.Decision, answer: JSONValue) async throws {
        let lab = try await Self.lab()
        await lab.asked(request)
        async let outcome = lab.source.answer(Wire.id(1), decision)
        #expect(await lab.script.answers.take() == ["id": 0, "result": answer])
        await lab.script.say(Wire.resolved(0, of: 1))
        #expect(await outcome.isDone)
    }

    // MARK: Judging

    @Test(arguments: [
        (Wire.commandMethod, true), ("item/fileChange/requestApproval", true), ("item/permissions/requestApproval", false),
        ("item/tool/requestUserInput", false), ("mcpServer/elicitation/request", false), ("item/novel/ask", false),
    ], [nil, .completed, .failed, .declined, .inProgress, .unknown] as [ItemRecord.Status?])
    func judging(kind: (method: String, tellsItsEnd: Bool), end: ItemRecord.Status?) throws {
        let request = ServerRequest(id: .integer(0), method: kind.method, params: ["questions": []])
        for isApproval in [true, false] {
            let outcome = AppServerSource.judge(request, isApproval: isApproval, end: end, wasCut: false)
            let isDone = !kind.tellsItsEnd || (end == .declined) == !isApproval
            #expect(outcome.isDone == isDone)
            #expect(outcome.refusal == (isDone ? nil : RelayError.answeredElsewhere))
            let cut = AppServerSource.judge(request, isApproval: isApproval, end: end, wasCut: true)
            #expect(cut.refusal == RelayError.answeredElsewhere)
        }
    }
}
