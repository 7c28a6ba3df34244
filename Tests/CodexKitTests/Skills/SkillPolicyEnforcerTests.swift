import Testing

@testable import CodexKit

struct SkillPolicyEnforcerTests {
    private func enforcer(_ policies: AgentSkillExecutionPolicy...) -> SkillPolicyEnforcer { SkillPolicyEnforcer(policies) }

    private func refuses(_ enforcer: inout SkillPolicyEnforcer, _ name: String) -> Bool { enforcer.admit(name) != .allowed }

    @Test func withoutRulesEverythingIsAllowed() {
        var free = enforcer()
        let refusals = (0..<100).map { _ in refuses(&free, "any") }
        #expect(!refusals.contains(true))
        #expect(free.missing.isEmpty && free.nextRequired == nil && free.isOffered("any") && !free.isStuck)
    }

    @Test func onlyAllowedToolsAreOfferedAndAdmitted() {
        var one = enforcer(AgentSkillExecutionPolicy(allowedToolNames: ["a"]))
        #expect(one.isOffered("a") && !one.isOffered("b"))
        let refused = refuses(&one, "b"), admitted = refuses(&one, "a")
        #expect(refused && !admitted)
        let none = enforcer(AgentSkillExecutionPolicy(allowedToolNames: []))
        #expect(!none.isOffered("a"))
    }

    @Test func theMaximumCountsAdmittedCallsOnly() {
        var two = enforcer(AgentSkillExecutionPolicy(allowedToolNames: ["a"], maxToolCalls: 2))
        let outcomes = ["b", "a", "b", "a", "a"].map { refuses(&two, $0) }
        #expect(outcomes == [true, false, true, false, true])
        #expect(two.isAllowed("a") && !two.isOffered("a"))
        var zero = enforcer(AgentSkillExecutionPolicy(maxToolCalls: 0))
        let refused = refuses(&zero, "a")
        #expect(refused)
    }

    @Test func aSequenceHoldsForItsToolsOnly() {
        var ordered = enforcer(AgentSkillExecutionPolicy(toolSequence: ["a", "b", "c"]))
        let outcomes = ["b", "x", "a", "c", "b", "a", "c"].map { refuses(&ordered, $0) }
        #expect(outcomes == [true, false, false, true, false, false, false])
    }

    @Test func skillsAddUp() {
        var both = enforcer(
            AgentSkillExecutionPolicy(allowedToolNames: ["a"], requiredToolNames: ["a"], maxToolCalls: 1),
            AgentSkillExecutionPolicy(allowedToolNames: ["b", "c"], toolSequence: ["b", "c"], maxToolCalls: 2),
            AgentSkillExecutionPolicy(requiredToolNames: ["d"]))
        #expect(["a", "b", "c", "d"].allSatisfy(both.isOffered) && !both.isOffered("e") && !both.isStuck)
        let outcomes = ["c", "a", "a", "b", "c", "c", "d", "e"].map { refuses(&both, $0) }
        #expect(outcomes == [true, false, true, false, false, true, false, true])
        #expect(both.missing.isEmpty)
    }

    @Test func whatOneSkillRequiresAnotherMayMakeImpossible() {
        let both = enforcer(AgentSkillExecutionPolicy(maxToolCalls: 0), AgentSkillExecutionPolicy(requiredToolNames: ["a"]))
        #expect(both.isStuck)
    }

    @Test func namesTheNextCallThatIsNeeded() {
        var ordered = enforcer(AgentSkillExecutionPolicy(requiredToolNames: ["c"], toolSequence: ["a", "b", "c"]))
        var path: [String] = []
        while let next = ordered.nextRequired, path.count < 9 {
            path.append(next)
            _ = ordered.admit(next)
        }
        #expect(path == ["a", "b", "c"])
    }

    @Test func earlierCallsOfTheTurnCount() {
        var policy = enforcer(AgentSkillExecutionPolicy(requiredToolNames: ["a"], maxToolCalls: 1))
        policy.record("a")
        #expect(policy.missing.isEmpty && !policy.isOffered("a") && !policy.isStuck)
    }

    @Test(arguments: [
        AgentSkillExecutionPolicy(maxToolCalls: -1), AgentSkillExecutionPolicy(allowedToolNames: ["a"], requiredToolNames: ["b"]),
        AgentSkillExecutionPolicy(allowedToolNames: ["a"], toolSequence: ["a", "b"]), AgentSkillExecutionPolicy(toolSequence: ["a", "a"]),
        AgentSkillExecutionPolicy(requiredToolNames: ["a", "b"], maxToolCalls: 1),
    ])
    func findsContradictions(policy: AgentSkillExecutionPolicy) { #expect(policy.contradiction != nil) }

    @Test(arguments: [
        AgentSkillExecutionPolicy(), AgentSkillExecutionPolicy(allowedToolNames: [], maxToolCalls: 0),
        AgentSkillExecutionPolicy(
            allowedToolNames: ["a", "b"], requiredToolNames: ["a"], toolSequence: ["a", "b"], maxToolCalls: 3),
        AgentSkillExecutionPolicy(requiredToolNames: ["a", "a"], maxToolCalls: 1),
    ])
    func acceptsRulesThatCanBeMet(policy: AgentSkillExecutionPolicy) { #expect(policy.contradiction == nil) }

    @Test func selectionsAppendOrReplace() {
        #expect(SkillSelection.append(["b", "a"]).resolved(with: ["a"]) == ["a", "b"])
        #expect(SkillSelection.replace(["b"]).resolved(with: ["a"]) == ["b"])
        #expect(SkillSelection.none.resolved(with: ["a"]).isEmpty)
    }
}
