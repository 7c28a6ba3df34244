import CodexKit
import FoundationEssentials
import Testing

struct SkillTests {
    private static func fixture(_ policy: AgentSkillExecutionPolicy?, _ backend: ScriptedBackend) async throws -> (RuntimeFixture, AgentThread) {
        let fixture = try await RuntimeFixture(backend) {
            $0.tools = [.test("fetch"), .test("book"), .test("other")]
            $0.skills = [AgentSkill(id: "coach", name: "Coach", instructions: "Be a coach.", executionPolicy: policy)]
        }
        return (fixture, try await fixture.runtime.createThread(skillIDs: ["coach"]))
    }

    private static func results(_ events: [AgentEvent]) -> [String] {
        events.compactMap { if case .toolCallFinished(let result) = $0 { "\(result.toolName) \(result.success)" } else { nil } }
    }

    @Test func toolsThatASkillDoesNotAllowAreNeitherOfferedNorRun() async throws {
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(allowedToolNames: ["fetch"]), ScriptedBackend(.call("other"), .call("fetch"), .text("ok")))
        let (events, error) = await (try fixture.runtime.stream(Request(text: "x"), in: thread.id)).collected()
        #expect(error == nil)
        #expect(Self.results(events) == ["other false", "fetch true"])
        #expect(await fixture.requests.first?.tools.map(\.name) == ["fetch"])
        #expect(await fixture.requests.first?.instructions.contains("Be a coach.") == true)
    }

    @Test func afterTheLastAllowedCallNoToolIsOffered() async throws {
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(maxToolCalls: 1), ScriptedBackend(.calls(("fetch", "{}"), ("fetch", "{}")), .text("ok")))
        let (events, _) = await (try fixture.runtime.stream(Request(text: "x"), in: thread.id)).collected()
        #expect(Self.results(events) == ["fetch true", "fetch false"])
        #expect(await fixture.requests.map(\.tools.count) == [3, 0])
    }

    @Test func anAnswerWithoutARequiredToolIsNotAccepted() async throws {
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(requiredToolNames: ["fetch"]), ScriptedBackend(.text("made up"), .call("fetch"), .text("8000 steps")))
        let (events, error) = await (try fixture.runtime.stream(Request(text: "How far?"), in: thread.id)).collected()
        #expect(error == nil)
        let deltas = events.compactMap { if case .assistantMessageDelta(_, _, let delta) = $0 { delta } else { nil } }
        #expect(deltas.joined() == "8000 steps", "what was not accepted is not shown")
        #expect(try await fixture.runtime.messages(for: thread.id).map(\.text) == ["How far?", "8000 steps"])
        #expect(await fixture.requests.map(\.toolChoice) == [.automatic, .tool("fetch"), .automatic])
    }

    @Test func aPreambleBeforeARequiredCallIsKept() async throws {
        let first: [ScriptedBackend.Step] = [.event(.message(.init(id: "p", text: "Let me look.")))] + .call("fetch")
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(requiredToolNames: ["fetch"]), ScriptedBackend(first, .text("done")))
        _ = try await fixture.runtime.send(Request(text: "x"), in: thread.id)
        #expect(try await fixture.runtime.messages(for: thread.id).map(\.text) == ["x", "Let me look.", "done"])
    }

    @Test func aModelThatNeverCallsARequiredToolFailsTheTurn() async throws {
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(requiredToolNames: ["fetch"]), ScriptedBackend(.text("no")))
        #expect(await code { try await fixture.runtime.send(Request(text: "x"), in: thread.id) } == .skillPolicyViolated)
        #expect(await fixture.requests.count == 3)
        #expect(try await fixture.runtime.messages(for: thread.id).map(\.text) == ["x"])
    }

    @Test func callsOutOfOrderAreRefusedUntilTheirTime() async throws {
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(toolSequence: ["fetch", "book"]),
            ScriptedBackend(.calls(("book", "{}"), ("fetch", "{}"), ("book", "{}")), .text("ok")))
        let (events, _) = await (try fixture.runtime.stream(Request(text: "x"), in: thread.id)).collected()
        #expect(Self.results(events) == ["book false", "fetch true", "book true"])
    }

    @Test func withoutTheSkillTheSameRequestIsFree() async throws {
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(allowedToolNames: ["fetch"], requiredToolNames: ["fetch"]), ScriptedBackend(.call("other"), .text("ok")))
        let (events, error) = await (try fixture.runtime.stream(Request(text: "x", skillSelection: SkillSelection.none), in: thread.id)).collected()
        #expect(error == nil)
        #expect(Self.results(events) == ["other true"])
        #expect(await fixture.requests.first?.instructions == "")
    }

    @Test func skillsThatCannotWorkTogetherAreRefusedBeforeAnythingIsSent() async throws {
        let (fixture, thread) = try await Self.fixture(
            AgentSkillExecutionPolicy(allowedToolNames: ["fetch"], requiredToolNames: ["fetch"]), ScriptedBackend(.text("x")))
        try await fixture.runtime.registerSkill(
            AgentSkill(id: "quiet", name: "Quiet", instructions: "", executionPolicy: .init(maxToolCalls: 0)))
        try await fixture.runtime.registerSkill(
            AgentSkill(id: "needy", name: "Needy", instructions: "", executionPolicy: .init(requiredToolNames: ["unknown"])))
        let runtime = fixture.runtime
        #expect(await code { try await runtime.send(Request(text: "x", skillOverrideIDs: ["quiet"]), in: thread.id) } == .skillInvalid)
        #expect(await code { try await runtime.send(Request(text: "x", skillSelection: .replace(["needy"])), in: thread.id) } == .toolNotFound)
        #expect(await fixture.requests.isEmpty)
    }

    @Test func registeringChecksTheRules() async throws {
        let broken = AgentSkill(id: "b", name: "B", instructions: "", executionPolicy: .init(maxToolCalls: -1))
        let runtime = try await RuntimeFixture(ScriptedBackend(.text("x"))).runtime
        #expect(await code { try await runtime.registerSkill(broken) } == .skillInvalid)
        #expect(await code { try await RuntimeFixture(ScriptedBackend(.text("x"))) { $0.skills = [broken] } } == .skillInvalid)
        let twice = AgentSkill(id: "a", name: "A", instructions: "")
        #expect(await code { try await RuntimeFixture(ScriptedBackend(.text("x"))) { $0.skills = [twice, twice] } } == .skillInvalid)
        try await runtime.registerSkill(twice)
        #expect(await runtime.registeredSkills() == [twice])
        #expect(await runtime.skill(id: "a") == twice)
    }
}
