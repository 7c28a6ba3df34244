import CodexKit
import RelayProtocol
import Testing

@testable import DeckAgents

struct AgentHostAskTests {
    @Test("Nothing is made before somebody asks")
    func isLazy() async throws {
        let fixture = try HostFixture()
        try await fixture.host.openIfUsed()
        let list = try await fixture.host.allTasks()
        let isOpen = await fixture.host.isOpen
        #expect(!isOpen && list.isEmpty && !fixture.host.hasThreads && !fixture.folder.exists("state"))
        await #expect(throws: AgentHostError.self) { try await fixture.host.resolve("abcdef") }
        #expect(!fixture.folder.exists("state"))
    }

    @Test func tellsThreadFirstAndCompletionLast() async throws {
        let fixture = try HostFixture([[.say("Hello"), .use(tokens: 27_200)]])
        let events = try await fixture.answer("Say hello\nplease")
        guard case .thread(let id, let title, let folder, let isNew) = events.first else { return #expect(Bool(false), "no thread first") }
        #expect(title == "Say hello" && folder == fixture.folder.work && isNew)
        #expect(events.last == .completed(AgentUsage(inputTokens: 27_200, outputTokens: 0)))
        #expect(events.text == "Hello")
        let task = try #require(await fixture.host.task(id))
        #expect(task.phase == .finished(revision: 1) && task.contextUsedPercent == 10 && task.start?.revision == 1)
        #expect(fixture.changes.phases(id) == [.working, .finished(revision: 1)])
    }

    @Test func goesOnWithAThreadByItsBeginning() async throws {
        let fixture = try HostFixture()
        let id = try #require(try await fixture.answer("First").thread)
        var events: [AgentAskEvent] = []
        for await event in try await fixture.host.ask(AgentAsk(text: "Second", thread: String(id.uuid.prefix(6)))) { events.append(event) }
        #expect(events.thread == id)
        #expect(fixture.model.requests.count == 2 && fixture.model.requests[1].input.count == 3)
        #expect(await fixture.host.task(id)?.phase == .finished(revision: 2))
    }

    @Test func refusesASecondAskWhileOneRuns() async throws {
        let gate = Gate()
        let fixture = try HostFixture([[.wait(gate), .say("done")]])
        let events = try await fixture.ask("Wait")
        var reader = events.makeAsyncIterator()
        guard case .thread(let id, _, _, _) = await reader.next() else { return #expect(Bool(false)) }
        await #expect(throws: AgentHostError.self) { _ = try await fixture.ask("More", thread: id) }
        gate.open()
        var last: AgentAskEvent?
        while let event = await reader.next() { last = event }
        #expect(last == .completed(nil))
    }

    @Test("A lost asker stops the turn, and the thread is kept as stopped by its owner")
    func lostAskerStops() async throws {
        let fixture = try HostFixture([[.say("part"), .hang]])
        let reading = Task { () -> TaskIdentity? in
            var id: TaskIdentity?
            for await event in try await fixture.ask("Wait") { if case .thread(let found, _, _, _) = event { id = found } }
            return id
        }
        try await eventually { await fixture.host.tasks().first?.phase == .working && fixture.model.requests.count == 1 }
        reading.cancel()
        _ = try await reading.value
        try await eventually { await fixture.host.tasks().first?.phase == .idle }
        // As the next process finds it.
        let next = try await fixture.crashed()
        try await next.host.openIfUsed()
        #expect(await next.host.tasks().first?.phase == .idle)
    }

    @Test func detachedAskGoesOn() async throws {
        let gate = Gate()
        let fixture = try HostFixture([[.wait(gate), .say("done")]])
        let reading = Task { for await event in try await fixture.ask("Wait", detached: true) { if case .thread = event { return } } }
        try await reading.value
        gate.open()
        try await eventually { await fixture.host.tasks().first?.phase == .finished(revision: 1) }
    }

    @Test func stopTellsInterruptedToTheAsker() async throws {
        let fixture = try HostFixture([[.hang]])
        var last: AgentAskEvent?
        for await event in try await fixture.ask("Wait") {
            last = event
            if case .turn = event { Task { await fixture.host.stop(await fixture.host.tasks()[0].identity) } }
        }
        #expect(last == .interrupted)
    }

    @Test("A stop that names another turn stops nothing")
    func stopNamesItsTurn() async throws {
        let gate = Gate()
        let fixture = try HostFixture([[.say("one")], [.wait(gate), .say("two")], [.hang]])
        let first = try await fixture.answer("First")
        let id = try #require(first.thread), former = try #require(first.turn)
        let events = try await fixture.ask("Second", thread: id)
        await fixture.host.stop(id, turn: former)
        gate.open()
        var second: [AgentAskEvent] = []
        for await event in events { second.append(event) }
        #expect(second.last == .completed(nil) && second.turn != former)
        var last: AgentAskEvent?
        for await event in try await fixture.ask("Third", thread: id) {
            last = event
            if case .turn(let turn) = event { Task { await fixture.host.stop(id, turn: turn) } }
        }
        #expect(last == .interrupted)
    }

    @Test("Whoever asks again in the very moment of an end is not cut off by it")
    func asksAgainAtOnce() async throws {
        let fixture = try HostFixture()
        let id = try #require(try await fixture.answer("0").thread)
        for number in 1...40 {
            let events = try await fixture.answer("\(number)", thread: id)
            #expect(events.last == .completed(nil))
        }
        #expect(await fixture.host.task(id)?.phase == .finished(revision: 41))
    }

    @Test func failureIsToldWithItsCode() async throws {
        let fixture = try HostFixture([[.fail(AgentRuntimeError(code: .usageLimitReached, message: "The limit is reached."))]])
        let events = try await fixture.answer("Hello")
        #expect(events.last == .failed(code: "usage_limit_reached", sentence: "The limit is reached."))
        let id = try #require(events.thread)
        #expect(await fixture.host.task(id)?.phase == .failed(revision: 1))
    }

    @Test("Without a session nothing is begun, and no thread is left behind")
    func needsSession() async throws {
        let fixture = try HostFixture(isSignedIn: false)
        let error = await failure { _ = try await fixture.ask("Hello") }
        #expect(error?.needsSignIn == true && error?.description.contains("decknode login") == true)
        #expect(try await fixture.host.allTasks().isEmpty)
    }

    @Test func refusesWhatIsNoFolder() async throws {
        let fixture = try HostFixture()
        for folder in ["/nowhere/at/all", "relative", "/etc/passwd"] {
            await #expect(throws: AgentHostError.self) { _ = try await fixture.host.ask(AgentAsk(text: "x", folder: folder)) }
        }
        await #expect(throws: AgentHostError.self) { _ = try await fixture.host.ask(AgentAsk(text: "  ", folder: fixture.folder.work)) }
    }

    @Test("The threads belong to one host at a time; the second says so")
    func secondProcessIsTold() async throws {
        // A lock of another process: this one's own locks are shared by its stores.
        let fixture = try HostFixture()
        _ = try await fixture.answer("Hello")
        let taken = AgentRuntimeError(code: .stateStoreInUse, message: "The threads are in use: by process 1.")
        let second = try HostFixture(folder: fixture.folder) { $0.makeStore = { TakenStore(error: taken) } }
        let error = await failure { try await second.host.openIfUsed() }
        #expect(error?.isInUse == true)
        #expect(await !second.host.isOpen)
    }
}

/// A store that another process has.
private struct TakenStore: RuntimeStateStoring {
    let error: AgentRuntimeError
    func load() async throws -> RuntimeStateSummary { throw error }
    func apply(_ changes: [RuntimeStateChange]) async throws { throw error }
    func history(of threadID: String, matching query: AgentHistoryQuery) async throws -> [AgentHistoryRecord] { throw error }
    func turns(of threadID: String) async throws -> [AgentTurn] { throw error }
    func contextState(of threadID: String) async throws -> AgentContextState? { throw error }
}

/// What goes wrong; `nil` when nothing does.
func failure(_ body: () async throws -> Void) async -> AgentHostError? {
    do { try await body() } catch { return error as? AgentHostError }
    return nil
}

/// Looks again until it holds; a test that waits for longer than ten seconds has failed.
func eventually(_ condition: () async -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while await !condition() {
        try #require(ContinuousClock.now < end, "it did not come about")
        await Task.yield()
        try await Task.sleep(for: .milliseconds(2))
    }
}
