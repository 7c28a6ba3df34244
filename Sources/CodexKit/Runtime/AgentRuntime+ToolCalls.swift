import FoundationEssentials
import JSON

/// What the model calls: allowed or not, approved or not, run, answered.
extension AgentRuntime {
    /// Keeps a call before anything is done about it.
    func record(_ call: AgentFunctionCall, _ active: ActiveTurn) async throws -> ToolInvocation {
        active.items.append(.functionCall(callID: call.callID, name: call.name, arguments: call.arguments))
        active.isVisible = true
        let invocation = ToolInvocation(
            id: call.callID, threadID: active.threadID, turnID: active.turn.id, toolName: call.name, arguments: Self.arguments(call.arguments))
        try await save(
            active, status: .streaming, with: [.append([entry(.toolCall(invocation, arguments: call.arguments), active)])])
        return invocation
    }

    /// No text counts as no arguments, as some models send it for tools that take none.
    static func arguments(_ text: String) -> JSONValue {
        if text.allSatisfy(\.isWhitespace) { return .object([:]) }
        do throws(JSONError) {
            return try JSONParser(maximumDepth: 128, duplicateKeys: .lastWins).parse(Array(text.utf8))
        } catch {
            return .string(text)
        }
    }

    /// A call of a turn that was cut off.
    func takeUp(_ call: ActiveTurn.OpenCall, _ active: ActiveTurn) async throws {
        guard call.mayHaveRun else { return try await handle(call.invocation, active) }
        active.policy.record(call.invocation.toolName)
        try await answer(call.invocation, with: .failure(invocation: call.invocation, message: InputBuilder.interrupted), active)
    }

    func handle(_ invocation: ToolInvocation, _ active: ActiveTurn) async throws {
        active.activeTool = invocation
        emit(.toolCallStarted(invocation), active)
        logging.log(.info, .tools, "turn \(active.turn.id) calls \(invocation.toolName)")
        let result: ToolResultEnvelope
        do {
            result = try await outcome(of: invocation, active)
        } catch {
            active.activeTool = nil
            throw error
        }
        active.activeTool = nil
        try await answer(invocation, with: result, active)
    }

    /// Keeps and tells the result, and prepares it for the model.
    private func answer(_ invocation: ToolInvocation, with result: ToolResultEnvelope, _ active: ActiveTurn) async throws {
        let result = limited(result)
        active.items.append(.functionCallOutput(callID: invocation.id, output: result.content))
        try await setStatus(.streaming, active, with: [.append([entry(.toolResult(result), active)])])
        emit(.toolCallFinished(result), active)
        for content in result.content { if case .image(let url) = content { await addImage(at: url, active) } }
        if !result.success { logging.log(.notice, .tools, "\(invocation.toolName) failed in turn \(active.turn.id)") }
    }

    private func outcome(of invocation: ToolInvocation, _ active: ActiveTurn) async throws -> ToolResultEnvelope {
        guard let tool = tools[invocation.toolName], isUsable(invocation.toolName, in: try known(active.threadID)) else {
            return .failure(invocation: invocation, message: "There is no tool \(invocation.toolName.prefix(64)).")
        }
        guard invocation.arguments.object != nil else {
            return .failure(invocation: invocation, message: "The arguments are no JSON object; call the tool again with valid ones.")
        }
        if case .refused(let reason) = active.policy.admit(invocation.toolName) {
            logging.log(.notice, .skills, "a call of \(invocation.toolName) is refused in turn \(active.turn.id)")
            return .failure(invocation: invocation, message: reason)
        }
        if tool.definition.approvalPolicy == .requiresApproval {
            guard try await approve(invocation, tool.definition, active) == .approved else { return .denied(invocation: invocation) }
        }
        try await setStatus(.runningTool, active)
        let session = await sessionManager.currentSession()
        let context = ToolExecutionContext(
            thread: try known(active.threadID), turnID: active.turn.id, session: session, requestContext: active.context)
        do {
            let result = try await tool.executor.execute(invocation: invocation, context: context)
            try Task.checkCancellation()
            return result
        } catch {
            if Task.isCancelled { throw AgentRuntimeError.cancelledTurn }
            return .failure(invocation: invocation, message: Self.text(of: error))
        }
    }

    /// What the model may read of a failure.
    private static func text(of error: any Error) -> String {
        switch error {
        case let error as ToolFailure: error.description
        case let error as AgentRuntimeError: error.message
        default: "The tool failed."
        }
    }

    /// The result under the call's own name, its texts cut to what the model can take.
    private func limited(_ result: ToolResultEnvelope) -> ToolResultEnvelope {
        var left = configuration.limits.toolResultBytes
        let content = result.content.map { content -> ToolResultContent in
            guard case .text(let text) = content else { return content }
            guard text.utf8.count > left else {
                left -= text.utf8.count
                return content
            }
            defer { left = 0 }
            return .text(String(decoding: text.utf8.prefix(left), as: UTF8.self) + "\n[cut: \(text.utf8.count) bytes in all]")
        }
        return ToolResultEnvelope(
            invocationID: result.invocationID, toolName: result.toolName, success: result.success, content: content,
            errorMessage: result.errorMessage)
    }

    func entry(_ item: AgentHistoryItem, _ active: ActiveTurn) -> AgentHistoryRecord {
        AgentHistoryRecord(threadID: active.threadID, turnID: active.turn.id, createdAt: now, item: item)
    }

    // MARK: Pictures

    /// Gets a picture that a tool or the model names, to be shown with the next message. One that cannot be had is left out.
    ///
    /// - Parameter schemes: Where it may come from, beside `data:`.
    func addImage(at url: URL, schemes: Set<String> = ["https", "http"], _ active: ActiveTurn) async {
        let limit = configuration.limits.toolImageBytes
        do {
            guard let scheme = url.scheme?.lowercased(), scheme == "data" || schemes.contains(scheme) else { throw ToolFailure("no web address") }
            let data = scheme == "data"
                ? try Self.data(of: url, limit: limit) : try await configuration.resourceFetcher.fetch(url, limit: limit).data
            guard data.count <= limit, let image = AgentImageAttachment(data) else { throw ToolFailure("no image") }
            active.images.append(image)
        } catch {
            logging.log(.notice, .tools, "an image that turn \(active.turn.id) names could not be loaded")
        }
    }

    private static func data(of url: URL, limit: Int) throws -> Data {
        let text = url.absoluteString
        guard let comma = text.firstIndex(of: ","), text[..<comma].hasSuffix(";base64"),
            text.utf8.count <= limit / 3 * 4 + 256, let data = Data(base64Encoded: String(text[text.index(after: comma)...]))
        else { throw ToolFailure("no base64 data") }
        return data
    }
}
