import FoundationEssentials

/// The middle of a turn: ask the model, run what it calls, ask again.
extension AgentRuntime {
    func answer(_ active: ActiveTurn) async throws {
        try await compactIfLong(active)
        for call in active.openCalls { try await takeUp(call, active) }
        active.openCalls = []
        var reminders = 0
        for _ in 0..<configuration.limits.toolRounds {
            try Task.checkCancellation()
            let answer = try await ask(active)
            for call in answer.calls { try await handle(call, active) }
            guard answer.calls.isEmpty else { continue }
            guard let tool = active.policy.nextRequired else { return try await finish(active) }
            // One reminder for each tool that it may have to be reminded of, and one more.
            guard reminders <= active.policy.requiredCount, !active.policy.isStuck else {
                throw AgentRuntimeError(
                    code: .skillPolicyViolated,
                    message: "The model did not call \(tool), which the active skill requires; its answer was not accepted.")
            }
            reminders += 1
            logging.log(.notice, .skills, "turn \(active.turn.id) is reminded of the required tool \(tool)")
            active.items.append(.text(.developer, "The active skill requires a call of \(tool) before the final reply. Call it now."))
            active.forcedTool = tool
        }
        throw AgentRuntimeError(
            code: .tooManyToolRounds, message: "The model called tools \(configuration.limits.toolRounds) times in a row; the turn was ended.")
    }

    /// What one question brought.
    private struct Answer {
        var calls: [ToolInvocation] = []
        /// Messages that are not kept unless calls follow: the model may not have reached its final reply yet.
        var withheld: [AgentBackendMessage] = []
    }

    private func ask(_ active: ActiveTurn) async throws -> Answer {
        do {
            return try await askOnce(active)
        } catch let error as AgentRuntimeError where error.code == .contextTooLong {
            let mayCompact = configuration.compaction.mode == .automatic && !active.isEphemeral
            guard mayCompact, !active.wasCompacted, !active.isVisible else { throw error }
            logging.log(.notice, .compaction, "the context of thread \(active.threadID) is too long and is compacted")
            try await compact(active)
            return try await askOnce(active)
        }
    }

    private func askOnce(_ active: ActiveTurn) async throws -> Answer {
        let request = try backendRequest(active)
        active.forcedTool = nil
        // While a required tool is missing, text may be an answer that cannot be accepted.
        let withholds = !active.policy.missing.isEmpty
        var answer = Answer()
        var framing = StructuredOutputFraming()
        for try await event in configuration.backend.respond(to: request, as: sessionManager) {
            switch event {
            case .textDelta(_, let delta): if !withholds { receive(delta, &framing, active) }
            case .message(let message):
                active.items.append(.text(.assistant, message.refusal ?? message.text))
                if withholds { answer.withheld.append(message) } else { try await commit(message, framing, active) }
                framing = StructuredOutputFraming()
            case .functionCall(let call):
                for message in answer.withheld { try await commit(message, StructuredOutputFraming(), active) }
                answer.withheld = []
                answer.calls.append(try await record(call, active))
            case .reasoning(_, let item): active.items.append(.opaque(item))
            case .image(let image):
                active.images.append(AgentImageAttachment(mimeType: image.mimeType, data: image.data))
                active.isVisible = true
            case .completed(let completion):
                active.lastUsage = completion.usage
                active.turn.add(completion.usage)
            case .started, .retrying, .reasoningDelta, .webSearch: pass(event, active)
            }
        }
        // A stream that its reader's cancellation ended looks like one that is complete.
        try Task.checkCancellation()
        active.streamingText = ""
        return answer
    }

    private func pass(_ event: AgentBackendEvent, _ active: ActiveTurn) {
        switch event {
        case .retrying(let attempt, let delay, let reason):
            emit(.retrying(attempt: attempt, delay: delay, reason: reason), active)
            logging.log(.notice, .retry, "attempt \(attempt) for turn \(active.turn.id) in \(delay): \(reason.code)")
        case .reasoningDelta(_, let delta): emit(.reasoningDelta(threadID: active.threadID, turnID: active.turn.id, delta: delta), active)
        case .webSearch(let search): emit(.webSearch(search), active)
        default: break
        }
    }

    private func backendRequest(_ active: ActiveTurn) throws(AgentRuntimeError) -> AgentBackendRequest {
        let thread = try known(active.threadID)
        let settings = active.turn.settings
        let own = thread.configuration
        let usable = tools.definitions.filter { isUsable($0.name, in: thread) && active.policy.isOffered($0.name) }
        let choice = active.forcedTool.map { AgentToolChoice.tool($0) } ?? active.toolChoice ?? .automatic
        // What a request demands of its tools is met with the first round; after that it would never end.
        let isFirst = !active.items.contains { if case .functionCall = $0 { true } else { false } }
        return AgentBackendRequest(
            threadID: active.threadID, model: settings.model ?? own.model,
            instructions: instructions(settings, thread, skills: active.skills, memories: active.recalled), input: active.past + active.items,
            tools: usable, toolChoice: usable.isEmpty ? .automatic : active.forcedTool != nil || isFirst ? choice : .automatic,
            reasoningEffort: settings.reasoningEffort ?? own.reasoningEffort, enableWebSearch: settings.enableWebSearch ?? own.enableWebSearch,
            enableImageGeneration: settings.enableImageGeneration ?? own.enableImageGeneration,
            responseFormat: settings.output.flatMap { $0.mode == .whole ? $0.format.responseFormat : nil })
    }

