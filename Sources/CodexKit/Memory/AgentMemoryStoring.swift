import FoundationEssentials

/// Keeps what is worth knowing in later threads.
public protocol AgentMemoryStoring: Sendable {
    /// Adds records, or replaces those of the same id; all or none.
    ///
    /// - Throws: ``AgentRuntimeError`` `memoryFailed`, as all functions here.
    func save(_ records: [MemoryRecord]) async throws

    /// The records that fit: with a text those with most of its words in common first, else the most important ones.
    func records(matching query: MemoryQuery) async throws -> [MemoryRecord]

    func record(id: String) async throws -> MemoryRecord?

    /// Removes for good.
    func delete(ids: [String]) async throws

    /// Removes records that have expired; how many.
    @discardableResult
    func deleteExpired(at now: Date) async throws -> Int
}
