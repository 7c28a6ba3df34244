import FoundationEssentials

/// What happens in a turn, in order. After ``turnCompleted(_:)`` or ``turnFailed(_:)`` nothing follows.
public enum AgentEvent: Hashable, Sendable {
    /// The thread's first turn begins.
    case threadStarted(AgentThread)
    case threadStatusChanged(threadID: String, status: AgentThreadStatus)
    case turnStarted(AgentTurn)
    /// Another attempt to reach the model begins after `delay`; nothing of the former one was shown.
    case retrying(attempt: Int, delay: Duration, reason: AgentRuntimeError)
    /// More of the answer's text.
    case assistantMessageDelta(threadID: String, turnID: String, delta: String)
    /// More of the summary of what the model thinks.
    case reasoningDelta(threadID: String, turnID: String, delta: String)
    /// A message, the person's or the model's, is complete and kept.
    case messageCommitted(AgentMessage)
    case webSearch(AgentWebSearch)
    case toolCallStarted(ToolInvocation)
    case toolCallFinished(ToolResultEnvelope)
    /// A call waits for a person.
    case approvalRequested(ApprovalRequest)
    case approvalResolved(ApprovalResolution)
    /// The typed value as far as it has been written; not checked against its form yet.
    case structuredOutputPartial(JSONValue)
    /// The typed value, complete and of the right form.
    case structuredOutputCommitted(AgentStructuredOutputMetadata)
    /// The thread's past was summarised for the model; nothing of it was removed.
    case contextCompacted(AgentContextState)
    case turnCompleted(AgentTurnSummary)
    /// The turn failed or was interrupted; the stream throws the same error next.
    case turnFailed(AgentRuntimeError)
    /// Told to observers only: settings of the thread changed, or records were deleted.
    case threadUpdated(AgentThread)
    /// Told to observers only.
    case threadDeleted(id: String)
}

/// The end of a turn.
public struct AgentTurnSummary: Codable, Hashable, Sendable {
    public let threadID: String
    public let turnID: String
    /// The last message of the model.
    public let finalMessage: AgentMessage?
    /// `nil` when the service did not say.
    public let usage: AgentUsage?
    public let completedAt: Date

    public init(threadID: String, turnID: String, finalMessage: AgentMessage?, usage: AgentUsage?, completedAt: Date) {
        self.threadID = threadID
        self.turnID = turnID
        self.finalMessage = finalMessage
        self.usage = usage
        self.completedAt = completedAt
    }
}

/// An event and the thread that it happened in.
public struct AgentThreadEvent: Hashable, Sendable {
    public let threadID: String
    public let event: AgentEvent
}

/// The events of one turn. Letting go of the stream, or cancelling the task that iterates, interrupts the turn.
public typealias AgentEventStream = AsyncThrowingStream<AgentEvent, any Error>

/// What happens in a turn that is to answer with a typed value.
public enum AgentStructuredStreamEvent<Output: Sendable>: Sendable {
    /// Everything else, the text of the answer included.
    case event(AgentEvent)
    /// The value as far as it has been written, when it can be decoded already.
    case structuredOutputPartial(Output)
    case structuredOutputCommitted(Output)
}

/// How a typed value comes with streamed text.
public struct AgentStructuredStreamingOptions: Hashable, Sendable {
    /// Whether an answer without the value is a failure.
    public var required: Bool
    /// Whether to tell of values that are not complete yet.
    public var emitPartials: Bool

    public init(required: Bool = true, emitPartials: Bool = true) {
        self.required = required
        self.emitPartials = emitPartials
    }
}
