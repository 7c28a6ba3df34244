import FoundationEssentials

extension AgentRuntime {
    /// Has the model summarise the thread's past, all but its latest turns; from then on it reads the summary instead. Nothing is
    /// removed from the thread.
    ///
    /// - Throws: ``AgentRuntimeError`` `threadNotFound`, `turnInProgress`, `compactionFailed` when there is too little to summarise or
    ///   the summary is empty, and what is wrong with the session or the service.
    @discardableResult
    public func compactContext(of threadID: String) async throws -> AgentContextState {
        try await load()
        let thread = try known(threadID)
        guard activeTurns[threadID] == nil else { throw Self.turnInProgress }
        guard let state = try await makeCompaction(of: thread, excluding: nil) else {
            throw AgentRuntimeError(code: .compactionFailed, message: "The thread is too short to summarise.")
        }
        return state
    }

    /// Lets the model read the whole past again.
    public func clearCompaction(of threadID: String) async throws {
        try await load()
        _ = try known(threadID)
        try await store { try await $0.apply([.clearContextState(threadID: threadID)]) }
    }

    /// The summary that the model reads; `nil` when it reads everything.
    public func contextState(of threadID: String) async throws -> AgentContextState? {
        try await load()
        _ = try known(threadID)
        return try await store { try await $0.contextState(of: threadID) }
    }

    /// Compacts before the first question of a turn when its past is long. A failure is no reason not to ask.
    func compactIfLong(_ active: ActiveTurn) async throws {
        let rules = configuration.compaction
        guard rules.mode == .automatic, !active.isEphemeral, InputBuilder.estimatedTokens(active.past) >= rules.thresholdTokens else { return }
        do {
            try await compact(active)
        } catch {
            if Task.isCancelled { throw AgentRuntimeError.cancelledTurn }
            logging.log(.warning, .compaction, "thread \(active.threadID) could not be compacted")
        }
    }

    func compact(_ active: ActiveTurn) async throws {
        active.wasCompacted = true
        guard let state = try await makeCompaction(of: try known(active.threadID), excluding: active.turn.id) else {
            throw AgentRuntimeError(
                code: .contextTooLong, message: "The latest turns of the conversation alone are too long for the model; begin a new one.")
        }
        active.past = try await past(of: active.threadID, excluding: active.turn.id)
        emit(.contextCompacted(state), active)
    }

    /// - Parameter turnID: The turn that runs, which is never summarised.
    /// - Returns: `nil` when there is nothing to summarise.
    private func makeCompaction(of thread: AgentThread, excluding turnID: String?) async throws -> AgentContextState? {
        let id = thread.id
        let former = try await store { try await $0.contextState(of: id) }
        let all = try await store { try await $0.history(of: id, matching: AgentHistoryQuery(after: former?.coveredThrough)) }
        let records = all.filter { turnID == nil || $0.turnID != turnID }
        let covered = Self.coverable(records, keptTurns: configuration.compaction.keptTurns)
        guard let last = covered.last, covered.contains(where: { $0.item.message != nil }) else { return nil }
        let summary = try await summarise(covered, former?.summary, thread)
        let state = AgentContextState(
            threadID: id, summary: summary, coveredThrough: last.sequence, generation: (former?.generation ?? 0) + 1, createdAt: now)
        let record = AgentHistoryRecord(
            threadID: id, createdAt: now,
            item: .compaction(AgentCompactionRecord(summary: summary, coveredThrough: state.coveredThrough, generation: state.generation)))
        try await store { try await $0.apply([.saveContextState(state), .append([record])]) }
        logging.log(.notice, .compaction, "thread \(id) is compacted, generation \(state.generation)")
        return state
    }

    /// The records before the latest turns; a turn is never cut in two.
    static func coverable(_ records: [AgentHistoryRecord], keptTurns: Int) -> [AgentHistoryRecord] {
        var turns: [String] = []
        for record in records { if let turn = record.turnID, turns.last != turn { turns.append(turn) } }
        let kept = Set(turns.suffix(keptTurns))
        return Array(records.prefix { record in record.turnID.map { !kept.contains($0) } ?? true })
    }

    private func summarise(_ records: [AgentHistoryRecord], _ former: String?, _ thread: AgentThread) async throws -> String {
        let input = InputBuilder.items(of: records, summary: former) + [.text(.user, configuration.compaction.prompt)]
        let text = try await askAside(
            input, instructions: "You summarise conversations for a model that goes on with them.", thread: thread,
            model: configuration.compaction.model)
        guard !text.allSatisfy(\.isWhitespace) else {
            throw AgentRuntimeError(code: .compactionFailed, message: "The model gave no summary.")
        }
        return text
    }

    /// A question that belongs to no turn.
    func askAside(
        _ input: [AgentInputItem], instructions: String, thread: AgentThread, model: String?, format: AgentStructuredOutputFormat? = nil
    ) async throws -> String {
        let base = [configuration.backend.baseInstructions, instructions].compactMap { $0 }.joined(separator: "\n\n")
        let request = AgentBackendRequest(
            threadID: thread.id, model: model ?? thread.configuration.model, instructions: base, input: input, enableWebSearch: false,
            enableImageGeneration: false, responseFormat: format?.responseFormat)
        var text = ""
        for try await event in configuration.backend.respond(to: request, as: sessionManager) {
            if case .message(let message) = event, message.refusal == nil { text += message.text }
        }
        try Task.checkCancellation()
        return text
    }
}
