import FoundationEssentials

/// Something to remember, before it is a record.
public struct MemoryDraft: Codable, Hashable, Sendable {
    public var summary: String
    public var kind: String
    /// `nil` for the writer's.
    public var scope: String?
    public var tags: [String]
    /// 0 … 1.
    public var importance: Double
    public var expiresAt: Date?

    public init(
        summary: String, kind: String = "fact", scope: String? = nil, tags: [String] = [], importance: Double = 0.5, expiresAt: Date? = nil
    ) {
        self.summary = summary
        self.kind = kind
        self.scope = scope
        self.tags = tags
        self.importance = importance
        self.expiresAt = expiresAt
    }
}

/// Writes to a namespace of a memory, and keeps it free of what is said twice.
public struct MemoryWriter: Sendable {
    /// The longest summary, in characters; a memory is a sentence, not a document.
    public static let longestSummary = 1_000

    private let store: any AgentMemoryStoring
    private let namespace: String
    private let scope: String
    private let now: @Sendable () -> Date

    /// - Parameter scope: Where drafts go that name none.
    public init(
        store: any AgentMemoryStoring, namespace: String, scope: String = "general", now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.namespace = namespace
        self.scope = scope
        self.now = now
    }

    /// Keeps a draft. When the same is known already, in other upper and lower case or punctuation, the record is brought up to date
    /// instead: the greater importance, all tags, not archived.
    ///
    /// - Throws: ``AgentRuntimeError`` `memoryFailed` for a blank or too long summary, or when the store fails.
    @discardableResult
    public func remember(_ draft: MemoryDraft) async throws -> MemoryRecord {
        let summary = draft.summary.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !summary.isEmpty, summary.count <= Self.longestSummary else {
            throw AgentRuntimeError(
                code: .memoryFailed, message: "A memory needs a summary of 1 to \(Self.longestSummary) characters.")
        }
        let scope = draft.scope ?? self.scope
        let former = try await known(summary, in: scope)
        let record = MemoryRecord(
            id: former?.id ?? UUID().uuidString, namespace: namespace, scope: scope, kind: draft.kind, summary: summary,
            tags: Self.merged(former?.tags ?? [], draft.tags), importance: max(former?.importance ?? 0, draft.importance),
            createdAt: former?.createdAt ?? now(), updatedAt: now(), expiresAt: draft.expiresAt)
        try await store.save([record])
        return record
    }

    /// Keeps a record out of what is recalled, without deleting it.
    ///
    /// - Throws: ``AgentRuntimeError`` `memoryFailed`.
    public func archive(id: String) async throws {
        guard let record = try await store.record(id: id), record.namespace == namespace else { return }
        try await store.save([
            MemoryRecord(
                id: record.id, namespace: record.namespace, scope: record.scope, kind: record.kind, summary: record.summary, tags: record.tags,
                importance: record.importance, createdAt: record.createdAt, updatedAt: now(), expiresAt: record.expiresAt, isArchived: true)
        ])
    }

    /// Deletes a record for good.
    ///
    /// - Throws: ``AgentRuntimeError`` `memoryFailed`.
    public func forget(id: String) async throws {
        guard try await store.record(id: id)?.namespace == namespace else { return }
        try await store.delete(ids: [id])
    }

    private func known(_ summary: String, in scope: String) async throws -> MemoryRecord? {
        let key = Self.key(summary)
        let similar = try await store.records(
            matching: MemoryQuery(namespace: namespace, scopes: [scope], text: summary, limit: 50, includesArchived: true))
        return similar.first { Self.key($0.summary) == key }
    }

    private static func key(_ text: String) -> [Substring] { text.lowercased().split { !$0.isLetter && !$0.isNumber } }

    private static func merged(_ left: [String], _ right: [String]) -> [String] { left + right.filter { !left.contains($0) } }
}
