import FoundationEssentials

// The names of the first generation of this interface. Each is the newer name under which the same is done today.

/// The former name of ``Request``.
public typealias UserMessageRequest = Request

/// Former names of protocols.
public typealias SessionSecureStore = SessionSecureStoring
public typealias RuntimeStateStore = RuntimeStateStoring
public typealias ApprovalPresenter = ApprovalPresenting

extension Request {
    /// A request with skills after those of its thread: `skillSelection: .append(skillOverrideIDs)` today.
    public init(
        text: String = "", images: [AgentImageAttachment] = [], personaOverride: AgentPersonaStack? = nil, skillOverrideIDs: [String]
    ) {
        self.init(text: text, images: images, personaOverride: personaOverride, skillSelection: .append(skillOverrideIDs))
    }

    /// The same about content from elsewhere.
    public init(
        prompt: String? = nil, importedContent: AgentImportedContent, personaOverride: AgentPersonaStack? = nil, skillOverrideIDs: [String]
    ) {
        self.init(
            prompt: prompt, importedContent: importedContent, personaOverride: personaOverride, skillSelection: .append(skillOverrideIDs))
    }
}

extension AgentRuntime {
    /// The former name of ``stream(_:in:)``.
    public func streamMessage(_ request: UserMessageRequest, in threadID: String) async throws -> AgentEventStream {
        try await stream(request, in: threadID)
    }

    /// The former name of ``stream(_:in:response:options:)``.
    public func streamMessage<Output: AgentStructuredOutput>(
        _ request: UserMessageRequest, in threadID: String, expecting output: Output.Type,
        options: AgentStructuredStreamingOptions = AgentStructuredStreamingOptions()
    ) async throws -> AsyncThrowingStream<AgentStructuredStreamEvent<Output>, any Error> {
        try await stream(request, in: threadID, response: output, options: options)
    }

    /// The former name of ``send(_:in:)``.
    public func sendMessage(_ request: UserMessageRequest, in threadID: String) async throws -> String {
        try await send(request, in: threadID)
    }

    /// The former name of ``send(_:in:response:)``.
    public func sendMessage<Output: AgentStructuredOutput>(
        _ request: UserMessageRequest, in threadID: String, expecting output: Output.Type
    ) async throws -> Output {
        try await send(request, in: threadID, response: output)
    }
}
