import CodexKit
import FoundationEssentials
import Testing

struct MemoryRuntimeTests {
    private static let memory = AgentThreadMemory(namespace: "ada", scopes: ["general"])

    private static func fixture(
        _ backend: ScriptedBackend, capture: AgentMemoryConfiguration.Capture = .never
    ) async throws -> (RuntimeFixture, InMemoryMemoryStore, AgentThread) {
        let store = InMemoryMemoryStore()
        let fixture = try await RuntimeFixture(backend) { $0.memory = AgentMemoryConfiguration(store: store, capture: capture) }
        let thread = try await fixture.runtime.createThread(configuration: AgentThreadConfiguration(memory: memory))
        return (fixture, store, thread)
    }

    @Test func aTurnIsRemindedOfWhatItsQuestionTouches() async throws {
        let (fixture, _, thread) = try await Self.fixture(ScriptedBackend(.text("ok")))
        let writer = try await fixture.runtime.memoryWriter(namespace: "ada")
        try await writer.remember(MemoryDraft(summary: "Ada drinks green tea."))
        try await writer.remember(MemoryDraft(summary: "The cellar is locked."))
        try await writer.remember(MemoryDraft(summary: "Ada is allergic to nuts.", importance: 0.9))
        try await fixture.runtime.memoryWriter(namespace: "bob").remember(MemoryDraft(summary: "Bob drinks tea."))
        try await fixture.runtime.memoryWriter(namespace: "ada", scope: "work").remember(MemoryDraft(summary: "Tea is served at work."))
        _ = try await fixture.runtime.send(Request(text: "Which tea?"), in: thread.id)
        let text = try #require(await fixture.requests.last?.instructions)
        #expect(text.contains("- Ada drinks green tea.\n- Ada is allergic to nuts."))
        for absent in ["cellar", "Bob", "work"] { #expect(!text.contains(absent)) }
        _ = try await fixture.runtime.send(Request(text: "Which tea?", memorySelection: .disabled), in: thread.id)
        #expect(await fixture.requests.last?.instructions == "")
        _ = try await fixture.runtime.send(Request(text: "Which tea?", memorySelection: .scopes(["work"])), in: thread.id)
        #expect(await fixture.requests.last?.instructions.contains("served at work") == true)
    }

    @Test func remindersAreBounded() async throws {
        let (fixture, _, thread) = try await Self.fixture(ScriptedBackend(.text("ok")))
        var memory = Self.memory
        memory.maximumRecords = 3
        memory.maximumCharacters = 25
        try await fixture.runtime.setConfiguration(AgentThreadConfiguration(memory: memory), for: thread.id)
        let writer = try await fixture.runtime.memoryWriter(namespace: "ada")
        for number in 0..<5 { try await writer.remember(MemoryDraft(summary: "tea \(number) is fine")) }
        let preview = try await fixture.runtime.resolvedInstructionsPreview(for: thread.id, request: Request(text: "tea"))
        #expect(preview.split(separator: "\n").filter { $0.hasPrefix("- ") }.count == 1)
    }

    @Test func finishedTurnsTeach() async throws {
        let captured = #"{"memories":[{"summary":"Ada moved to Rome.","kind":"fact","tags":["home"],"importance":0.7}]}"#
        let backend = ScriptedBackend { request, _ in request.responseFormat == nil ? .text("Noted.") : .text(captured) }
        let (fixture, store, thread) = try await Self.fixture(backend, capture: .afterEachTurn(minimumCharacters: 10))
        _ = try await fixture.runtime.send(Request(text: "short"), in: thread.id)
        _ = try await fixture.runtime.send(Request(text: "I have moved to Rome."), in: thread.id)
        await fixture.runtime.waitForMemoryCapture()
        let found = await store.records(matching: MemoryQuery(namespace: "ada"))
        #expect(found.map(\.summary) == ["Ada moved to Rome."])
        #expect(found.first?.tags == ["home"])
        let asides = await fixture.requests.filter { $0.responseFormat != nil }
        #expect(asides.count == 1)
        #expect(try await fixture.runtime.messages(for: thread.id).count == 4, "the thread knows nothing of it")
    }

    @Test(arguments: ["not json", #"{"memories":[{"summary":"x"}]}"#])
    func whatCannotBeUnderstoodTeachesNothing(answer: String) async throws {
        let backend = ScriptedBackend { request, _ in request.responseFormat == nil ? .text("Noted.") : .text(answer) }
        let (fixture, store, thread) = try await Self.fixture(backend, capture: .afterEachTurn(minimumCharacters: 1))
        #expect(try await fixture.runtime.send(Request(text: "hello"), in: thread.id) == "Noted.")
        await fixture.runtime.waitForMemoryCapture()
        #expect(await store.records(matching: MemoryQuery(namespace: "ada")).isEmpty)
        #expect(try await fixture.runtime.thread(id: thread.id).status == .idle)
    }

    @Test func ephemeralTurnsTeachNothing() async throws {
        let (fixture, _, thread) = try await Self.fixture(ScriptedBackend(.text("ok")), capture: .afterEachTurn(minimumCharacters: 1))
        _ = try await fixture.runtime.send(Request(text: "hello", options: .ephemeral), in: thread.id)
        await fixture.runtime.waitForMemoryCapture()
        #expect(await fixture.requests.count == 1)
    }

    @Test func withoutAMemoryThereIsNoWriter() async throws {
        let runtime = try await RuntimeFixture(ScriptedBackend(.text("x"))).runtime
        #expect(await code { try await runtime.memoryWriter(namespace: "n") } == .memoryFailed)
    }
}