    // MARK: Text

    private func receive(_ delta: String, _ framing: inout StructuredOutputFraming, _ active: ActiveTurn) {
        active.isVisible = true
        guard let output = active.turn.settings.output, output.mode != .whole else { return show(delta, active) }
        for piece in framing.receive(delta) {
            switch piece {
            case .text(let text): show(text, active)
            case .payload(let text):
                // A new value can be read only where one of these ends.
                guard text.utf8.contains(where: { [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains($0) }) else { continue }
                if let value = PartialJSON.value(of: framing.payload) { emit(.structuredOutputPartial(value), active) }
            case .payloadEnd: break
            }
        }
    }

    private func show(_ delta: String, _ active: ActiveTurn) {
        active.streamingText += delta
        emit(.assistantMessageDelta(threadID: active.threadID, turnID: active.turn.id, delta: delta), active)
    }

    /// Keeps a complete message of the model.
    private func commit(_ message: AgentBackendMessage, _ framing: StructuredOutputFraming, _ active: ActiveTurn) async throws {
        var framing = framing
        var text = message.text
        if message.refusal == nil, let output = active.turn.settings.output, output.mode != .whole {
            for piece in framing.finish() { if case .text(let rest) = piece { show(rest, active) } }
            (text, active.output) = try Self.split(message.text, output, former: active.output)
        }
        if message.refusal == nil, let output = active.turn.settings.output, output.mode == .whole {
            // Not an answer yet if calls follow, so what does not fit is judged at the end.
            active.output = (try? StructuredOutputDecoder.payload(from: text, format: output.format)).map {
                AgentStructuredOutputMetadata(formatName: output.format.name, payload: $0)
            }
        }
        // What the model writes must not lead into the network that this computer is in.
        for url in message.imageURLs { await addImage(at: url, schemes: ["https"], active) }
        try await keep(
            AgentMessage(
                threadID: active.threadID, role: .assistant, text: message.refusal ?? text, images: active.images,
                structuredOutput: message.refusal == nil ? active.output : nil, isRefusal: message.refusal != nil, createdAt: now), active)
        if let output = active.output, active.turn.settings.output?.mode != .whole { emit(.structuredOutputCommitted(output), active) }
    }

    /// The text for people and the value for the program.
    private static func split(
        _ text: String, _ output: AgentTurnSettings.Output, former: AgentStructuredOutputMetadata?
    ) throws -> (String, AgentStructuredOutputMetadata?) {
        var whole = StructuredOutputFraming()
        var visible = ""
        for piece in whole.receive(text) + whole.finish() { if case .text(let part) = piece { visible += part } }
        while visible.last?.isWhitespace == true { visible.removeLast() }
        guard whole.isComplete else { return (visible, former) }
        let payload = try StructuredOutputDecoder.payload(from: String(decoding: whole.payload, as: UTF8.self), format: output.format)
        return (visible, AgentStructuredOutputMetadata(formatName: output.format.name, payload: payload))
    }

    private func keep(_ message: AgentMessage, _ active: ActiveTurn) async throws {
        active.images = []
        active.lastMessage = message
        active.streamingText = ""
        active.isVisible = true
        let record = AgentHistoryRecord(threadID: active.threadID, turnID: active.turn.id, createdAt: message.createdAt, item: .message(message))
        try await save(active, status: .streaming, with: [.append([record])])
        emit(.messageCommitted(message), active)
    }

    /// The answer is complete: shows pictures that no message came with, and checks the typed value.
    private func finish(_ active: ActiveTurn) async throws {
        if !active.images.isEmpty {
            try await keep(
                AgentMessage(threadID: active.threadID, role: .assistant, text: "", images: active.images, createdAt: now), active)
        }
        guard let output = active.turn.settings.output else { return }
        switch output.mode {
        case .whole: try await finishWhole(output.format, active)
        case .mixedRequired: if active.output == nil { throw Self.outputMissing }
        case .mixed: break
        }
    }

    private func finishWhole(_ format: AgentStructuredOutputFormat, _ active: ActiveTurn) async throws {
        guard let message = active.lastMessage, !message.isRefusal else {
            throw AgentRuntimeError(
                code: .structuredOutputMissing, message: active.lastMessage.map { "The model refused: \($0.text)" } ?? Self.outputMissing.message)
        }
        let payload = try StructuredOutputDecoder.payload(from: message.text, format: format)
        emit(.structuredOutputCommitted(AgentStructuredOutputMetadata(formatName: format.name, payload: payload)), active)
    }
}
