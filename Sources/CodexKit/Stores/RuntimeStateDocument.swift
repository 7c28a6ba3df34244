/// The whole state as a value: what the stores in memory and in a file hold.
struct RuntimeStateDocument: Codable, Equatable, Sendable {
    struct ThreadState: Codable, Equatable, Sendable {
        var thread: AgentThread
        var turns: [AgentTurn] = []
        var history: [AgentHistoryRecord] = []
        var context: AgentContextState?
        /// Never given again, even when the last record was deleted.
        var lastSequence = 0
    }

    /// The form of the document; a greater one was written by a newer version of the library.
    static let currentVersion = 1

    var version = Self.currentVersion
    private(set) var threads: [String: ThreadState] = [:]

    /// Makes the changes on a copy, so that a wrong one leaves everything as it was.
    ///
    /// - Returns: The records that are gone.
    mutating func apply(_ changes: [RuntimeStateChange]) throws(AgentRuntimeError) -> [AgentHistoryRecord] {
        var copy = self
        var gone: [AgentHistoryRecord] = []
        for change in changes { gone += try copy.apply(change) }
        self = copy
        return gone
    }

    private mutating func apply(_ change: RuntimeStateChange) throws(AgentRuntimeError) -> [AgentHistoryRecord] {
        switch change {
        case .saveThread(let thread):
            threads[thread.id, default: ThreadState(thread: thread)].thread = thread
        case .saveTurn(let turn):
            try update(turn.threadID) { state in
                if let index = state.turns.lastIndex(where: { $0.id == turn.id }) { state.turns[index] = turn } else { state.turns.append(turn) }
            }
        case .append(let records):
            for record in records {
                try update(record.threadID) { state in
                    var record = record
                    state.lastSequence += 1
                    record.sequence = state.lastSequence
                    state.history.append(record)
                }
            }
        case .saveContextState(let context): try update(context.threadID) { $0.context = context }
        case .clearContextState(let id): try update(id) { $0.context = nil }
        case .deleteRecords(let id, let ids):
            var gone: [AgentHistoryRecord] = []
            try update(id) { state in
                gone = state.history.filter { ids.contains($0.id) }
                state.history.removeAll { ids.contains($0.id) }
                // The summary may tell what was to be forgotten.
                if let covered = state.context?.coveredThrough, gone.contains(where: { $0.sequence <= covered }) { state.context = nil }
            }
            return gone
        case .deleteThread(let id): return threads.removeValue(forKey: id)?.history ?? []
        }
        return []
    }

    private mutating func update(_ id: String, _ body: (inout ThreadState) -> Void) throws(AgentRuntimeError) {
        guard var state = threads.removeValue(forKey: id) else { throw .threadNotFound(id) }
        body(&state)
        threads[id] = state
    }

    var summary: RuntimeStateSummary {
        RuntimeStateSummary(threads: threads.values.map(\.thread), lastTurns: threads.compactMapValues(\.turns.last))
    }

    func history(of id: String, matching query: AgentHistoryQuery) -> [AgentHistoryRecord] {
        let all = threads[id]?.history ?? []
        let limit = max(0, query.limit ?? .max)
        if query.newestFirst { return Array(all.lazy.reversed().filter(query.matches).prefix(limit)) }
        return Array(all.lazy.filter(query.matches).prefix(limit))
    }
}
