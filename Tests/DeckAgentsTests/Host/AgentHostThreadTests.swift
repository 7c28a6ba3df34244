import CodexKit
import RelayProtocol
import Testing

@testable import DeckAgents

struct AgentHostThreadTests {
    @Test("An archived task leaves the deck, is found by name, and comes back when it is asked")
    func archiveIsUndone() async throws {
        let fixture = try HostFixture()
        let id = try #require(try await fixture.answer("Fix the parser").thread)
        try await fixture.host.archive(id)
        #expect(fixture.changes.all.last == .gone(id))
        #expect(await fixture.host.tasks().isEmpty)
        let next = try await fixture.crashed()
        try await next.host.openIfUsed()
        #expect(next.changes.all.isEmpty)
        #expect(try await next.host.allTasks().map(\.isArchived) == [true])
        #expect(try await next.host.resolve("the parser") == id)
        _ = try await next.answer("Go on", thread: id)
        #expect(await next.host.tasks().map(\.identity) == [id])
    }

    @Test func workingTaskIsNeitherArchivedNorDeleted() async throws {
        let fixture = try HostFixture([[.hang]])
        _ = try await fixture.ask("Wait", detached: true)
        let id = try #require(await fixture.host.tasks().first?.identity)
        await #expect(throws: AgentHostError(code: "still_working", RelayError.stillWorking)) { try await fixture.host.archive(id) }
        await #expect(throws: AgentHostError.self) { try await fixture.host.delete(id) }
        await fixture.host.close()
    }

    @Test(arguments: [(false, "Fix it (fork)"), (true, "Side chat: Fix it")])
    func forkKeepsPastAndFolder(asSideChat: Bool, title: String) async throws {
        let fixture = try HostFixture([[.say("one"), .use(tokens: 136_000)]])
        let id = try #require(try await fixture.answer("Fix it").thread)
        let fork = try await fixture.host.fork(id, asSideChat: asSideChat)
        #expect(fork.title == title && fork.phase == .idle && fork.identity != id)
        #expect(fork.folder == fixture.folder.work && fork.contextUsedPercent == 50)
        _ = try await fixture.answer("And now?", thread: fork.identity)
        #expect(fixture.model.requests[1].input.count == 3)
        #expect(await fixture.host.task(id)?.phase == .finished(revision: 1))
    }

    @Test("A fork of a working task has what was complete")
    func forkOfWorkingTask() async throws {
        let fixture = try HostFixture([[.hang]])
        _ = try await fixture.ask("Wait", detached: true)
        let id = try #require(await fixture.host.tasks().first?.identity)
        let fork = try await fixture.host.fork(id)
        _ = try await fixture.answer("Again", thread: fork.identity)
        #expect(fixture.model.requests.last?.input.count == 2)
        await fixture.host.close()
    }

    @Test func renameCleansTheTitle() async throws {
        let fixture = try HostFixture()
        let id = try #require(try await fixture.answer("Hello").thread)
        try await fixture.host.rename(id, to: " The\u{202E} name\n of it ")
        #expect(await fixture.host.task(id)?.title == "The name of it")
        await #expect(throws: AgentHostError.self) { try await fixture.host.rename(id, to: "\u{200B}\n") }
        guard case .task(let told) = fixture.changes.all.last else { return #expect(Bool(false)) }
        #expect(told.title == "The name of it")
    }

    @Test("The effort goes step by step and stays at its ends", arguments: [(true, 5, ReasoningEffort.extraHigh), (false, 5, .low), (true, 1, .high)])
    func effort(upwards: Bool, steps: Int, end: ReasoningEffort) async throws {
        let fixture = try HostFixture()
        let task = try await fixture.host.newThread(in: fixture.folder.work)
        #expect(task.effort == .medium && task.title == nil && task.phase == .idle)
        for _ in 0..<steps { try await fixture.host.changeEffort(task.identity, upwards: upwards) }
        _ = try await fixture.answer("Think", thread: task.identity)
        #expect(fixture.model.requests[0].reasoningEffort == end)
        #expect(await fixture.host.task(task.identity)?.title == "Think")
    }

    @Test func deletedThreadIsGone() async throws {
        let fixture = try HostFixture()
        let id = try #require(try await fixture.answer("Hello").thread)
        try await fixture.host.delete(id)
        #expect(fixture.changes.all.last == .gone(id))
        #expect(try await fixture.host.allTasks().isEmpty)
        await #expect(throws: AgentHostError.self) { _ = try await fixture.ask("More", thread: id) }
    }

    @Test func unclearNameIsRefused() async throws {
        let fixture = try HostFixture()
        _ = try await fixture.answer("Fix the parser")
        _ = try await fixture.answer("Fix the lexer")
        #expect(await failure { _ = try await fixture.host.resolve("fix the") }?.code == "thread_unclear")
        #expect(try await fixture.host.resolve("LEXER") != (try await fixture.host.resolve("parser")))
        await #expect(throws: AgentHostError.self) { try await fixture.host.resolve("") }
    }

    @Test("Other settings are for the turns after the one that runs")
    func reconfigures() async throws {
        let gate = Gate()
        let fixture = try HostFixture([[.wait(gate), .say("old")]])
        let events = try await fixture.ask("First")
        let other = FakeModel([[.say("new")]], model: "gpt-5.9")
        var configuration = fixture.configuration
        configuration.backend = other
        await fixture.host.reconfigure(configuration)
        gate.open()
        var all: [AgentAskEvent] = []
        for await event in events { all.append(event) }
        #expect(all.text == "old")
        let id = try #require(all.thread)
        try await eventually { await fixture.host.configuration.backend.defaultModel == "gpt-5.9" }
        #expect(try await fixture.answer("Second", thread: id).text == "new")
        #expect(other.requests[0].input.count == 3)
        #expect(await fixture.host.task(id)?.phase == .finished(revision: 2))
    }

    @Test func conversationHasTheFormOfTheAppServer() async throws {
        let fixture = try HostFixture([[.call("list_directory", #"{"path":"."}"#)], [.say("Nothing there.")], [.hang]])
        let id = try #require(try await fixture.answer("Look").thread)
        _ = try await fixture.ask("More", thread: id, detached: true)
        let conversation = try await fixture.host.conversation(of: id)
        #expect(conversation.thread["cwd"]?.string == fixture.folder.work)
        #expect(conversation.turns.map { $0["status"]?.string } == ["completed", "inProgress"])
        #expect(conversation.turns[0]["items"]?.array?.map { $0["type"]?.string } == ["userMessage", "dynamicToolCall", "agentMessage"])
        await fixture.host.close()
    }
}
