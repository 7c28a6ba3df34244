/// Puts together what the model is told before the conversation, from wide to narrow.
struct InstructionCompiler {
    var backendBase: String?
    var runtimeBase: String?
    var threadInstructions: String?
    var threadPersona: AgentPersonaStack?
    var turnPersona: AgentPersonaStack?
    var composition: AgentPersonaComposition
    var skills: [AgentSkill] = []
    var memories: [MemoryRecord] = []
    var output: AgentTurnSettings.Output?

    /// The text; empty when there is nothing to say.
    var instructions: String {
        var sections: [String] = []
        // What the backend needs is no persona and is never replaced.
        if let backendBase { sections.append(backendBase) }
        sections += personaSections
        if let threadInstructions { sections.append(threadInstructions) }
        sections += skills.map(Self.section)
        if !memories.isEmpty {
            sections.append("What you remember from earlier conversations:\n" + memories.map { "- " + $0.summary }.joined(separator: "\n"))
        }
        if let output, output.mode != .whole {
            sections.append(StructuredOutputFraming.instructions(for: output.format, required: output.mode == .mixedRequired))
        }
        return sections.filter { !$0.allSatisfy(\.isWhitespace) }.joined(separator: "\n\n")
    }

    private var personaSections: [String] {
        let base = runtimeBase.map { [$0] } ?? []
        let thread = threadPersona.map { Self.sections($0, title: "Persona of this conversation") } ?? []
        let turn = turnPersona.map { Self.sections($0, title: "Persona for this reply only") } ?? []
        switch composition {
        case .replacing: return [turn, thread, base].first { !$0.isEmpty } ?? []
        case .layered:
            guard !thread.isEmpty || !turn.isEmpty else { return base }
            return base + thread + turn + ["Where these instructions contradict each other, the later ones hold."]
        }
    }

    private static func sections(_ stack: AgentPersonaStack, title: String) -> [String] {
        stack.layers.map { "\(title), \($0.name):\n\($0.instructions)" }
    }

    private static func section(_ skill: AgentSkill) -> String {
        var lines = ["Skill \(skill.name):", skill.instructions]
        if let policy = skill.executionPolicy {
            if let allowed = policy.allowedToolNames {
                lines.append(allowed.isEmpty ? "Call no tools." : "Call no tools but: \(allowed.joined(separator: ", ")).")
            }
            if !policy.requiredToolNames.isEmpty {
                lines.append("Before your final reply call: \(policy.requiredToolNames.joined(separator: ", ")).")
            }
            if let sequence = policy.toolSequence, !sequence.isEmpty { lines.append("Call in this order: \(sequence.joined(separator: ", ")).") }
            if let maximum = policy.maxToolCalls { lines.append("At most \(maximum) tool call\(maximum == 1 ? "" : "s") in a turn.") }
        }
        return lines.joined(separator: "\n")
    }
}
