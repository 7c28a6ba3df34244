import FoundationEssentials

/// The beginning and the end of turns.
extension AgentRuntime {
    func begin(_ request: Request, in threadID: String, output: AgentTurnSettings.Output?) async throws -> AgentEventStream {
        guard !request.isEmpty else { throw AgentRuntimeError(code: .emptyRequest, message: "There is neither text nor an image to send.") }
        try await load()
        let thread = try known(threadID)
        let settings = AgentTurnSettings(request, output: output)
        let isEphemeral = request.options.persistence == .ephemeral
        let turn = AgentTurn(threadID: threadID, startedAt: now, settings: settings)
        let (active, stream) = try makeActive(turn, thread, isEphemeral: isEphemeral, request.context, request.options.toolChoice)
        let former = lastTurns[threadID]
        await LiveTurns.shared.begin(turn.id)
        do {
            // Before anything is kept: without a session there is no turn.
            _ = try await sessionManager.validSession()
            let message = AgentMessage(threadID: threadID, role: .user, text: request.text, images: request.images, createdAt: now)
            active.past = try await past(of: threadID)
            active.recalled = try await recall(for: request.text, settings, thread)
            try await open(active, with: message)
        } catch {
            await giveUp(active, status: thread.status, former: former)
            throw AgentRuntimeError.wrapping(error, as: .stateStoreFailed, "The turn could not begin.")
        }
        start(active)
        return stream
    }

    /// A turn that could not begin leaves the thread as it was.
    private func giveUp(_ active: ActiveTurn, status: AgentThreadStatus, former: AgentTurn?) async {
        if !active.isEphemeral {
            threads[active.threadID]?.status = status
            lastTurns[active.threadID] = former
        }
        release(active)
        await LiveTurns.shared.end(active.turn.id)
    }

    func resume(_ interrupted: AgentTurn) async throws -> AgentEventStream {
        var turn = interrupted
        turn.status = .running
        turn.endedAt = nil
        let (active, stream) = try makeActive(turn, try known(turn.threadID), isEphemeral: false, RequestContext(), nil)
        await LiveTurns.shared.begin(turn.id)
        do {
            _ = try await sessionManager.validSession()
            let threadID = turn.threadID
            let all = try await store { try await $0.history(of: threadID, matching: AgentHistoryQuery()) }
            let mine = all.filter { $0.turnID == turn.id }
            active.past = try await past(of: threadID, excluding: turn.id)
            active.recalled = try await recall(for: mine.first?.item.message?.text ?? "", turn.settings, try known(threadID))
            reopen(active, mine)
            try await save(active, status: .streaming)
            emit(.turnStarted(active.turn), active)
            emit(.threadStatusChanged(threadID: threadID, status: .streaming), active)
        } catch {
            await giveUp(active, status: .interrupted, former: interrupted)
            throw AgentRuntimeError.wrapping(error, as: .stateStoreFailed, "The turn could not go on.")
        }
        start(active)
        return stream
    }

    /// Takes up the calls of a turn that was cut off.
    private func reopen(_ active: ActiveTurn, _ records: [AgentHistoryRecord]) {
        var answered: [String: ToolResultEnvelope] = [:]
        for record in records { if case .toolResult(let result) = record.item { answered[result.invocationID] = result } }
        let waiting = active.turn.pendingApproval?.toolInvocation.id
        // Calls run one after another, so of those without an answer only the first can have begun.
        var isFirstOpen = true
        var kept: [AgentHistoryRecord] = []
        for record in records {
            kept.append(record)
            guard case .toolCall(let call, _) = record.item else { continue }
            if let result = answered[call.id] {
                if result.errorMessage?.hasPrefix(SkillPolicyEnforcer.refusalPrefix) != true { active.policy.record(call.toolName) }
            } else {
                active.openCalls.append(ActiveTurn.OpenCall(invocation: call, mayHaveRun: isFirstOpen && call.id != waiting))
                isFirstOpen = false
            }
        }
        let open = Set(active.openCalls.map(\.invocation.id))
        active.items = InputBuilder.items(of: kept).filter { item in
            // Their answers come when the calls are made.
            if case .functionCallOutput(let id, _) = item { !open.contains(id) } else { true }
        }
    }

