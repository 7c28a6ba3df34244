import FoundationEssentials
import Testing

@testable import CodexKit

/// What all three stores do alike.
struct StoreTests {
    enum Kind: String, CaseIterable, Sendable { case memory, file, sqlite }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ kind: Kind) -> any RuntimeStateStoring {
        switch kind {
        case .memory: InMemoryRuntimeStateStore()
        case .file: FileRuntimeStateStore(url: folder.url("deep/er/state.json"))
        case .sqlite: SQLiteRuntimeStateStore(url: folder.url("deep/er/state.sqlite"))
        }
    }

    private static let date = Date(timeIntervalSince1970: 1_000)

    private func message(
        _ text: String, in thread: String = "t", role: AgentRole = .user, images: [AgentImageAttachment] = []
    ) -> AgentHistoryRecord {
        AgentHistoryRecord(
            id: text, threadID: thread, turnID: "turn-" + text, createdAt: Self.date,
            item: .message(AgentMessage(id: "m-" + text, threadID: thread, role: role, text: text, images: images, createdAt: Self.date)))
    }

    private func turn(_ id: String) throws -> AgentTurn {
        AgentTurn(id: id, threadID: "t", startedAt: Self.date, settings: AgentTurnSettings(Request(text: "x"), output: nil))
    }

    @Test(arguments: Kind.allCases) func startsEmpty(kind: Kind) async throws {
        let store = store(kind)
        #expect(try await store.load().threads.isEmpty)
        #expect(try await store.history(of: "t", matching: AgentHistoryQuery()).isEmpty)
        #expect(try await store.turns(of: "t").isEmpty)
        #expect(try await store.contextState(of: "t") == nil)
    }

    @Test(arguments: Kind.allCases) func keepsWhatItIsGiven(kind: Kind) async throws {
        let store = store(kind)
        var thread = AgentThread(id: "t", title: "T", createdAt: Self.date, personaStack: AgentPersonaStack(layers: []), skillIDs: ["s"])
        let state = AgentContextState(threadID: "t", summary: "S", coveredThrough: 1, generation: 1, createdAt: Self.date)
        try await store.apply([.saveThread(thread), .saveTurn(try turn("1")), .saveTurn(try turn("2")), .append([message("a"), message("b")])])
        thread.title = "New"
        var first = try turn("1")
        first.status = .completed
        first.usage = AgentUsage(inputTokens: 1, outputTokens: 2)
        try await store.apply([.saveThread(thread), .saveTurn(first), .saveContextState(state)])
        let summary = try await store.load()
        #expect(summary.threads == [thread])
        #expect(summary.lastTurns["t"]?.id == "2")
        #expect(try await store.turns(of: "t").map(\.id) == ["1", "2"])
        #expect(try await store.turns(of: "t").first == first)
        #expect(try await store.contextState(of: "t") == state)
        let records = try await store.history(of: "t", matching: AgentHistoryQuery())
        #expect(records.map(\.sequence) == [1, 2])
        #expect(records.map(\.id) == ["a", "b"])
        try await store.apply([.clearContextState(threadID: "t")])
        #expect(try await store.contextState(of: "t") == nil)
    }

    @Test(arguments: Kind.allCases) func aWrongChangeUndoesItsWholeBatch(kind: Kind) async throws {
        let store = store(kind)
        try await store.apply([.saveThread(AgentThread(id: "t", createdAt: Self.date))])
        for wrong in [
            RuntimeStateChange.append([message("x", in: "nowhere")]), .clearContextState(threadID: "nowhere"),
            .deleteRecords(threadID: "nowhere", ids: ["a"]),
        ] {
            await #expect(throws: AgentRuntimeError.self) { try await store.apply([.append([message("a")]), wrong]) }
        }
        #expect(try await store.history(of: "t", matching: AgentHistoryQuery()).isEmpty)
    }

    @Test(arguments: Kind.allCases) func queriesHoldAllTheirConditions(kind: Kind) async throws {
        let store = store(kind)
        let call = ToolInvocation(id: "c", threadID: "t", turnID: "turn-a", toolName: "look", arguments: [:])
        try await store.apply([
            .saveThread(AgentThread(id: "t", createdAt: Self.date)),
            .append([
                message("Äpfel"), message("b", role: .assistant),
                AgentHistoryRecord(
                    id: "c", threadID: "t", turnID: "turn-b", createdAt: Self.date, item: .toolCall(call, arguments: #"{"at":"Sky"}"#)),
                message("d"), message("e", role: .assistant),
            ]),
        ])
        func ids(_ query: AgentHistoryQuery) async throws -> [String] { try await store.history(of: "t", matching: query).map(\.id) }
        #expect(try await ids(AgentHistoryQuery(kinds: [.toolCall])) == ["c"])
        #expect(try await ids(AgentHistoryQuery(kinds: [.toolCall, .message], role: .assistant)) == ["b", "e"])
        #expect(try await ids(AgentHistoryQuery(turnID: "turn-b")) == ["b", "c"])
        #expect(try await ids(AgentHistoryQuery(text: "äPF")) == ["Äpfel"])
        #expect(try await ids(AgentHistoryQuery(text: "sky")) == ["c"])
        #expect(try await ids(AgentHistoryQuery(after: 1, before: 4)) == ["b", "c"])
        #expect(try await ids(AgentHistoryQuery(limit: 2, newestFirst: true)) == ["e", "d"])
        #expect(try await ids(AgentHistoryQuery(since: Self.date.addingTimeInterval(1))).isEmpty)
        #expect(try await ids(AgentHistoryQuery(limit: 0)).isEmpty)
    }

    @Test(arguments: Kind.allCases) func deletingForgetsPicturesAndSummariesToo(kind: Kind) async throws {
        let store = store(kind)
        let images = [AgentImageAttachment.png(Data([1, 2])), .jpeg(Data([3]))]
        let state = AgentContextState(threadID: "t", summary: "S", coveredThrough: 1, generation: 1, createdAt: Self.date)
        try await store.apply([
            .saveThread(AgentThread(id: "t", createdAt: Self.date)), .append([message("a", images: images), message("b", images: images)]),
            .saveContextState(state),
        ])
        #expect(try await store.history(of: "t", matching: AgentHistoryQuery()).first?.item.message?.images == images)
        try await store.apply([.deleteRecords(threadID: "t", ids: ["b", "unknown"])])
        #expect(try await store.contextState(of: "t") == state, "what is gone was not summarised")
        try await store.apply([.deleteRecords(threadID: "t", ids: ["a"])])
        #expect(try await store.contextState(of: "t") == nil)
        #expect(!folder.names.contains { $0.contains(".attachments/") })
        try await store.apply([.append([message("c", images: images)])])
        #expect(try await store.history(of: "t", matching: AgentHistoryQuery()).map(\.sequence) == [3], "numbers are not given twice")
        try await store.apply([.deleteThread(id: "t"), .deleteThread(id: "unknown")])
        #expect(try await store.load().threads.isEmpty)
        #expect(!folder.names.contains { $0.contains(".attachments/") })
    }

    @Test(arguments: [Kind.file, .sqlite]) func survivesItsOwner(kind: Kind) async throws {
        let images = [AgentImageAttachment.png(Data([1, 2]))]
        do {
            let first = store(kind)
            try await first.apply([.saveThread(AgentThread(id: "t", title: "T", createdAt: Self.date)), .append([message("a", images: images)])])
        }
        let second = store(kind)
        #expect(try await second.load().threads.map(\.title) == ["T"])
        #expect(try await second.history(of: "t", matching: AgentHistoryQuery()).first?.item.message?.images == images)
    }

    @Test(arguments: [Kind.file, .sqlite]) func twoStoresOfAFileAreOne(kind: Kind) async throws {
        let first = store(kind), second = store(kind)
        try await first.apply([.saveThread(AgentThread(id: "1", createdAt: Self.date))])
        try await second.apply([.saveThread(AgentThread(id: "2", createdAt: Self.date))])
        #expect(try await first.load().threads.count == 2)
        #expect(try await second.load().threads.count == 2)
    }

    @Test(arguments: [Kind.file, .sqlite]) func anotherProcessIsRefused(kind: Kind) async throws {
        let store = store(kind)
        _ = try await store.load()
        let path = folder.path + (kind == .file ? "/deep/er/state.json" : "/deep/er/state.sqlite")
        await #expect(processExitsWith: .success) { [path = path as String, isFile = (kind == .file) as Bool] in
            let url = URL(filePath: path)
            let other: any RuntimeStateStoring = isFile ? FileRuntimeStateStore(url: url) : SQLiteRuntimeStateStore(url: url)
            #expect(await code { try await other.load() } == .stateStoreInUse)
        }
        try await store.apply([.saveThread(AgentThread(id: "t", createdAt: Self.date))])
    }

    @Test(arguments: [Kind.file, .sqlite]) func filesWithoutARecordGoAtTheNextOpening(kind: Kind) async throws {
        let name = kind == .file ? "state.json" : "state.sqlite"
        let image = AgentImageAttachment.png(Data([1]))
        do { try await store(kind).apply([.saveThread(AgentThread(id: "t", createdAt: Self.date)), .append([message("a", images: [image])])]) }
        try Data([9]).write(to: folder.url("deep/er/\(name).attachments/orphan.0"))
        _ = try await store(kind).load()
        #expect(folder.names.filter { $0.contains(".attachments/") } == ["deep/er/\(name).attachments/a.0"])
    }

    @Test(arguments: [Kind.file, .sqlite]) func aDamagedFileIsSetAside(kind: Kind) async throws {
        let name = kind == .file ? "state.json" : "state.sqlite"
        try FileManager.default.createDirectory(atPath: folder.path + "/deep/er", withIntermediateDirectories: true)
        try Data(String(repeating: "rubbish ", count: 2_000).utf8).write(to: folder.url("deep/er/" + name))
        let store = store(kind)
        let summary = try await store.load()
        #expect(summary.threads.isEmpty)
        #expect(summary.notices.count == 1)
        #expect(folder.names.contains { $0.contains(name + ".damaged-") })
        try await store.apply([.saveThread(AgentThread(id: "t", createdAt: Self.date))])
    }

    @Test(arguments: [Kind.file, .sqlite]) func everythingIsPrivate(kind: Kind) async throws {
        let store = store(kind)
        try await store.apply([.saveThread(AgentThread(id: "t", createdAt: Self.date)), .append([message("a", images: [.png(Data([1]))])])])
        for name in folder.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(name)")
        }
    }

    @Test func aNewerFormIsLeftAlone() async throws {
        try Data(#"{"version":99,"threads":{}}"#.utf8).write(to: folder.url("state.json"))
        let store = FileRuntimeStateStore(url: folder.url("state.json"))
        #expect(await code { try await store.load() } == .stateStoreFailed)
        #expect(folder.names.contains("state.json"))
    }

    @Test(arguments: ["../../etc/passwd", "", "a/b", "ünï", String(repeating: "x", count: 200)])
    func idsNeverLeaveTheFolder(id: String) {
        let name = AttachmentFolder.name(of: id, 0)
        #expect(!name.contains("/") && !name.hasPrefix(".") && name.utf8.count < 250)
    }
}
