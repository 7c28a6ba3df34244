import FoundationEssentials

/// What happens while the model answers one request.
public enum AgentBackendEvent: Hashable, Sendable {
    /// The service took the request; `id` is its name for the answer, `model` the model that answers if it says so.
    case started(id: String, model: String?)
    /// Another attempt begins after `delay`; nothing of the former one was visible.
    case retrying(attempt: Int, delay: Duration, reason: AgentRuntimeError)
    /// More of the answer's text.
    case textDelta(itemID: String, delta: String)
    /// More of the summary of what the model thinks.
    case reasoningDelta(itemID: String, delta: String)
    /// A message of the model is complete.
    case message(AgentBackendMessage)
    /// The model wants a tool run.
    case functionCall(AgentFunctionCall)
    /// The model's thoughts, to be given back within this turn (``AgentInputItem/opaque(_:)``); summary may be empty.
    case reasoning(summary: String, item: JSONValue)
    case webSearch(AgentWebSearch)
    /// A picture that the model made.
    case image(AgentGeneratedImage)
    /// The end of the answer.
    case completed(AgentBackendCompletion)
}

/// A message that the model wrote.
public struct AgentBackendMessage: Hashable, Sendable {
    public var id: String
    public var text: String
    /// What the model would not do, in its words; the text is empty then.
    public var refusal: String?
    /// Pictures by address that the message holds.
    public var imageURLs: [URL]

    public init(id: String, text: String, refusal: String? = nil, imageURLs: [URL] = []) {
        self.id = id
        self.text = text
        self.refusal = refusal
        self.imageURLs = imageURLs
    }
}

/// A tool call as the service sent it.
public struct AgentFunctionCall: Hashable, Sendable {
    /// What the answer names.
    public var callID: String
    public var name: String
    /// The JSON text of the arguments as received.
    public var arguments: String

    public init(callID: String, name: String, arguments: String) {
        self.callID = callID
        self.name = name
        self.arguments = arguments
    }
}

/// A search that the service did for the model.
public struct AgentWebSearch: Hashable, Sendable {
    public enum Status: String, Hashable, Sendable { case searching, completed, failed }

    public var id: String
    public var status: Status
    /// What was searched for, once known.
    public var query: String?

    public init(id: String, status: Status, query: String? = nil) {
        self.id = id
        self.status = status
        self.query = query
    }
}

/// A picture that the service made.
public struct AgentGeneratedImage: Hashable, Sendable {
    public var id: String
    public var data: Data
    /// Such as `image/png`, told from the bytes.
    public var mimeType: String
    /// The prompt as the service rewrote it.
    public var revisedPrompt: String?

    public init(id: String, data: Data, mimeType: String, revisedPrompt: String? = nil) {
        self.id = id
        self.data = data
        self.mimeType = mimeType
        self.revisedPrompt = revisedPrompt
    }
}

/// What an answer cost, in tokens.
public struct AgentUsage: Codable, Hashable, Sendable {
    public var inputTokens: Int
    /// Of the input, what came from the service's cache.
    public var cachedInputTokens: Int
    public var outputTokens: Int
    /// Of the output, what the model thought.
    public var reasoningOutputTokens: Int
    public var totalTokens: Int

    public init(inputTokens: Int, cachedInputTokens: Int = 0, outputTokens: Int, reasoningOutputTokens: Int = 0, totalTokens: Int? = nil) {
        self.inputTokens = inputTokens
        self.cachedInputTokens = cachedInputTokens
        self.outputTokens = outputTokens
        self.reasoningOutputTokens = reasoningOutputTokens
        // The counts are a server's; their sum may be beyond any range.
        let (sum, overflows) = inputTokens.addingReportingOverflow(outputTokens)
        self.totalTokens = totalTokens ?? (overflows ? .max : sum)
    }
}

/// How an answer ended.
public struct AgentBackendCompletion: Hashable, Sendable {
    public var responseID: String
    /// `nil` when the service did not say; missing is not zero.
    public var usage: AgentUsage?

    public init(responseID: String, usage: AgentUsage? = nil) {
        self.responseID = responseID
        self.usage = usage
    }
}