    private func makeActive(
        _ turn: AgentTurn, _ thread: AgentThread, isEphemeral: Bool, _ context: RequestContext, _ toolChoice: AgentToolChoice?
    ) throws(AgentRuntimeError) -> (ActiveTurn, AgentEventStream) {
        guard isEphemeral || activeTurns[thread.id] == nil else { throw Self.turnInProgress }
        let skills = try resolvedSkills(turn.settings, thread)
        let (stream, continuation) = AgentEventStream.makeStream()
        let active = ActiveTurn(
            turn: turn, isEphemeral: isEphemeral, context: context, toolChoice: toolChoice, skills: skills, continuation: continuation)
        if active.policy.isStuck {
            throw AgentRuntimeError(code: .skillInvalid, message: "The active skills contradict each other: what one requires, another forbids.")
        }
        if let missing = active.policy.missing.first(where: { tools[$0] == nil || !isUsable($0, in: thread) }) {
            throw AgentRuntimeError(code: .toolNotFound, message: "An active skill requires the tool \(missing), which the thread does not have.")
        }
        if isEphemeral { ephemeralTurns[turn.id] = active } else { activeTurns[thread.id] = active }
        return (active, stream)
    }

    func resolvedSkills(_ settings: AgentTurnSettings, _ thread: AgentThread) throws(AgentRuntimeError) -> [AgentSkill] {
        let ids = settings.skillSelection?.resolved(with: thread.skillIDs) ?? thread.skillIDs
        try requireSkills(ids)
        return ids.compactMap { skills[$0] }
    }

    func isUsable(_ tool: String, in thread: AgentThread) -> Bool { thread.configuration.toolNames?.contains(tool) ?? true }

    func instructions(_ settings: AgentTurnSettings, _ thread: AgentThread, skills: [AgentSkill], memories: [MemoryRecord]) -> String {
        InstructionCompiler(
            backendBase: configuration.backend.baseInstructions, runtimeBase: configuration.baseInstructions,
            threadInstructions: thread.configuration.instructions, threadPersona: thread.personaStack, turnPersona: settings.personaOverride,
            composition: configuration.personaComposition, skills: skills, memories: memories, output: settings.output
        ).instructions
    }

    /// What the model reads of a thread's past.
    func past(of threadID: String, excluding turnID: String? = nil) async throws -> [AgentInputItem] {
        let context = try await store { try await $0.contextState(of: threadID) }
        let query = AgentHistoryQuery(after: context?.coveredThrough)
        let records = try await store { try await $0.history(of: threadID, matching: query) }
        return InputBuilder.items(of: records.filter { turnID == nil || $0.turnID != turnID }, summary: context?.summary)
    }

    /// Keeps the question and tells of the turn.
    private func open(_ active: ActiveTurn, with message: AgentMessage) async throws {
        let isFirst = lastTurns[active.threadID] == nil
        if let shown = active.context.textForModel { active.items.append(.text(.developer, shown)) }
        active.items.append(InputBuilder.item(of: message))
        let record = AgentHistoryRecord(threadID: active.threadID, turnID: active.turn.id, createdAt: message.createdAt, item: .message(message))
        try await save(active, status: .streaming, with: [.append([record])])
        if isFirst, !active.isEphemeral, let thread = threads[active.threadID] { emit(.threadStarted(thread), active) }
        emit(.turnStarted(active.turn), active)
        emit(.threadStatusChanged(threadID: active.threadID, status: .streaming), active)
        emit(.messageCommitted(message), active)
        logging.log(.info, .runtime, "turn \(active.turn.id) started in thread \(active.threadID)")
    }

    private func start(_ active: ActiveTurn) {
        let threadID = active.threadID, turnID = active.turn.id
        let task = Task { await self.run(turnID, in: threadID) }
        active.task = task
        active.continuation.onTermination = { reason in if case .cancelled = reason { task.cancel() } }
    }

