import FoundationEssentials

/// One request and everything that led to its answer.
public struct AgentTurn: Codable, Hashable, Identifiable, Sendable {
    public enum Status: String, Codable, Hashable, Sendable {
        case running, completed, failed
        /// Cancelled, or cut off by the end of the program.
        case interrupted
    }

    /// Why a turn failed.
    public struct Failure: Codable, Hashable, Sendable {
        public let code: AgentRuntimeError.Code
        public let message: String
    }

    public let id: String
    public let threadID: String
    public internal(set) var status: Status
    public let startedAt: Date
    public internal(set) var endedAt: Date?
    /// The tokens of all its questions to the model together; `nil` when the service said nothing.
    public internal(set) var usage: AgentUsage?
    public internal(set) var failure: Failure?
    /// The approval that it waits for, or waited for when it was cut off.
    public internal(set) var pendingApproval: ApprovalRequest?
    /// The answer to ``pendingApproval`` that came while the turn was cut off.
    public internal(set) var pendingDecision: ApprovalDecision?
    var settings: AgentTurnSettings

    init(id: String = UUID().uuidString, threadID: String, startedAt: Date, settings: AgentTurnSettings) {
        self.id = id
        self.threadID = threadID
        status = .running
        self.startedAt = startedAt
        self.settings = settings
    }

    mutating func add(_ more: AgentUsage?) {
        guard let more else { return }
        guard let usage else { return self.usage = more }
        func sum(_ left: Int, _ right: Int) -> Int {
            let (sum, overflows) = left.addingReportingOverflow(right)
            return overflows ? .max : sum
        }
        self.usage = AgentUsage(
            inputTokens: sum(usage.inputTokens, more.inputTokens), cachedInputTokens: sum(usage.cachedInputTokens, more.cachedInputTokens),
            outputTokens: sum(usage.outputTokens, more.outputTokens),
            reasoningOutputTokens: sum(usage.reasoningOutputTokens, more.reasoningOutputTokens),
            totalTokens: sum(usage.totalTokens, more.totalTokens))
    }
}

/// What of a request decides how its turn goes on after a restart.
struct AgentTurnSettings: Codable, Hashable, Sendable {
    /// How the answer carries a typed value.
    enum OutputMode: String, Codable, Hashable, Sendable {
        /// The answer is the value.
        case whole
        /// The value follows the text.
        case mixed, mixedRequired
    }

    struct Output: Codable, Hashable, Sendable {
        var format: AgentStructuredOutputFormat
        var mode: OutputMode
    }

    var personaOverride: AgentPersonaStack?
    var skillSelection: SkillSelection?
    var memorySelection: MemorySelection?
    var model: String?
    var reasoningEffort: ReasoningEffort?
    var enableWebSearch: Bool?
    var enableImageGeneration: Bool?
    var output: Output?

    init(_ request: Request, output: Output?) {
        personaOverride = request.personaOverride
        skillSelection = request.skillSelection
        memorySelection = request.memorySelection
        model = request.options.model
        reasoningEffort = request.options.reasoningEffort
        enableWebSearch = request.options.enableWebSearch
        enableImageGeneration = request.options.enableImageGeneration
        self.output = output
    }
}
