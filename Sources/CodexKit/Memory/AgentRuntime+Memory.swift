import FoundationEssentials

extension AgentRuntime {
    /// A writer to the memory of this runtime.
    ///
    /// - Throws: ``AgentRuntimeError`` `memoryFailed` when it has none.
    public func memoryWriter(namespace: String, scope: String = "general") throws -> MemoryWriter {
        guard let memory = configuration.memory else {
            throw AgentRuntimeError(code: .memoryFailed, message: "The runtime has no memory; give it one in its configuration.")
        }
        return MemoryWriter(store: memory.store, namespace: namespace, scope: scope, now: configuration.now)
    }

    /// What a turn is reminded of: records that have words in common with the question, then the most important others.
    func recall(for text: String, _ settings: AgentTurnSettings, _ thread: AgentThread) async throws -> [MemoryRecord] {
        guard let memory = configuration.memory, let rules = thread.configuration.memory, settings.memorySelection != .disabled else { return [] }
        var scopes = rules.scopes
        if case .scopes(let chosen) = settings.memorySelection { scopes = chosen }
        var query = MemoryQuery(namespace: rules.namespace, scopes: scopes, text: text, limit: max(0, rules.maximumRecords))
        do {
            var found = try await memory.store.records(matching: query)
            query.text = nil
            query.minimumImportance = 0.8
            let known = Set(found.map(\.id))
            found += try await memory.store.records(matching: query).filter { !known.contains($0.id) }
            return Self.fitting(found, rules)
        } catch {
            throw AgentRuntimeError.wrapping(error, as: .memoryFailed, "The memory cannot be read.")
        }
    }

    private static func fitting(_ records: [MemoryRecord], _ rules: AgentThreadMemory) -> [MemoryRecord] {
        var left = rules.maximumCharacters
        return records.prefix(max(0, rules.maximumRecords)).filter { record in
            guard record.summary.count <= left else { return false }
            left -= record.summary.count
            return true
        }
    }

    // MARK: Learning

    /// Looks through a finished turn, aside from the thread; the turn does not wait for it.
    func captureLater(_ active: ActiveTurn) {
        guard let memory = configuration.memory, case .afterEachTurn(let minimum) = memory.capture, !active.isEphemeral,
            let thread = threads[active.threadID], let rules = thread.configuration.memory, rules.captures,
            active.turn.settings.memorySelection != .disabled, let answer = active.lastMessage
        else { return }
        let turnID = active.turn.id
        let id = UUID()
        captures[id] = Task {
            await self.capture(turnID, answer, thread, rules, minimum)
            self.captures[id] = nil
        }
    }

    /// Waits until what finished turns taught has been remembered.
    public func waitForMemoryCapture() async {
        while let task = captures.first?.value { await task.value }
    }

    private func capture(_ turnID: String, _ answer: AgentMessage, _ thread: AgentThread, _ rules: AgentThreadMemory, _ minimum: Int) async {
        do {
            let query = AgentHistoryQuery(kinds: [.message], role: .user, turnID: turnID)
            let questions = try await store { try await $0.history(of: thread.id, matching: query) }.compactMap(\.item.message?.text)
            let question = questions.joined(separator: "\n")
            guard question.count >= minimum else { return }
            let text = try await askAside(
                [.text(.user, "User:\n\(question)\n\nAssistant:\n\(answer.text)")], instructions: CapturedMemories.instructions, thread: thread,
                model: configuration.memory?.captureModel, format: CapturedMemories.responseFormat)
            let payload = try StructuredOutputDecoder.payload(from: text, format: CapturedMemories.responseFormat)
            let found = try StructuredOutputDecoder.decode(CapturedMemories.self, from: payload).memories
            let writer = try memoryWriter(namespace: rules.namespace, scope: rules.scopes.first ?? "general")
            for memory in found.prefix(5) {
                try await writer.remember(MemoryDraft(summary: memory.summary, kind: memory.kind, tags: memory.tags, importance: memory.importance))
            }
            logging.log(.info, .memory, "\(found.count) memories captured from turn \(turnID)")
        } catch {
            logging.log(.warning, .memory, "nothing could be captured from turn \(turnID)")
        }
    }
}

/// What the model answers when it is asked what is worth remembering.
private struct CapturedMemories: AgentStructuredOutput {
    struct Memory: Decodable {
        let summary: String
        let kind: String
        let tags: [String]
        let importance: Double
    }

    let memories: [Memory]

    static let instructions = """
        You decide what of an exchange is worth remembering for later conversations with the same user: lasting preferences, facts about them \
        and their projects, decisions. Nothing that holds for this exchange only, nothing secret such as passwords or keys, and nothing that \
        the assistant said on its own. At most five, each a short sentence that can be understood alone. Often there is nothing: give an empty list.
        """

    static let responseFormat = AgentStructuredOutputFormat(
        name: "captured_memories",
        schema: .object(
            properties: [
                "memories": .array(
                    items: .object(
                        properties: [
                            "summary": .string(), "kind": .string(enum: ["preference", "fact", "decision"]), "tags": .array(items: .string()),
                            "importance": .number(description: "0 to 1"),
                        ],
                        required: ["summary", "kind", "tags", "importance"]))
            ],
            required: ["memories"]))
}
