import FoundationEssentials

/// What a thread is doing.
public enum AgentThreadStatus: String, Codable, Hashable, Sendable {
    case idle
    /// The model is asked.
    case streaming
    /// A tool call waits for a person.
    case waitingForApproval
    /// A tool runs.
    case runningTool
    /// The last turn failed.
    case failed
    /// The last turn was cut off; ``AgentRuntime/resumeTurn(in:)`` goes on with it.
    case interrupted

    /// Whether a turn is under way.
    public var isBusy: Bool { self == .streaming || self == .waitingForApproval || self == .runningTool }
}

/// Settings of one thread; `nil` leaves the backend's.
public struct AgentThreadConfiguration: Codable, Hashable, Sendable {
    public var model: String?
    public var reasoningEffort: ReasoningEffort?
    public var enableWebSearch: Bool?
    public var enableImageGeneration: Bool?
    /// Instructions of this thread, after the runtime's.
    public var instructions: String?
    /// The only tools that the thread's turns may use; `nil` for all.
    public var toolNames: [String]?
    /// What the memory contributes, and what it learns from the thread; `nil` for nothing.
    public var memory: AgentThreadMemory?

    public init(
        model: String? = nil, reasoningEffort: ReasoningEffort? = nil, enableWebSearch: Bool? = nil, enableImageGeneration: Bool? = nil,
        instructions: String? = nil, toolNames: [String]? = nil, memory: AgentThreadMemory? = nil
    ) {
        self.model = model
        self.reasoningEffort = reasoningEffort
        self.enableWebSearch = enableWebSearch
        self.enableImageGeneration = enableImageGeneration
        self.instructions = instructions
        self.toolNames = toolNames
        self.memory = memory
    }
}

/// A conversation.
public struct AgentThread: Codable, Hashable, Identifiable, Sendable {
    public let id: String
    public var title: String?
    public let createdAt: Date
    public var updatedAt: Date
    public var status: AgentThreadStatus
    public var configuration: AgentThreadConfiguration
    /// The persona that is pinned to it.
    public var personaStack: AgentPersonaStack?
    public var skillIDs: [String]
    /// The thread that it was copied from.
    public let forkedFrom: String?

    public init(
        id: String = UUID().uuidString, title: String? = nil, createdAt: Date = Date(), updatedAt: Date? = nil, status: AgentThreadStatus = .idle,
        configuration: AgentThreadConfiguration = AgentThreadConfiguration(), personaStack: AgentPersonaStack? = nil, skillIDs: [String] = [],
        forkedFrom: String? = nil
    ) {
        self.id = id
        self.title = title
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
        self.status = status
        self.configuration = configuration
        self.personaStack = personaStack
        self.skillIDs = skillIDs
        self.forkedFrom = forkedFrom
    }
}
