import FoundationEssentials

/// A turn under way. Belongs to its runtime, which alone touches it.
final class ActiveTurn {
    var turn: AgentTurn
    let threadID: String
    let isEphemeral: Bool
    let context: RequestContext
    let toolChoice: AgentToolChoice?
    let continuation: AgentEventStream.Continuation

    /// What the model reads before this turn's own items: the past, and what the person asked.
    var past: [AgentInputItem] = []
    /// What the turn has added since, in the order of the service.
    var items: [AgentInputItem] = []
    var policy: SkillPolicyEnforcer
    let skills: [AgentSkill]
    /// The one tool that the next question demands.
    var forcedTool: String?
    var recalled: [MemoryRecord] = []

    var streamingText = ""
    var activeTool: ToolInvocation?
    /// Pictures that wait for a message to be shown with.
    var images: [AgentImageAttachment] = []
    var lastMessage: AgentMessage?
    var output: AgentStructuredOutputMetadata?
    var lastUsage: AgentUsage?
    var wasCompacted = false
    /// Whether anything of the model's was told to anybody.
    var isVisible = false
    var task: Task<Void, Never>?
    /// Runs the calls that were open when the turn was cut off.
    var openCalls: [OpenCall] = []

    struct OpenCall {
        let invocation: ToolInvocation
        /// It may have run already, with an outcome that nobody knows.
        let mayHaveRun: Bool
    }

    init(
        turn: AgentTurn, isEphemeral: Bool, context: RequestContext, toolChoice: AgentToolChoice?, skills: [AgentSkill],
        continuation: AgentEventStream.Continuation
    ) {
        self.turn = turn
        threadID = turn.threadID
        self.isEphemeral = isEphemeral
        self.context = context
        self.toolChoice = toolChoice
        self.skills = skills
        policy = SkillPolicyEnforcer(skills.compactMap(\.executionPolicy))
        self.continuation = continuation
    }
}