    private func active(_ turnID: String, in threadID: String) -> ActiveTurn? {
        ephemeralTurns[turnID] ?? activeTurns[threadID].flatMap { $0.turn.id == turnID ? $0 : nil }
    }

    private func run(_ turnID: String, in threadID: String) async {
        guard let active = active(turnID, in: threadID), let task = active.task else { return }
        let activity = await configuration.backgroundActivityProvider.beginActivity(named: "Answering in a thread") { task.cancel() }
        do {
            try await answer(active)
            try await complete(active)
        } catch {
            await fail(active, Task.isCancelled ? AgentRuntimeError.cancelledTurn : error)
        }
        await LiveTurns.shared.end(turnID)
        await activity.end()
    }

    private func complete(_ active: ActiveTurn) async throws {
        active.turn.status = .completed
        active.turn.endedAt = now
        active.turn.pendingApproval = nil
        active.turn.pendingDecision = nil
        try await save(active, status: .idle)
        let summary = AgentTurnSummary(
            threadID: active.threadID, turnID: active.turn.id, finalMessage: active.lastMessage, usage: active.turn.usage, completedAt: now)
        release(active)
        emit(.threadStatusChanged(threadID: active.threadID, status: .idle), active)
        emit(.turnCompleted(summary), active)
        active.continuation.finish()
        logging.log(.info, .runtime, "turn \(active.turn.id) completed")
        captureLater(active)
    }

    private func fail(_ active: ActiveTurn, _ cause: any Error) async {
        var error = AgentRuntimeError.wrapping(cause, as: .serverFailed, "The turn failed for an unknown reason.")
        if error.code == .cancelled { error = .cancelledTurn }
        let isInterruption = error.code == .turnInterrupted
        active.turn.status = isInterruption ? .interrupted : .failed
        active.turn.endedAt = now
        active.turn.failure = isInterruption ? nil : AgentTurn.Failure(code: error.code, message: error.message)
        if !isInterruption { active.turn.pendingApproval = nil }
        let status: AgentThreadStatus = isInterruption ? .interrupted : .failed
        do {
            try await save(active, status: status)
        } catch {
            // The next start of the program will find the turn running and mark it; what is told now is why it failed.
            logging.log(.error, .persistence, "the end of turn \(active.turn.id) could not be kept")
        }
        release(active)
        emit(.threadStatusChanged(threadID: active.threadID, status: status), active)
        emit(.turnFailed(error), active)
        active.continuation.finish(throwing: error)
        logging.log(isInterruption ? .notice : .error, .runtime, "turn \(active.turn.id) ended: \(error.code): \(error.message)")
    }

    private func release(_ active: ActiveTurn) {
        ephemeralTurns[active.turn.id] = nil
        if activeTurns[active.threadID] === active { activeTurns[active.threadID] = nil }
    }

    // MARK: Keeping and telling

    /// Keeps the turn and the status of its thread, with more changes; nothing of an ephemeral turn.
    func save(_ active: ActiveTurn, status: AgentThreadStatus, with changes: [RuntimeStateChange] = []) async throws(AgentRuntimeError) {
        guard !active.isEphemeral else { return }
        var thread = try known(active.threadID)
        thread.status = status
        thread.updatedAt = now
        threads[thread.id] = thread
        lastTurns[thread.id] = active.turn
        let all = [.saveThread(thread), .saveTurn(active.turn)] + changes
        try await store { try await $0.apply(all) }
    }

    func emit(_ event: AgentEvent, _ active: ActiveTurn) {
        active.continuation.yield(event)
        if !active.isEphemeral { tell(event, of: active.threadID) }
    }

    func setStatus(_ status: AgentThreadStatus, _ active: ActiveTurn, with changes: [RuntimeStateChange] = []) async throws(AgentRuntimeError) {
        let isNew = threads[active.threadID]?.status != status
        try await save(active, status: status, with: changes)
        if isNew, !active.isEphemeral { emit(.threadStatusChanged(threadID: active.threadID, status: status), active) }
    }
}
