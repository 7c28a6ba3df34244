/// Holds the rules of all skills of a turn against its tool calls. A value: it decides, the runtime does.
///
/// Skills add up: a tool is allowed when any of the skills that name their tools allows or needs it, all required tools must be
/// called, each sequence holds for its own tools, and a maximum counts the calls of the tools that its skill names (of all tools, if it
/// names none).
struct SkillPolicyEnforcer: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        case allowed
        /// Not run; the model is told why.
        case refused(reason: String)
    }

    private struct Quota: Equatable, Sendable {
        /// `nil` for all.
        let tools: Set<String>?
        let maximum: Int
        var used = 0

        func counts(_ name: String) -> Bool { tools?.contains(name) ?? true }
    }

    /// How every reason of a refusal begins, for telling refusals from failures of tools.
    static let refusalPrefix = "The active skill "

    /// `nil` for all.
    private let allowed: Set<String>?
    private let required: [String]
    private let sequences: [[String]]
    private var quotas: [Quota]
    private var called: Set<String> = []

    init(_ policies: [AgentSkillExecutionPolicy]) {
        let lists = policies.compactMap(\.allowedToolNames)
        let needed = policies.flatMap { $0.requiredToolNames + ($0.toolSequence ?? []) }
        allowed = lists.isEmpty ? nil : Set(lists.flatMap(\.self) + needed)
        var required: [String] = []
        for name in policies.flatMap(\.requiredToolNames) where !required.contains(name) { required.append(name) }
        self.required = required
        sequences = policies.compactMap(\.toolSequence).filter { !$0.isEmpty }
        quotas = policies.compactMap { policy in
            policy.maxToolCalls.map { Quota(tools: policy.allowedToolNames.map(Set.init), maximum: $0) }
        }
    }

    /// Whether the skills allow the tool at all.
    func isAllowed(_ name: String) -> Bool { allowed?.contains(name) ?? true }

    /// Whether to offer the tool to the model now: it is allowed, and more calls of it are.
    func isOffered(_ name: String) -> Bool { isAllowed(name) && exhausted(by: name) == nil }

    private func exhausted(by name: String) -> Quota? { quotas.first { $0.counts(name) && $0.used >= $0.maximum } }

    /// Decides about a call and, when it is allowed, counts it.
    mutating func admit(_ name: String) -> Verdict {
        guard isAllowed(name) else { return .refused(reason: "\(Self.refusalPrefix)does not allow the tool \(name).") }
        if let quota = exhausted(by: name) {
            let calls = "\(quota.maximum) tool call\(quota.maximum == 1 ? "" : "s")"
            return .refused(reason: "\(Self.refusalPrefix)allows \(calls) in a turn; answer without more.")
        }
        if let missing = predecessor(of: name) { return .refused(reason: "\(Self.refusalPrefix)wants \(missing) to be called before \(name).") }
        record(name)
        return .allowed
    }

    /// What a sequence wants to be called first.
    private func predecessor(of name: String) -> String? {
        for sequence in sequences {
            guard let position = sequence.firstIndex(of: name) else { continue }
            if let missing = sequence[..<position].first(where: { !called.contains($0) }) { return missing }
        }
        return nil
    }

    /// Takes note of a call, also of one that was made before this turn was interrupted.
    mutating func record(_ name: String) {
        called.insert(name)
        for index in quotas.indices where quotas[index].counts(name) { quotas[index].used += 1 }
    }

    /// Required tools that have not been called.
    var missing: [String] { required.filter { !called.contains($0) } }

    /// The next call on the way to a turn that may end: a missing required tool, or what its sequence wants before it.
    var nextRequired: String? { missing.first.map { predecessor(of: $0) ?? $0 } }

    /// How many calls it can take to satisfy the rules.
    var requiredCount: Int { required.count + sequences.reduce(0) { $0 + $1.count } }

    /// Whether a call must still be made that can no longer be.
    var isStuck: Bool { nextRequired.map { !isOffered($0) } ?? false }
}
