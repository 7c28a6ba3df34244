/// A way to behave: what the model is told, and what it may and must do with tools while the skill is on.
public struct AgentSkill: Codable, Hashable, Identifiable, Sendable {
    public let id: String
    public let name: String
    public let instructions: String
    /// Held by the runtime, whatever the model makes of the instructions; `nil` for no rules.
    public let executionPolicy: AgentSkillExecutionPolicy?

    public init(id: String, name: String, instructions: String, executionPolicy: AgentSkillExecutionPolicy? = nil) {
        self.id = id
        self.name = name
        self.instructions = instructions
        self.executionPolicy = executionPolicy
    }
}

/// Rules for the tool calls of one turn.
public struct AgentSkillExecutionPolicy: Codable, Hashable, Sendable {
    /// The only tools that may be called; `nil` for all.
    public let allowedToolNames: [String]?
    /// Tools that must have been called before the turn may end.
    public let requiredToolNames: [String]
    /// An order: each of these may be called only when all before it have been. Other tools are free. `nil` for none.
    public let toolSequence: [String]?
    /// The most calls in a turn, 0 or more; `nil` for the runtime's limit.
    public let maxToolCalls: Int?

    public init(
        allowedToolNames: [String]? = nil, requiredToolNames: [String] = [], toolSequence: [String]? = nil, maxToolCalls: Int? = nil
    ) {
        self.allowedToolNames = allowedToolNames
        self.requiredToolNames = requiredToolNames
        self.toolSequence = toolSequence
        self.maxToolCalls = maxToolCalls
    }

    private enum CodingKeys: String, CodingKey { case allowedToolNames, requiredToolNames, toolSequence, maxToolCalls }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            allowedToolNames: try container.decodeIfPresent([String].self, forKey: .allowedToolNames),
            requiredToolNames: try container.decodeIfPresent([String].self, forKey: .requiredToolNames) ?? [],
            toolSequence: try container.decodeIfPresent([String].self, forKey: .toolSequence),
            maxToolCalls: try container.decodeIfPresent(Int.self, forKey: .maxToolCalls))
    }

    /// Why no turn could ever satisfy the rules, or `nil` when one can.
    var contradiction: String? {
        if let maxToolCalls, maxToolCalls < 0 { return "its maximum of tool calls is negative" }
        if let allowed = allowedToolNames, let name = (requiredToolNames + (toolSequence ?? [])).first(where: { !allowed.contains($0) }) {
            return "it needs the tool \(name), which it does not allow"
        }
        if let sequence = toolSequence, Set(sequence).count != sequence.count { return "its sequence names a tool twice" }
        if let maxToolCalls, maxToolCalls < Set(requiredToolNames).count { return "it requires more tools than it allows calls" }
        return nil
    }
}

/// The skills of one turn, beside those of its thread.
public struct SkillSelection: Codable, Hashable, Sendable {
    public enum Mode: String, Codable, Hashable, Sendable {
        /// After the thread's.
        case append
        /// Instead of the thread's; none with an empty list.
        case replace
    }

    public let mode: Mode
    public let skillIDs: [String]

    public init(mode: Mode, skillIDs: [String]) {
        self.mode = mode
        self.skillIDs = skillIDs
    }

    public static func append(_ skillIDs: [String]) -> Self { Self(mode: .append, skillIDs: skillIDs) }
    public static func replace(_ skillIDs: [String]) -> Self { Self(mode: .replace, skillIDs: skillIDs) }
    /// No skill in this turn.
    public static let none = Self(mode: .replace, skillIDs: [])

    /// The ids in order, each once.
    func resolved(with threadIDs: [String]) -> [String] {
        var seen: Set<String> = []
        return ((mode == .append ? threadIDs : []) + skillIDs).filter { seen.insert($0).inserted }
    }
}
