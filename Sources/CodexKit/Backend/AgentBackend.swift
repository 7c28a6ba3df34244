import FoundationEssentials

/// What talks to the model for an ``AgentRuntime``.
public protocol AgentBackend: Sendable {
    /// The model that answers when the request names none.
    var defaultModel: String { get }
    /// Instructions that stand before everybody else's; `nil` for none.
    var baseInstructions: String? { get }

    /// Asks the model once. Nothing is sent before the first element is asked for, and the stream is finite: it ends after
    /// ``AgentBackendEvent/completed(_:)``, or throws an ``AgentRuntimeError``. Tool calls are reported, not run: whoever runs
    /// them asks again with the results in the input.
    ///
    /// Cancelling the task that iterates, or letting go of the stream, closes the connection.
    /// - Parameter sessions: Gives the session to use, and a renewed one when the server does not accept it.
    func respond(to request: AgentBackendRequest, as sessions: any AgentSessionProviding) -> AgentTurnStream
}

/// The events of one answer, pulled by the reader: what is not read is not received.
public typealias AgentTurnStream = AsyncThrowingStream<AgentBackendEvent, any Error>

/// Where a backend gets its session.
public protocol AgentSessionProviding: Sendable {
    /// A session that is valid now, renewed when it is near its end.
    ///
    /// - Throws: ``AgentRuntimeError``, such as `missingSession` or `refreshFailed`.
    func validSession() async throws -> ChatGPTSession

    /// A session to try instead of `rejected`, which the server answered with 401.
    ///
    /// - Returns: A renewed session, or the current one if it is another already.
    /// - Throws: ``AgentRuntimeError`` `unauthorized` when there is none to try.
    func session(replacing rejected: ChatGPTSession) async throws -> ChatGPTSession
}

/// How hard the model thinks.
public enum ReasoningEffort: String, Codable, Hashable, Sendable, CaseIterable {
    case low
    case medium
    case high
    case extraHigh = "xhigh"
}

/// One question to the model, with everything it may know.
public struct AgentBackendRequest: Hashable, Sendable {
    /// The conversation; also the key under which the service keeps its cache of the beginning.
    public var threadID: String
    /// `nil` for the backend's model.
    public var model: String?
    public var instructions: String
    public var input: [AgentInputItem]
    public var tools: [ToolDefinition]
    public var toolChoice: AgentToolChoice
    /// `nil` for the backend's setting, as with the switches below.
    public var reasoningEffort: ReasoningEffort?
    public var enableWebSearch: Bool?
    public var enableImageGeneration: Bool?
    /// The form that the answer must have; `nil` for plain text.
    public var responseFormat: AgentResponseFormat?

    public init(
        threadID: String, model: String? = nil, instructions: String = "", input: [AgentInputItem], tools: [ToolDefinition] = [],
        toolChoice: AgentToolChoice = .automatic, reasoningEffort: ReasoningEffort? = nil, enableWebSearch: Bool? = nil,
        enableImageGeneration: Bool? = nil, responseFormat: AgentResponseFormat? = nil
    ) {
        self.threadID = threadID
        self.model = model
        self.instructions = instructions
        self.input = input
        self.tools = tools
        self.toolChoice = toolChoice
        self.reasoningEffort = reasoningEffort
        self.enableWebSearch = enableWebSearch
        self.enableImageGeneration = enableImageGeneration
        self.responseFormat = responseFormat
    }
}

/// Whether the model must call a tool.
public enum AgentToolChoice: Hashable, Sendable {
    case automatic
    case none
    case required
    case tool(String)
}

/// A JSON schema that the answer must fit.
public struct AgentResponseFormat: Hashable, Sendable {
    /// 1 to 64 letters, digits, `_` and `-`.
    public var name: String
    public var description: String?
    public var schema: JSONValue
    /// Whether the service enforces the schema, which then must list all properties as required.
    public var strict: Bool

    public init(name: String, description: String? = nil, schema: JSONValue, strict: Bool = true) {
        self.name = name
        self.description = description
        self.schema = schema
        self.strict = strict
    }
}
