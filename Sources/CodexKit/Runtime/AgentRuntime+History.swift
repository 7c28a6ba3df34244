import FoundationEssentials

extension AgentRuntime {
    /// The messages of a thread, oldest first.
    ///
    /// - Throws: ``AgentRuntimeError`` `threadNotFound` or `stateStoreFailed`.
    public func messages(for threadID: String) async throws -> [AgentMessage] {
        try await history(of: threadID, matching: AgentHistoryQuery(kinds: [.message])).compactMap(\.item.message)
    }

    /// Everything in a thread that fits: messages, tool calls and their results, approvals, compactions.
    ///
    /// - Throws: ``AgentRuntimeError`` `threadNotFound` or `stateStoreFailed`.
    public func history(of threadID: String, matching query: AgentHistoryQuery = AgentHistoryQuery()) async throws -> [AgentHistoryRecord] {
        try await load()
        _ = try known(threadID)
        return try await store { try await $0.history(of: threadID, matching: query) }
    }

    /// The turns of a thread, oldest first.
    ///
    /// - Throws: ``AgentRuntimeError`` `threadNotFound` or `stateStoreFailed`.
    public func turns(of threadID: String) async throws -> [AgentTurn] {
        try await load()
        _ = try known(threadID)
        return try await store { try await $0.turns(of: threadID) }
    }

    /// Removes records for good, pictures included, and the summary of the context if it may tell of them.
    ///
    /// - Parameter ids: Ids of records, or of messages.
    /// - Throws: ``AgentRuntimeError`` `threadNotFound`, `turnInProgress` or `stateStoreFailed`.
    public func deleteHistory(_ ids: Set<String>, in threadID: String) async throws {
        try await load()
        let thread = try known(threadID)
        guard activeTurns[threadID] == nil else { throw Self.turnInProgress }
        let records = try await store { try await $0.history(of: threadID, matching: AgentHistoryQuery()) }
        let found = Set(records.filter { ids.contains($0.id) || $0.item.message.map { ids.contains($0.id) } == true }.map(\.id))
        guard !found.isEmpty else { return }
        try await store { try await $0.apply([.deleteRecords(threadID: threadID, ids: found)]) }
        tell(.threadUpdated(threads[threadID] ?? thread), of: threadID)
    }

    static let turnInProgress = AgentRuntimeError(
        code: .turnInProgress, message: "The thread is answering already; wait for the end of its turn, or interrupt it.")
}
