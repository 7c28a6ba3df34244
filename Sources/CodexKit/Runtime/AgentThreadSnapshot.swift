/// A thread as a screen shows it. Events bring it from one state to the next.
public struct AgentThreadSnapshot: Hashable, Sendable {
    public internal(set) var thread: AgentThread
    /// Oldest first.
    public internal(set) var messages: [AgentMessage]
    /// What the model has written of its next message; empty when it writes none.
    public internal(set) var streamingText: String
    /// The call that waits for a person, in a running turn or in one that was cut off.
    public internal(set) var pendingApproval: ApprovalRequest?
    /// The call that runs or waits.
    public internal(set) var activeTool: ToolInvocation?
    /// Why the last turn did not complete.
    public internal(set) var lastFailure: AgentRuntimeError?
    public internal(set) var isDeleted = false

    public init(
        thread: AgentThread, messages: [AgentMessage] = [], streamingText: String = "", pendingApproval: ApprovalRequest? = nil,
        lastFailure: AgentRuntimeError? = nil
    ) {
        self.thread = thread
        self.messages = messages
        self.streamingText = streamingText
        self.pendingApproval = pendingApproval
        self.lastFailure = lastFailure
    }

    /// Takes in an event of this thread; one that was taken in before changes nothing, except for deltas.
    public mutating func apply(_ event: AgentEvent) {
        switch event {
        case .threadStarted(let thread), .threadUpdated(let thread): self.thread = thread
        case .threadStatusChanged(_, let status): thread.status = status
        case .turnStarted:
            streamingText = ""
            lastFailure = nil
        case .assistantMessageDelta(_, _, let delta): streamingText += delta
        case .messageCommitted(let message):
            if message.role == .assistant { streamingText = "" }
            if let index = messages.lastIndex(where: { $0.id == message.id }) { messages[index] = message } else { messages.append(message) }
        case .toolCallStarted(let invocation): activeTool = invocation
        case .toolCallFinished: activeTool = nil
        case .approvalRequested(let request): pendingApproval = request
        case .approvalResolved: pendingApproval = nil
        case .turnCompleted: endTurn(nil)
        case .turnFailed(let error): endTurn(error)
        case .threadDeleted: isDeleted = true
        case .retrying, .reasoningDelta, .webSearch, .structuredOutputPartial, .structuredOutputCommitted, .contextCompacted: break
        }
    }

    private mutating func endTurn(_ error: AgentRuntimeError?) {
        streamingText = ""
        activeTool = nil
        lastFailure = error
        // After an interruption the question stays: the turn can go on with its answer.
        if error?.code != .turnInterrupted { pendingApproval = nil }
    }
}
