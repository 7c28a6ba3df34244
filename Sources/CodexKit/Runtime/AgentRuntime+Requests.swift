import FoundationEssentials

extension AgentRuntime {
    /// Begins a turn and returns what happens in it.
    ///
    /// The question is kept when this returns; the turn goes on by itself, and is interrupted when the stream is let go.
    /// - Throws: ``AgentRuntimeError`` `emptyRequest`, `threadNotFound`, `turnInProgress`, `skillNotFound`, `skillInvalid`,
    ///   `toolNotFound`, `stateStoreFailed`, or what is wrong with the session: `missingSession`, `refreshFailed` …
    public func stream(_ request: Request, in threadID: String) async throws -> AgentEventStream {
        try await begin(request, in: threadID, output: nil)
    }

    /// Sends and returns the text of the answer, when it is complete.
    ///
    /// - Throws: As ``stream(_:in:)``, and what went wrong in the turn. Cancelling the task interrupts the turn.
    public func send(_ request: Request, in threadID: String) async throws -> String {
        try await reply(to: request, in: threadID)?.text ?? ""
    }

    /// Sends and returns the last message of the answer, pictures included; `nil` when the model answered with nothing.
    ///
    /// - Throws: As ``send(_:in:)``.
    public func reply(to request: Request, in threadID: String) async throws -> AgentMessage? {
        try await Self.end(of: begin(request, in: threadID, output: nil)).finalMessage
    }

    /// Sends and returns the answer as a value; the service is held to its form, and the answer checked against it.
    ///
    /// - Throws: As ``send(_:in:)``, and `structuredOutputInvalid` when the answer is of another form.
    public func send<Output: AgentStructuredOutput>(_ request: Request, in threadID: String, response: Output.Type) async throws -> Output {
        try await send(request, in: threadID, response: response, format: Output.responseFormat)
    }

    /// The same for a type that does not know its form.
    public func send<Output: Decodable & Sendable>(
        _ request: Request, in threadID: String, response: Output.Type, format: AgentStructuredOutputFormat
    ) async throws -> Output {
        let output = AgentTurnSettings.Output(format: format, mode: .whole)
        let message = try await Self.end(of: begin(request, in: threadID, output: output)).finalMessage
        guard let payload = message?.structuredOutput?.payload else { throw Self.outputMissing }
        return try StructuredOutputDecoder.decode(Output.self, from: payload)
    }

    /// Begins a turn that answers with streamed text and a typed value after it.
    ///
    /// - Throws: As ``stream(_:in:)``; the stream throws `structuredOutputInvalid`, or `structuredOutputMissing` when it is required.
    public func stream<Output: AgentStructuredOutput>(
        _ request: Request, in threadID: String, response: Output.Type,
        options: AgentStructuredStreamingOptions = AgentStructuredStreamingOptions()
    ) async throws -> AsyncThrowingStream<AgentStructuredStreamEvent<Output>, any Error> {
        let mode: AgentTurnSettings.OutputMode = options.required ? .mixedRequired : .mixed
        let events = try await begin(request, in: threadID, output: AgentTurnSettings.Output(format: Output.responseFormat, mode: mode))
        return Self.typed(events, emitPartials: options.emitPartials)
    }

    /// Goes on with the thread's last turn, which was cut off: an approval that it waited for is asked for again, tool calls that had
    /// not begun are made, and the model is asked for the rest. Calls that may have taken effect are not repeated.
    ///
    /// - Throws: ``AgentRuntimeError`` `nothingToResume`, and as ``stream(_:in:)``.
    public func resumeTurn(in threadID: String) async throws -> AgentEventStream {
        try await load()
        _ = try known(threadID)
        guard activeTurns[threadID] == nil else { throw Self.turnInProgress }
        guard let turn = lastTurns[threadID], turn.status == .interrupted else {
            throw AgentRuntimeError(code: .nothingToResume, message: "The last turn of the thread is complete, there is nothing to go on with.")
        }
        return try await resume(turn)
    }

    /// Interrupts the turn of a thread and waits until it has ended; nothing happens when there is none.
    public func interruptTurn(in threadID: String) async {
        guard let task = activeTurns[threadID]?.task else { return }
        task.cancel()
        await task.value
    }

    /// The instructions that a turn for this request would begin with, word for word.
    ///
    /// - Throws: ``AgentRuntimeError`` `threadNotFound`, `skillNotFound` or `memoryFailed`.
    public func resolvedInstructionsPreview(for threadID: String, request: Request) async throws -> String {
        try await load()
        let thread = try known(threadID)
        let settings = AgentTurnSettings(request, output: nil)
        let skills = try resolvedSkills(settings, thread)
        let memories = try await recall(for: request.text, settings, thread)
        return instructions(settings, thread, skills: skills, memories: memories)
    }

    // MARK: Helpers

    static let outputMissing = AgentRuntimeError(
        code: .structuredOutputMissing, message: "The model answered without the typed value that was asked for.")

    private static func end(of events: AgentEventStream) async throws -> AgentTurnSummary {
        for try await event in events {
            if case .turnCompleted(let summary) = event { return summary }
        }
        // The stream of a cancelled reader just ends.
        throw AgentRuntimeError.cancelledTurn
    }

    private static func typed<Output: Decodable & Sendable>(
        _ events: AgentEventStream, emitPartials: Bool
    ) -> AsyncThrowingStream<AgentStructuredStreamEvent<Output>, any Error> {
        let (stream, continuation) = AsyncThrowingStream<AgentStructuredStreamEvent<Output>, any Error>.makeStream()
        let pump = Task {
            do {
                for try await event in events {
                    switch event {
                    case .structuredOutputPartial(let payload):
                        // What is written so far may lack what the type needs; that is no failure yet.
                        if emitPartials, let value = try? JSONCoding.decode(Output.self, from: payload) {
                            continuation.yield(.structuredOutputPartial(value))
                        }
                    case .structuredOutputCommitted(let metadata):
                        continuation.yield(.structuredOutputCommitted(try StructuredOutputDecoder.decode(Output.self, from: metadata.payload)))
                    default: continuation.yield(.event(event))
                    }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in pump.cancel() }
        return stream
    }
}
