import CodexKit
import Foundation
import Testing

// The Swift of `docs/codexkit/memory-and-context.md` and `background.md`, word for word, and run.

struct MyActivities: AgentBackgroundActivityProviding {
    struct Activity: AgentBackgroundActivity {
        func end() async { print("The computer may sleep again.") }
    }

    func beginActivity(named name: String, expirationHandler: @escaping @Sendable () -> Void) async -> any AgentBackgroundActivity {
        print("Stay awake: \(name)")
        return Activity()
    }
}

struct MemoryAndBackgroundGuideTests {
    @Test func remembering() async throws {
        let server = try await SampleServer([.says("In metres.")])
        let authProvider = server.authProvider, secureStore = server.secureStore, backend = server.backend
        let approvalPresenter = server.approvalPresenter, stateStore = server.stateStore, folder = server.folder

        let memory = AgentMemoryConfiguration(
            store: SQLiteMemoryStore(url: folder.appending(path: "memory.sqlite")),
            capture: .never
        )
        let runtime = try AgentRuntime(configuration: .init(
            authProvider: authProvider,
            secureStore: secureStore,
            backend: backend,
            approvalPresenter: approvalPresenter,
            stateStore: stateStore,
            memory: memory
        ))

        try await runtime.restore()

        let writer = try await runtime.memoryWriter(namespace: "ada", scope: "travel")
        try await writer.remember(MemoryDraft(summary: "Ada wants distances in metres.", kind: "preference", importance: 0.9))

        let thread = try await runtime.createThread(
            configuration: AgentThreadConfiguration(memory: AgentThreadMemory(namespace: "ada", scopes: ["travel"]))
        )
        let answer = try await runtime.send(Request(text: "How far are distances in the park?"), in: thread.id)

        #expect(answer == "In metres.")
        #expect(try await server.body(0)["instructions"]?.string?.contains("Ada wants distances in metres.") == true)

        let unbiased = Request(text: "How far is it?", memorySelection: .disabled)
        let found = try await memory.store.records(matching: MemoryQuery(namespace: "ada", text: "distances"))
        for record in found { try await writer.forget(id: record.id) }

        _ = try await runtime.send(unbiased, in: thread.id)
        #expect(found.count == 1)
        #expect(try await server.body(1)["instructions"]?.string?.contains("metres") == false)
        await server.stop()
    }

    @Test func learning() async throws {
        let server = try await SampleServer([
            .says("Noted."),
            .says(#"{"memories":[{"summary":"Ada is a vegetarian.","kind":"fact","tags":["food"],"importance":0.8}]}"#),
        ])
        let store = InMemoryMemoryStore()

        let memory = AgentMemoryConfiguration(store: store, capture: .afterEachTurn(minimumCharacters: 20))

        let runtime = try AgentRuntime(configuration: .init(
            authProvider: server.authProvider, secureStore: server.secureStore, backend: server.backend,
            approvalPresenter: server.approvalPresenter, stateStore: server.stateStore, memory: memory))
        try await runtime.restore()
        let thread = try await runtime.createThread(configuration: .init(memory: AgentThreadMemory(namespace: "ada")))
        _ = try await runtime.send(Request(text: "By the way, I am a vegetarian."), in: thread.id)

        await runtime.waitForMemoryCapture()

        #expect(await store.records(matching: MemoryQuery(namespace: "ada")).map(\.summary) == ["Ada is a vegetarian."])
        await server.stop()
    }

    @Test func compacting() async throws {
        let server = try await SampleServer([.says("One."), .says("Two."), .says("Three."), .says("They counted.")])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        for text in ["1", "2", "3"] { _ = try await runtime.send(Request(text: text), in: thread.id) }

        let state = try await runtime.compactContext(of: thread.id)
        print("The model now reads: \(state.summary)")
        let everything = try await runtime.messages(for: thread.id)
        try await runtime.clearCompaction(of: thread.id)

        #expect(state.summary == "They counted." && everything.count == 6)

        let rules = AgentContextCompaction(mode: .automatic, thresholdTokens: 100_000, keptTurns: 4)

        #expect(rules.keptTurns == 4)
        await server.stop()
    }

    @Test func background() async throws {
        let server = try await SampleServer([.says("Done.")])
        let authProvider = server.authProvider, secureStore = server.secureStore, backend = server.backend
        let approvalPresenter = server.approvalPresenter, stateStore = server.stateStore

        let runtime = try AgentRuntime(configuration: .init(
            authProvider: authProvider,
            secureStore: secureStore,
            backend: backend,
            approvalPresenter: approvalPresenter,
            stateStore: stateStore,
            backgroundActivityProvider: LogindBackgroundActivityProvider(application: "My program")
        ))

        try await runtime.restore()
        let thread = try await runtime.createThread()
        #expect(try await runtime.send(Request(text: "x"), in: thread.id) == "Done.")
        #expect(await MyActivities().beginActivity(named: "x") {} is MyActivities.Activity)

        let logging = AgentLogging(minimumLevel: .info, categories: [.background, .tools]) { record in
            print(record.category, record.message)
        }

        #expect(logging.isEnabled(.notice, .tools) && !logging.isEnabled(.notice, .auth))
        await server.stop()
    }
}
