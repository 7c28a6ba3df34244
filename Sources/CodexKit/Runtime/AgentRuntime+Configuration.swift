import FoundationEssentials

extension AgentRuntime {
    /// What a runtime is made of.
    public struct Configuration: Sendable {
        public var authProvider: any ChatGPTAuthProviding
        public var secureStore: any SessionSecureStoring
        public var backend: any AgentBackend
        public var approvalPresenter: any ApprovalPresenting
        public var stateStore: any RuntimeStateStoring
        /// What every thread is told, after the backend's own base instructions.
        public var baseInstructions: String?
        public var personaComposition: AgentPersonaComposition
        public var tools: [ToolRegistration]
        public var skills: [AgentSkill]
        public var memory: AgentMemoryConfiguration?
        public var compaction: AgentContextCompaction
        public var backgroundActivityProvider: any AgentBackgroundActivityProviding
        public var logging: AgentLogging
        /// Gets remote definitions, and pictures that tools name.
        public var resourceFetcher: any AgentResourceFetching
        public var limits: Limits
        /// The time, for records.
        public var now: @Sendable () -> Date

        public init(
            authProvider: any ChatGPTAuthProviding, secureStore: any SessionSecureStoring, backend: any AgentBackend,
            approvalPresenter: any ApprovalPresenting, stateStore: any RuntimeStateStoring, baseInstructions: String? = nil,
            personaComposition: AgentPersonaComposition = .layered, tools: [ToolRegistration] = [], skills: [AgentSkill] = [],
            memory: AgentMemoryConfiguration? = nil, compaction: AgentContextCompaction = AgentContextCompaction(),
            backgroundActivityProvider: any AgentBackgroundActivityProviding = NoOpAgentBackgroundActivityProvider(),
            logging: AgentLogging = .disabled, resourceFetcher: any AgentResourceFetching = HTTPResourceFetcher(), limits: Limits = Limits(),
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.authProvider = authProvider
            self.secureStore = secureStore
            self.backend = backend
            self.approvalPresenter = approvalPresenter
            self.stateStore = stateStore
            self.baseInstructions = baseInstructions
            self.personaComposition = personaComposition
            self.tools = tools
            self.skills = skills
            self.memory = memory
            self.compaction = compaction
            self.backgroundActivityProvider = backgroundActivityProvider
            self.logging = logging
            self.resourceFetcher = resourceFetcher
            self.limits = limits
            self.now = now
        }
    }

    /// How far a turn may go.
    public struct Limits: Hashable, Sendable {
        /// The most questions to the model in a turn, 1 or more.
        public var toolRounds: Int
        /// The longest text of one tool result that the model gets, in bytes; the rest is cut with a remark.
        public var toolResultBytes: Int
        /// The largest picture that a tool may name, in bytes; larger ones are not shown.
        public var toolImageBytes: Int

        public init(toolRounds: Int = 32, toolResultBytes: Int = 256 << 10, toolImageBytes: Int = 20 << 20) {
            self.toolRounds = max(1, toolRounds)
            self.toolResultBytes = max(0, toolResultBytes)
            self.toolImageBytes = max(0, toolImageBytes)
        }
    }
}
