import CodexKit
import Foundation
import Testing

// The Swift of `docs/codexkit/threads-and-storage.md` and of the later steps of `getting-started.md`, word for word, and run.

struct ThreadsGuideTests {
    @Test func restoringAndGoingOn() async throws {
        let server = try await SampleServer([.says("Hello."), .says("Still here.")])
        let first = try await server.runtime()
        let thread = try await first.createThread(title: "First answer")
        _ = try await first.send(Request(text: "Hello"), in: thread.id)
        let runtime = try await server.runtime()

        let restoration = try await runtime.restore()
        for thread in restoration.threads {
            let messages = try await runtime.messages(for: thread.id)
            print(thread.title ?? "untitled", thread.status, messages.last?.text ?? "")
        }
        if let latest = restoration.threads.first {
            let answer = try await runtime.send(Request(text: "Are you still there?"), in: latest.id)
            print(answer)
        }

        #expect(try await runtime.messages(for: thread.id).map(\.text) == ["Hello", "Hello.", "Are you still there?", "Still here."])
        #expect(restoration.interruptedThreadIDs.isEmpty)

        for id in restoration.interruptedThreadIDs {
            for try await event in try await runtime.resumeTurn(in: id) {
                if case .assistantMessageDelta(_, _, let text) = event { print(text, terminator: "") }
            }
        }

        await server.stop()
    }

    @Test func stores() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("codexkit-guide-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }

        let small = FileRuntimeStateStore(url: folder.appending(path: "threads.json"))
        let large = SQLiteRuntimeStateStore(url: folder.appending(path: "threads.sqlite"))
        let none = InMemoryRuntimeStateStore()

        for store in [small, large, none] as [any RuntimeStateStoring] { #expect(try await store.load().threads.isEmpty) }
    }

    @Test func queries() async throws {
        let server = try await SampleServer([.calls("weather"), .says("Rain."), .says("More rain.")])
        let runtime = try await server.runtime(tools: [.sample("weather")])
        let thread = try await runtime.createThread(title: "Weather")
        _ = try await runtime.send(Request(text: "Will it rain?"), in: thread.id)

        let recent = try await runtime.threads(matching: AgentThreadQuery(title: "weather", limit: 10))
        let calls = try await runtime.history(of: thread.id, matching: AgentHistoryQuery(kinds: [.toolCall, .toolResult]))
        let rain = try await runtime.history(of: thread.id, matching: AgentHistoryQuery(text: "rain", limit: 5, newestFirst: true))

        #expect(recent.count == 1 && calls.count == 2 && rain.count == 2)

        let fork = try await runtime.forkThread(id: thread.id, title: "Weather, another way")
        if let last = try await runtime.messages(for: fork.id).last { try await runtime.deleteHistory([last.id], in: fork.id) }
        try await runtime.deleteThread(id: fork.id)

        let settings = AgentThreadConfiguration(model: "gpt-5.4-mini", reasoningEffort: .low, toolNames: ["weather"])
        try await runtime.setConfiguration(settings, for: thread.id)
        let aside = Request(text: "In one word?", options: .ephemeral)
        let word = try await runtime.send(aside, in: thread.id)

        #expect(word == "More rain.")
        #expect(try await runtime.messages(for: thread.id).count == 2)
        #expect(try await server.body(2)["model"] == "gpt-5.4-mini")
        await server.stop()
    }

    @Test func observing() async throws {
        let server = try await SampleServer([.says("Hello.")])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        let snapshots = try await runtime.observeThread(id: thread.id)
        _ = try await runtime.send(Request(text: "Hi"), in: thread.id)

        for await snapshot in snapshots {
            print(snapshot.thread.status, snapshot.messages.count, snapshot.streamingText)
            if snapshot.thread.status == .idle { break }
        }

        await server.stop()
    }

    @Test func personas() async throws {
        let server = try await SampleServer([.says("Risks first.")])
        let runtime = try await server.runtime()
        let file = server.folder.appendingPathComponent("support.txt")
        try Data("Be calm.".utf8).write(to: file)

        let support = AgentPersonaStack(layers: [
            .init(name: "domain", instructions: "You are an expert of a shipping company's support."),
            .init(name: "style", instructions: "Be concise and calm."),
        ])
        let thread = try await runtime.createThread(title: "Support", personaStack: support)

        let reviewer = AgentPersonaStack(layers: [.init(name: "reviewer", instructions: "For this reply only, name the risks first.")])
        let answer = try await runtime.send(Request(text: "Is this plan sound?", personaOverride: reviewer), in: thread.id)

        try await runtime.setPersona(from: .file(file), for: thread.id)
        print(try await runtime.resolvedInstructionsPreview(for: thread.id, request: Request(text: "And now?")))

        #expect(answer == "Risks first.")
        #expect(try await runtime.resolvedInstructionsPreview(for: thread.id, request: Request(text: "?")).contains("Be calm."))
        await server.stop()
    }

    @Test func images() async throws {
        let server = try await SampleServer([.says("A dot.")])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        let file = server.folder.appendingPathComponent("photo.png")
        try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: file)

        guard let photo = AgentImageAttachment(try Data(contentsOf: file)) else { return }
        let reply = try await runtime.reply(to: Request(text: "What is this?", images: [photo]), in: thread.id)
        for image in reply?.images ?? [] { print(image.mimeType, image.data.count) }

        let content = AgentImportedContent(textSnippets: ["The parcel is late."], images: [photo])
        let summary = try await runtime.send(Request(prompt: "What is next?", importedContent: content), in: thread.id)

        #expect(summary == "A dot.")
        await server.stop()
    }
}
