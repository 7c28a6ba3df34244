import FoundationEssentials
import Testing

@testable import CodexKit

struct MemoryStoreTests {
    enum Kind: CaseIterable, Sendable { case memory, sqlite }

    private static let now = Date(timeIntervalSince1970: 1_000_000)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ kind: Kind) -> any AgentMemoryStoring {
        switch kind {
        case .memory: InMemoryMemoryStore(now: { Self.now })
        case .sqlite: SQLiteMemoryStore(url: folder.url("deep/memory.sqlite"), now: { Self.now })
        }
    }

    private func record(
        _ summary: String, namespace: String = "n", scope: String = "s", kind: String = "fact", tags: [String] = [], importance: Double = 0.5,
        expires: Date? = nil, archived: Bool = false
    ) -> MemoryRecord {
        MemoryRecord(
            id: summary, namespace: namespace, scope: scope, kind: kind, summary: summary, tags: tags, importance: importance,
            createdAt: Self.now, expiresAt: expires, isArchived: archived)
    }

    @Test(arguments: Kind.allCases) func findsByWordsInAnyForm(kind: Kind) async throws {
        let store = store(kind)
        try await store.save([record("Ada likes green tea"), record("The deploy runs on Fridays"), record("Größe zählt", tags: ["Maße"])])
        func found(_ text: String) async throws -> [String] { try await store.records(matching: MemoryQuery(namespace: "n", text: text)).map(\.id) }
        #expect(try await found("Which TEA does she drink?") == ["Ada likes green tea"])
        #expect(try await found("größe") == ["Größe zählt"])
        #expect(try await found("maße") == ["Größe zählt"])
        #expect(try await found("nothing at all").isEmpty)
        #expect(try await found("?!").isEmpty)
    }

    @Test(arguments: Kind.allCases, ["\"", "a OR b*", "NEAR(x y)", "col:x", "-", "tea AND", "'; DROP TABLE memories; --", "\0"])
    func noTextIsAnInstruction(kind: Kind, text: String) async throws {
        let store = store(kind)
        try await store.save([record("green tea")])
        _ = try await store.records(matching: MemoryQuery(namespace: "n", text: text))
        #expect(try await store.record(id: "green tea") != nil)
    }

    @Test(arguments: Kind.allCases) func holdsAllConditions(kind: Kind) async throws {
        let store = store(kind)
        try await store.save([
            record("plain"), record("elsewhere", namespace: "other"), record("scoped", scope: "z"), record("kind", kind: "decision"),
            record("tagged", tags: ["a", "b"]), record("vital", importance: 0.9), record("old", expires: Self.now),
            record("fresh", expires: Self.now.addingTimeInterval(1)), record("archived", archived: true),
        ])
        func ids(_ query: MemoryQuery) async throws -> Set<String> { Set(try await store.records(matching: query).map(\.id)) }
        #expect(try await ids(MemoryQuery(namespace: "n")) == ["plain", "scoped", "kind", "tagged", "vital", "fresh"])
        #expect(try await ids(MemoryQuery(namespace: "n", scopes: ["z"])) == ["scoped"])
        #expect(try await ids(MemoryQuery(namespace: "n", kinds: ["decision"])) == ["kind"])
        #expect(try await ids(MemoryQuery(namespace: "n", tags: ["b", "c"])) == ["tagged"])
        #expect(try await ids(MemoryQuery(namespace: "n", minimumImportance: 0.8)) == ["vital"])
        #expect(try await ids(MemoryQuery(namespace: "n", includesArchived: true)).contains("archived"))
        #expect(try await store.records(matching: MemoryQuery(namespace: "n", limit: 1)).map(\.id) == ["vital"])
        #expect(try await ids(MemoryQuery(namespace: "n", limit: 0)).isEmpty)
        #expect(try await store.deleteExpired(at: Self.now) == 1)
        try await store.delete(ids: ["plain", "unknown"])
        #expect(try await store.record(id: "plain") == nil)
    }

    @Test(arguments: Kind.allCases) func savingAgainReplaces(kind: Kind) async throws {
        let store = store(kind)
        try await store.save([record("one")])
        let changed = MemoryRecord(id: "one", namespace: "n", summary: "two words", createdAt: Self.now)
        try await store.save([changed])
        #expect(try await store.record(id: "one") == changed)
        #expect(try await store.records(matching: MemoryQuery(namespace: "n", text: "one")).isEmpty)
        #expect(try await store.records(matching: MemoryQuery(namespace: "n", text: "words")) == [changed])
    }

    @Test func aFileIsSharedAndSurvives() async throws {
        try await store(.sqlite).save([record("kept")])
        let first = store(.sqlite), second = store(.sqlite)
        #expect(try await first.record(id: "kept") != nil)
        try await second.save([record("more")])
        #expect(try await first.records(matching: MemoryQuery(namespace: "n", text: "more")).count == 1)
    }

    @Test func theWriterKeepsThingsOnce() async throws {
        let store = InMemoryMemoryStore(now: { Self.now })
        let writer = MemoryWriter(store: store, namespace: "n", now: { Self.now })
        let first = try await writer.remember(MemoryDraft(summary: "  Ada likes\n tea ", tags: ["a"], importance: 0.9))
        let second = try await writer.remember(MemoryDraft(summary: "ada LIKES tea!", tags: ["a", "b"], importance: 0.1))
        #expect(first.id == second.id && first.summary == "Ada likes tea")
        #expect(second.tags == ["a", "b"] && second.importance == 0.9)
        let other = try await writer.remember(MemoryDraft(summary: "Ada likes tea", scope: "elsewhere"))
        #expect(other.id != first.id)
        try await writer.archive(id: first.id)
        #expect(await store.record(id: first.id)?.isArchived == true)
        #expect(try await writer.remember(MemoryDraft(summary: "Ada likes tea")).isArchived == false)
        let stranger = MemoryWriter(store: store, namespace: "m")
        try await stranger.forget(id: first.id)
        #expect(await store.record(id: first.id) != nil)
        try await writer.forget(id: first.id)
        #expect(await store.record(id: first.id) == nil)
    }

    @Test(arguments: ["", " \n", String(repeating: "a", count: MemoryWriter.longestSummary + 1)])
    func theWriterRefusesWhatIsNoMemory(summary: String) async {
        let writer = MemoryWriter(store: InMemoryMemoryStore(), namespace: "n")
        #expect(await code { try await writer.remember(MemoryDraft(summary: summary)) } == .memoryFailed)
    }

    @Test(arguments: [(-1.0, 0.0), (2, 1), (.nan, 0.5), (.infinity, 0.5), (0.3, 0.3)])
    func importanceStaysInRange(given: Double, kept: Double) { #expect(record("x", importance: given).importance == kept) }
}
