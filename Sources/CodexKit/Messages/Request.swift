import FoundationEssentials

/// What a person, or a program for them, asks in a thread.
public struct Request: Sendable {
    public var text: String
    public var images: [AgentImageAttachment]
    /// A persona for this turn, on top of the thread's or instead of it (see ``AgentPersonaComposition``).
    public var personaOverride: AgentPersonaStack?
    /// The skills for this turn; `nil` for the thread's.
    public var skillSelection: SkillSelection?
    /// What the memory contributes to this turn; `nil` for the thread's setting.
    public var memorySelection: MemorySelection?
    /// Values for tools, and data for the model, of this turn alone.
    public var context: RequestContext
    public var options: RequestOptions

    public init(
        text: String = "", images: [AgentImageAttachment] = [], personaOverride: AgentPersonaStack? = nil,
        skillSelection: SkillSelection? = nil, memorySelection: MemorySelection? = nil, context: RequestContext = RequestContext(),
        options: RequestOptions = RequestOptions()
    ) {
        self.text = text
        self.images = images
        self.personaOverride = personaOverride
        self.skillSelection = skillSelection
        self.memorySelection = memorySelection
        self.context = context
        self.options = options
    }

    /// A question about content from elsewhere, see ``AgentImportedContent/composedText(prompt:)``.
    public init(
        prompt: String? = nil, importedContent: AgentImportedContent, personaOverride: AgentPersonaStack? = nil,
        skillSelection: SkillSelection? = nil, memorySelection: MemorySelection? = nil, context: RequestContext = RequestContext(),
        options: RequestOptions = RequestOptions()
    ) {
        self.init(
            text: importedContent.composedText(prompt: prompt), images: importedContent.images, personaOverride: personaOverride,
            skillSelection: skillSelection, memorySelection: memorySelection, context: context, options: options)
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { images.isEmpty && text.allSatisfy(\.isWhitespace) }
}

/// How one request is answered; `nil` leaves the thread's setting, and where that has none the backend's.
public struct RequestOptions: Hashable, Sendable {
    /// What stays of a request.
    public enum Persistence: Hashable, Sendable {
        /// Question and answer become part of the thread.
        case thread
        /// The thread's past is seen, and nothing of the request is kept, nor are its events told to observers of the thread.
        case ephemeral
    }

    public var model: String?
    public var reasoningEffort: ReasoningEffort?
    public var enableWebSearch: Bool?
    public var enableImageGeneration: Bool?
    public var toolChoice: AgentToolChoice?
    public var persistence: Persistence

    public init(
        model: String? = nil, reasoningEffort: ReasoningEffort? = nil, enableWebSearch: Bool? = nil, enableImageGeneration: Bool? = nil,
        toolChoice: AgentToolChoice? = nil, persistence: Persistence = .thread
    ) {
        self.model = model
        self.reasoningEffort = reasoningEffort
        self.enableWebSearch = enableWebSearch
        self.enableImageGeneration = enableImageGeneration
        self.toolChoice = toolChoice
        self.persistence = persistence
    }

    /// The options for a request that leaves no trace.
    public static let ephemeral = RequestOptions(persistence: .ephemeral)
}
