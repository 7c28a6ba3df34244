import FoundationEssentials

extension AgentRuntime {
    /// Begins a thread.
    ///
    /// - Parameters:
    ///   - personaStack: The persona that is pinned to it.
    ///   - personaSource: Where to load the persona from, when `personaStack` is `nil`.
    ///   - skillIDs: Skills that are on in all its turns.
    /// - Throws: ``AgentRuntimeError`` `skillNotFound`, `definitionUnavailable`, `definitionInvalid`, `stateStoreFailed`.
    @discardableResult
    public func createThread(
        title: String? = nil, configuration: AgentThreadConfiguration = AgentThreadConfiguration(), personaStack: AgentPersonaStack? = nil,
        personaSource: AgentDefinitionSource? = nil, skillIDs: [String] = []
    ) async throws -> AgentThread {
        try requireSkills(skillIDs)
        try await load()
        var persona = personaStack
        if persona == nil, let personaSource { persona = try await loader.persona(from: personaSource) }
        let thread = AgentThread(title: title, createdAt: now, configuration: configuration, personaStack: persona, skillIDs: skillIDs)
        try await store { try await $0.apply([.saveThread(thread)]) }
        threads[thread.id] = thread
        logging.log(.info, .runtime, "thread \(thread.id) created")
        tell(.threadUpdated(thread), of: thread.id)
        return thread
    }

    /// The threads that fit, the latest first unless asked otherwise.
    public func threads(matching query: AgentThreadQuery = AgentThreadQuery()) async throws -> [AgentThread] {
        try await load()
        return query.select(from: threads.values)
    }

    /// - Throws: ``AgentRuntimeError`` `threadNotFound`.
    public func thread(id: String) async throws -> AgentThread {
        try await load()
        return try known(id)
    }

    public func setTitle(_ title: String?, for threadID: String) async throws { try await update(threadID) { $0.title = title } }

    /// Settings for the turns that begin from now on.
    public func setConfiguration(_ configuration: AgentThreadConfiguration, for threadID: String) async throws {
        try await update(threadID) { $0.configuration = configuration }
    }

    /// Pins another persona; `nil` for none. Nothing is added to the thread.
    public func setPersonaStack(_ personaStack: AgentPersonaStack?, for threadID: String) async throws {
        try await update(threadID) { $0.personaStack = personaStack }
    }

    /// Loads a persona and pins it.
    public func setPersona(from source: AgentDefinitionSource, for threadID: String) async throws {
        let persona = try await loader.persona(from: source)
        try await setPersonaStack(persona, for: threadID)
    }

    /// - Throws: ``AgentRuntimeError`` `skillNotFound` or `threadNotFound`.
    public func setSkillIDs(_ skillIDs: [String], for threadID: String) async throws {
        try requireSkills(skillIDs)
        try await update(threadID) { $0.skillIDs = skillIDs }
    }

    /// Interrupts what the thread does and removes it with everything in it.
    public func deleteThread(id: String) async throws {
        try await load()
        let thread = try known(id)
        await interruptTurn(in: id)
        // First here, so that no turn begins meanwhile and brings it back.
        threads[id] = nil
        do throws(AgentRuntimeError) {
            try await store { try await $0.apply([.deleteThread(id: id)]) }
        } catch {
            threads[id] = thread
            throw error
        }
        lastTurns[id] = nil
        logging.log(.info, .runtime, "thread \(id) deleted")
        tell(.threadDeleted(id: id), of: id)
        eventCounts[id] = nil
    }

    /// Removes all threads.
    public func deleteAllThreads() async throws {
        try await load()
        for id in threads.keys { try await deleteThread(id: id) }
    }

    /// Copies a thread, with its persona, skills and settings, to go on from there in another direction.
    ///
    /// - Parameters:
    ///   - messageID: The last message to take over; `nil` for all.
    ///   - title: `nil` for the thread's own.
    /// - Throws: ``AgentRuntimeError`` `threadNotFound`, or `requestRefused` when the message is not in the thread.
    public func forkThread(id: String, through messageID: String? = nil, title: String? = nil) async throws -> AgentThread {
        try await load()
        let original = try known(id)
        var records = try await store { try await $0.history(of: id, matching: AgentHistoryQuery()) }
        if let messageID {
            guard let index = records.firstIndex(where: { $0.item.message?.id == messageID }) else {
                throw AgentRuntimeError(code: .requestRefused, message: "The message is not in the thread.")
            }
            records.removeSubrange((index + 1)...)
        }
        let fork = AgentThread(
            title: title ?? original.title, createdAt: now, configuration: original.configuration, personaStack: original.personaStack,
            skillIDs: original.skillIDs, forkedFrom: id)
        let copies = records.compactMap { $0.copied(to: fork.id) }
        try await store { try await $0.apply([.saveThread(fork), .append(copies)]) }
        threads[fork.id] = fork
        tell(.threadUpdated(fork), of: fork.id)
        return fork
    }

    // MARK: Helpers

    func known(_ id: String) throws(AgentRuntimeError) -> AgentThread {
        guard let thread = threads[id] else { throw .threadNotFound(id) }
        return thread
    }

    func requireSkills(_ ids: [String]) throws(AgentRuntimeError) {
        if let missing = ids.first(where: { skills[$0] == nil }) { throw .skillNotFound(missing) }
    }

    private func update(_ id: String, _ change: (inout AgentThread) -> Void) async throws {
        try await load()
        var thread = try known(id)
        change(&thread)
        thread.updatedAt = now
        // At once, so that a turn that saves its status meanwhile saves this too.
        threads[id] = thread
        let changed = thread
        try await store { try await $0.apply([.saveThread(changed)]) }
        tell(.threadUpdated(threads[id] ?? changed), of: id)
    }
}

extension AgentHistoryRecord {
    /// The record in a copy of its thread; summaries of the context are left out, as they count the original's records.
    func copied(to thread: String) -> AgentHistoryRecord? {
        let item: AgentHistoryItem
        switch self.item {
        case .message(let message):
            item = .message(
                AgentMessage(
                    threadID: thread, role: message.role, text: message.text, images: message.images,
                    structuredOutput: message.structuredOutput, isRefusal: message.isRefusal, createdAt: message.createdAt))
        case .toolCall(let call, let arguments):
            item = .toolCall(
                ToolInvocation(id: call.id, threadID: thread, turnID: call.turnID, toolName: call.toolName, arguments: call.arguments),
                arguments: arguments)
        case .toolResult, .approval: item = self.item
        case .compaction: return nil
        }
        return AgentHistoryRecord(threadID: thread, turnID: turnID, createdAt: createdAt, item: item)
    }
}
