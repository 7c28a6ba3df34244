import CodexKit
import FoundationEssentials
import Testing

struct ThreadTests {
    private func fixture() async throws -> RuntimeFixture {
        try await RuntimeFixture(ScriptedBackend(.text("answer"))) { $0.skills = [AgentSkill(id: "s", name: "S", instructions: "Do s.")] }
    }

    @Test func keepsWhatItIsGiven() async throws {
        let runtime = try await fixture().runtime
        let persona = AgentPersonaStack(layers: [.init(name: "style", instructions: "Be brief.")])
        let thread = try await runtime.createThread(
            title: "T", configuration: AgentThreadConfiguration(model: "m"), personaStack: persona, skillIDs: ["s"])
        #expect(try await runtime.thread(id: thread.id) == thread)
        #expect(thread.personaStack == persona && thread.skillIDs == ["s"] && thread.configuration.model == "m")
        #expect(await code { try await runtime.createThread(skillIDs: ["unknown"]) } == .skillNotFound)
        #expect(try await runtime.threads().count == 1)
    }

    @Test func listsTheLatestFirst() async throws {
        let runtime = try await fixture().runtime
        let first = try await runtime.createThread(title: "Alpha")
        let second = try await runtime.createThread(title: "beta")
        #expect(try await runtime.threads().map(\.id) == [second.id, first.id])
        _ = try await runtime.send(Request(text: "x"), in: first.id)
        #expect(try await runtime.threads().map(\.id) == [first.id, second.id])
        #expect(try await runtime.threads(matching: AgentThreadQuery(title: "BET")).map(\.id) == [second.id])
        #expect(try await runtime.threads(matching: AgentThreadQuery(limit: 1, order: .title)).map(\.id) == [first.id])
        #expect(try await runtime.threads(matching: AgentThreadQuery(statuses: [.failed])).isEmpty)
    }

    @Test func changesSettings() async throws {
        let runtime = try await fixture().runtime
        let id = try await runtime.createThread().id
        try await runtime.setTitle("New", for: id)
        try await runtime.setSkillIDs(["s"], for: id)
        try await runtime.setConfiguration(AgentThreadConfiguration(model: "m"), for: id)
        try await runtime.setPersonaStack(AgentPersonaStack(layers: []), for: id)
        let thread = try await runtime.thread(id: id)
        #expect(thread.title == "New" && thread.skillIDs == ["s"] && thread.configuration.model == "m" && thread.personaStack != nil)
        #expect(await code { try await runtime.setSkillIDs(["?"], for: id) } == .skillNotFound)
        #expect(await code { try await runtime.setTitle("x", for: "?") } == .threadNotFound)
    }

    @Test func deletionTakesEverythingAndInterruptsATurn() async throws {
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.wait(gate)] + .text("never")))
        let runtime = fixture.runtime
        let thread = try await runtime.createThread()
        let other = try await runtime.createThread()
        let stream = try await runtime.stream(Request(text: "x"), in: thread.id)
        await gate.somebodyWaits()
        try await runtime.deleteThread(id: thread.id)
        #expect(await stream.collected().error?.code == .turnInterrupted)
        #expect(await code { try await runtime.messages(for: thread.id) } == .threadNotFound)
        #expect(try await runtime.threads().map(\.id) == [other.id])
        try await runtime.deleteAllThreads()
        #expect(try await runtime.threads().isEmpty)
    }

    @Test func aForkGoesItsOwnWay() async throws {
        let runtime = try await fixture().runtime
        let thread = try await runtime.createThread(title: "T", skillIDs: ["s"])
        _ = try await runtime.send(Request(text: "one", images: [.png(Data([1]))]), in: thread.id)
        _ = try await runtime.send(Request(text: "two"), in: thread.id)
        let messages = try await runtime.messages(for: thread.id)
        let fork = try await runtime.forkThread(id: thread.id, through: messages[1].id, title: "Fork")
        #expect(fork.forkedFrom == thread.id && fork.skillIDs == ["s"] && fork.title == "Fork")
        let copied = try await runtime.messages(for: fork.id)
        #expect(copied.map(\.text) == ["one", "answer"])
        #expect(copied.allSatisfy { $0.threadID == fork.id })
        #expect(copied[0].images.map(\.data) == [Data([1])])
        _ = try await runtime.send(Request(text: "other"), in: fork.id)
        #expect(try await runtime.messages(for: thread.id).count == 4)
        #expect(try await runtime.messages(for: fork.id).count == 4)
        #expect(await code { try await runtime.forkThread(id: thread.id, through: "?") } == .requestRefused)
    }

    @Test func findsAndDeletesRecords() async throws {
        let runtime = try await fixture().runtime
        let thread = try await runtime.createThread()
        for text in ["red", "green", "Blue"] { _ = try await runtime.send(Request(text: text), in: thread.id) }
        let found = try await runtime.history(of: thread.id, matching: AgentHistoryQuery(role: .user, text: "bLu"))
        #expect(found.compactMap(\.item.message?.text) == ["Blue"])
        let newest = try await runtime.history(of: thread.id, matching: AgentHistoryQuery(role: .user, limit: 2, newestFirst: true))
        #expect(newest.compactMap(\.item.message?.text) == ["Blue", "green"])
        let green = try #require(newest.last?.item.message)
        try await runtime.deleteHistory([green.id], in: thread.id)
        #expect(try await runtime.messages(for: thread.id).filter { $0.role == .user }.map(\.text) == ["red", "Blue"])
        try await runtime.deleteHistory(["?"], in: thread.id)
    }

    @Test func observingEndsWithTheRuntime() async throws {
        var fixture: RuntimeFixture? = try await RuntimeFixture(ScriptedBackend(.text("x")))
        let events = try #require(await fixture?.runtime.observeEvents())
        fixture = nil
        for await _ in events {}
    }

    @Test func observersSeeTheThreadGrow() async throws {
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.event(.textDelta(itemID: "m", delta: "Half ")), .wait(gate)] + .text("Half done")))
        let thread = try await fixture.runtime.createThread(title: "T")
        let snapshots = try await fixture.runtime.observeThread(id: thread.id)
        let stream = try await fixture.runtime.stream(Request(text: "Hi"), in: thread.id)
        await gate.somebodyWaits()
        let halfway = try await fixture.runtime.snapshot(of: thread.id)
        #expect(halfway.streamingText == "Half ")
        #expect(halfway.thread.status == .streaming)
        await gate.open()
        _ = await stream.collected()
        var last: AgentThreadSnapshot?
        for await snapshot in snapshots {
            last = snapshot
            if snapshot.messages.count == 2, snapshot.thread.status == .idle { break }
        }
        #expect(last?.messages.map(\.text) == ["Hi", "Half done"])
        #expect(last?.streamingText == "")
        let again = try await fixture.runtime.observeThread(id: thread.id)
        try await fixture.runtime.deleteThread(id: thread.id)
        var states: [Bool] = []
        for await snapshot in again { states.append(snapshot.isDeleted) }
        #expect(states.last == true)
    }
}
