import CodexKit
import FoundationEssentials
import Testing

struct TurnTests {
    @Test func tellsATurnInOrder() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("Hello, Ada", usage: AgentUsage(inputTokens: 7, outputTokens: 3))))
        let thread = try await fixture.runtime.createThread(title: "First")
        let (events, error) = await (try fixture.runtime.stream(Request(text: "Hi"), in: thread.id)).collected()
        #expect(error == nil)
        #expect(
            events.map(\.name) == [
                "threadStarted", "turnStarted", "threadStatusChanged", "messageCommitted", "assistantMessageDelta", "assistantMessageDelta",
                "messageCommitted", "threadStatusChanged", "turnCompleted",
            ])
        guard case .turnCompleted(let summary) = events.last else { return }
        #expect(summary.finalMessage?.text == "Hello, Ada")
        #expect(summary.usage?.totalTokens == 10)
        let messages = try await fixture.runtime.messages(for: thread.id)
        #expect(messages.map(\.text) == ["Hi", "Hello, Ada"])
        #expect(messages.map(\.role) == [.user, .assistant])
        #expect(try await fixture.runtime.turns(of: thread.id).map(\.status) == [.completed])
    }

    @Test func theSecondTurnKnowsTheFirst() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("one"), .text("two")))
        let thread = try await fixture.runtime.createThread()
        #expect(try await fixture.runtime.send(Request(text: "a"), in: thread.id) == "one")
        #expect(try await fixture.runtime.send(Request(text: "b"), in: thread.id) == "two")
        #expect(await fixture.requests.last?.input == [.text(.user, "a"), .text(.assistant, "one"), .text(.user, "b")])
        let second = try await fixture.runtime.stream(Request(text: "c"), in: thread.id).collected()
        #expect(second.events.first?.name == "turnStarted", "only the first turn starts the thread")
    }

    @Test func refusesWhatCannotBeSent() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("x")))
        let thread = try await fixture.runtime.createThread()
        let runtime = fixture.runtime
        #expect(await code { try await runtime.send(Request(text: " \n"), in: thread.id) } == .emptyRequest)
        #expect(await code { try await runtime.send(Request(text: "x"), in: "nowhere") } == .threadNotFound)
        let unknownSkill = Request(text: "x", skillSelection: .append(["none"]))
        #expect(await code { try await runtime.send(unknownSkill, in: thread.id) } == .skillNotFound)
        #expect(try await runtime.messages(for: thread.id).isEmpty)
        #expect(await fixture.requests.isEmpty)
    }

    @Test func withoutASessionNothingIsKept() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("x")), session: nil)
        let thread = try await fixture.runtime.createThread()
        #expect(await code { try await fixture.runtime.send(Request(text: "x"), in: thread.id) } == .missingSession)
        #expect(try await fixture.runtime.messages(for: thread.id).isEmpty)
        #expect(try await fixture.runtime.thread(id: thread.id).status == .idle)
        await fixture.runtime.useSession(.test)
        #expect(try await fixture.runtime.send(Request(text: "x"), in: thread.id) == "x")
    }

    @Test func oneTurnAtATimeInAThread() async throws {
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.wait(gate)] + .text("late")))
        let thread = try await fixture.runtime.createThread()
        let other = try await fixture.runtime.createThread()
        let stream = try await fixture.runtime.stream(Request(text: "a"), in: thread.id)
        #expect(await code { try await fixture.runtime.send(Request(text: "b"), in: thread.id) } == .turnInProgress)
        #expect(try await fixture.runtime.thread(id: thread.id).status == .streaming)
        async let elsewhere = fixture.runtime.send(Request(text: "c"), in: other.id)
        await gate.open()
        #expect(try await elsewhere == "late")
        #expect(await stream.collected().error == nil)
        #expect(try await fixture.runtime.messages(for: thread.id).count == 2)
    }

    @Test func aFailureIsToldAndKept() async throws {
        let failure = AgentRuntimeError(code: .rateLimited, message: "Too many requests.", status: 429)
        let fixture = try await RuntimeFixture(ScriptedBackend([.event(.textDelta(itemID: "m", delta: "Hal")), .fail(failure)], .text("fine")))
        let thread = try await fixture.runtime.createThread()
        let (events, error) = await (try fixture.runtime.stream(Request(text: "Hi"), in: thread.id)).collected()
        #expect(error == failure)
        #expect(events.last == .turnFailed(failure))
        #expect(try await fixture.runtime.thread(id: thread.id).status == .failed)
        let turn = try await fixture.runtime.turns(of: thread.id).last
        #expect(turn?.failure?.code == .rateLimited && turn?.failure?.message == "Too many requests.")
        // The next turn goes on as if the answer had never begun.
        #expect(try await fixture.runtime.send(Request(text: "again"), in: thread.id) == "fine")
        #expect(await fixture.requests.last?.input == [.text(.user, "Hi"), .text(.user, "again")])
    }

    @Test func manyThreadsAtOnceDoNotDisturbEachOther() async throws {
        let folder = try TemporaryFolder()
        let backend = ScriptedBackend { request, _ in
            guard case .functionCallOutput = request.input.last else { return .call("look") }
            return .text("answer to \(request.threadID)")
        }
        let fixture = try await RuntimeFixture(backend, store: SQLiteRuntimeStateStore(url: folder.url("state"))) { $0.tools = [.test("look")] }
        let runtime = fixture.runtime
        let events = await runtime.observeEvents()
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    let thread = try await runtime.createThread()
                    for _ in 0..<3 { #expect(try await runtime.send(Request(text: "x"), in: thread.id) == "answer to \(thread.id)") }
                    #expect(try await runtime.history(of: thread.id).count == 12)
                }
            }
            try await group.waitForAll()
        }
        var completed = 0
        for await event in events where event.event.name == "turnCompleted" {
            completed += 1
            if completed == 30 { break }
        }
        #expect(try await runtime.threads().count == 10)
    }

    @Test func interruptingEndsTheTurnAndTheQuestionToTheModel() async throws {
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.event(.textDelta(itemID: "m", delta: "Hal")), .wait(gate)] + .text("never")))
        let thread = try await fixture.runtime.createThread()
        let stream = try await fixture.runtime.stream(Request(text: "Hi"), in: thread.id)
        await gate.somebodyWaits()
        await fixture.runtime.interruptTurn(in: thread.id)
        let (events, error) = await stream.collected()
        #expect(error?.code == .turnInterrupted)
        #expect(events.last?.name == "turnFailed")
        #expect(try await fixture.runtime.thread(id: thread.id).status == .interrupted)
        #expect(try await fixture.runtime.turns(of: thread.id).map(\.status) == [.interrupted])
    }

    @Test func cancellingTheSenderInterruptsTheTurn() async throws {
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.wait(gate)] + .text("never")))
        let runtime = fixture.runtime
        let thread = try await runtime.createThread()
        let events = await runtime.observeEvents(in: thread.id)
        let sender = Task { try await runtime.send(Request(text: "Hi"), in: thread.id) }
        await gate.somebodyWaits()
        sender.cancel()
        #expect(await code { try await sender.value } == .turnInterrupted)
        for await event in events where event.name == "turnFailed" { break }
        #expect(try await runtime.thread(id: thread.id).status == .interrupted)
    }

    @Test func lettingGoOfTheStreamInterruptsTheTurn() async throws {
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.wait(gate)] + .text("never")))
        let thread = try await fixture.runtime.createThread()
        let events = await fixture.runtime.observeEvents(in: thread.id)
        var stream: AgentEventStream? = try await fixture.runtime.stream(Request(text: "Hi"), in: thread.id)
        await gate.somebodyWaits()
        _ = stream
        stream = nil
        for await event in events where event.name == "turnFailed" { break }
        #expect(try await fixture.runtime.thread(id: thread.id).status == .interrupted)
    }

    @Test func requestBeatsThreadBeatsBackend() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("x")))
        let thread = try await fixture.runtime.createThread(
            configuration: AgentThreadConfiguration(model: "thread-model", reasoningEffort: .low, enableWebSearch: true))
        _ = try await fixture.runtime.send(Request(text: "a"), in: thread.id)
        _ = try await fixture.runtime.send(
            Request(text: "b", options: RequestOptions(model: "turn-model", reasoningEffort: .extraHigh, enableWebSearch: false)), in: thread.id)
        let requests = await fixture.requests
        #expect(requests.map(\.model) == ["thread-model", "turn-model"])
        #expect(requests.map(\.reasoningEffort) == [.low, .extraHigh])
        #expect(requests.map(\.enableWebSearch) == [true, false])
        #expect(requests.map(\.threadID) == [thread.id, thread.id])
    }

    @Test func anEphemeralRequestSeesThePastAndLeavesNoTrace() async throws {
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("one"), .text("aside"), .text("two")))
        let thread = try await fixture.runtime.createThread()
        _ = try await fixture.runtime.send(Request(text: "a"), in: thread.id)
        let before = try await fixture.runtime.history(of: thread.id)
        let events = await fixture.runtime.observeEvents(in: thread.id)
        #expect(try await fixture.runtime.send(Request(text: "what?", options: .ephemeral), in: thread.id) == "aside")
        #expect(await fixture.requests.last?.input.first == .text(.user, "a"))
        #expect(try await fixture.runtime.history(of: thread.id) == before)
        #expect(try await fixture.runtime.turns(of: thread.id).count == 1)
        _ = try await fixture.runtime.send(Request(text: "b"), in: thread.id)
        #expect(await fixture.requests.last?.input == [.text(.user, "a"), .text(.assistant, "one"), .text(.user, "b")])
        var iterator = events.makeAsyncIterator()
        guard case .turnStarted(let turn) = await iterator.next() else { return #expect(Bool(false), "nothing of the aside is told") }
        #expect(try await fixture.runtime.turns(of: thread.id).last?.id == turn.id)
    }

    @Test func thoughtsGoBackWithinTheTurnOnly() async throws {
        let thought: JSONValue = ["type": "reasoning", "encrypted_content": "xyz"]
        let first: [ScriptedBackend.Step] = [.event(.reasoning(summary: "", item: thought))] + .call("look")
        let fixture = try await RuntimeFixture(ScriptedBackend(first, .text("done"), .text("next"))) { $0.tools = [.test("look")] }
        let thread = try await fixture.runtime.createThread()
        _ = try await fixture.runtime.send(Request(text: "a"), in: thread.id)
        _ = try await fixture.runtime.send(Request(text: "b"), in: thread.id)
        let inputs = await fixture.requests.map(\.input)
        #expect(inputs[1].contains(.opaque(thought)))
        #expect(!inputs[2].contains(.opaque(thought)))
    }

    @Test func aRefusalIsMarked() async throws {
        let refusal = AgentBackendMessage(id: "m", text: "", refusal: "I will not.")
        let fixture = try await RuntimeFixture(ScriptedBackend([.event(.message(refusal)), .event(.completed(.init(responseID: "r")))]))
        let thread = try await fixture.runtime.createThread()
        let reply = try await fixture.runtime.reply(to: Request(text: "a"), in: thread.id)
        #expect(reply?.text == "I will not.")
        #expect(reply?.isRefusal == true)
    }
}
