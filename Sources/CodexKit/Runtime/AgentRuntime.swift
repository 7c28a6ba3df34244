import FoundationEssentials

/// Threads with a model, and everything that belongs to them: who is signed in, what tools and skills there are, what happened.
///
/// One turn at a time in a thread; any number of threads at once. Every function throws ``AgentRuntimeError``.
public actor AgentRuntime {
    /// A tool and what runs it.
    public struct ToolRegistration: Sendable {
        public let definition: ToolDefinition
        public let executor: any ToolExecuting

        public init(definition: ToolDefinition, executor: any ToolExecuting) {
            self.definition = definition
            self.executor = executor
        }
    }

    let configuration: Configuration
    /// Who is signed in. Backends ask it for each request.
    public nonisolated let sessionManager: ChatGPTSessionManager

    var tools = ToolRegistry()
    var skills: [String: AgentSkill] = [:]
    var threads: [String: AgentThread] = [:]
    var lastTurns: [String: AgentTurn] = [:]
    /// The turns that run, by thread; one is entered before anything is waited for.
    var activeTurns: [String: ActiveTurn] = [:]
    /// Turns that leave no trace, by their own id.
    var ephemeralTurns: [String: ActiveTurn] = [:]
    var approvals: [String: PendingApproval] = [:]
    var observers: [UUID: Observer] = [:]
    /// Grows with every event of a thread, for those who read its state in steps.
    var eventCounts: [String: Int] = [:]
    /// What looks through finished turns for something to remember.
    var captures: [UUID: Task<Void, Never>] = [:]
    var isLoaded = false

    /// - Throws: ``AgentRuntimeError`` `toolInvalid` or `skillInvalid`.
    public init(configuration: Configuration) throws {
        self.configuration = configuration
        sessionManager = ChatGPTSessionManager(authProvider: configuration.authProvider, secureStore: configuration.secureStore)
        for tool in configuration.tools { try tools.add(tool) }
        for skill in configuration.skills { skills[skill.id] = try Self.checked(skill, among: skills) }
    }

    // Who still listens would wait for ever.
    deinit { for observer in observers.values { observer.finish() } }

    var now: Date { configuration.now() }
    var logging: AgentLogging { configuration.logging }

    // MARK: Tools

    /// Adds a tool; turns that run already see it with their next question to the model.
    ///
    /// - Throws: ``AgentRuntimeError`` `toolInvalid` when the name is taken or is none.
    public func registerTool(_ definition: ToolDefinition, executor: any ToolExecuting) throws {
        try tools.add(ToolRegistration(definition: definition, executor: executor))
    }

    /// Adds a tool, or replaces the one of that name.
    ///
    /// - Throws: ``AgentRuntimeError`` `toolInvalid` when the name is none.
    public func replaceTool(_ definition: ToolDefinition, executor: any ToolExecuting) throws {
        try tools.add(ToolRegistration(definition: definition, executor: executor), replacing: true)
    }

    /// - Returns: Whether there was a tool of that name.
    @discardableResult
    public func unregisterTool(_ name: String) -> Bool { tools.remove(name) }

    public func toolDefinitions() -> [ToolDefinition] { tools.definitions }

    // MARK: Skills

    /// Adds a skill, or replaces the one of that id; turns that run keep what they began with.
    ///
    /// - Throws: ``AgentRuntimeError`` `skillInvalid` when its rules contradict themselves.
    public func registerSkill(_ skill: AgentSkill) throws { skills[skill.id] = try Self.checked(skill, among: [:]) }

    /// Loads a skill and registers it.
    ///
    /// - Parameters:
    ///   - id: Instead of the one in the JSON; needed for plain text.
    ///   - name: The same.
    /// - Throws: ``AgentRuntimeError`` `definitionUnavailable`, `definitionInvalid` or `skillInvalid`.
    @discardableResult
    public func registerSkill(from source: AgentDefinitionSource, id: String? = nil, name: String? = nil) async throws -> AgentSkill {
        let skill = try await loader.skill(from: source, id: id, name: name)
        try registerSkill(skill)
        logging.log(.info, .skills, "registered skill \(skill.id)")
        return skill
    }

    public func skill(id: String) -> AgentSkill? { skills[id] }

    /// All skills by their ids.
    public func registeredSkills() -> [AgentSkill] { skills.values.sorted { $0.id < $1.id } }

    private static func checked(_ skill: AgentSkill, among others: [String: AgentSkill]) throws(AgentRuntimeError) -> AgentSkill {
        guard !skill.id.isEmpty else { throw AgentRuntimeError(code: .skillInvalid, message: "A skill needs an id.") }
        if others[skill.id] != nil { throw AgentRuntimeError(code: .skillInvalid, message: "There are two skills \(skill.id).") }
        if let contradiction = skill.executionPolicy?.contradiction {
            throw AgentRuntimeError(code: .skillInvalid, message: "The skill \(skill.id) cannot work: \(contradiction).")
        }
        return skill
    }

    var loader: DefinitionLoader { DefinitionLoader(fetcher: configuration.resourceFetcher) }
}
