import CodexKit
import FoundationEssentials
import Testing

struct PersonaTests {
    private static let thread = AgentPersonaStack(layers: [
        .init(name: "domain", instructions: "You know shipping."), .init(name: "style", instructions: "Be calm."),
    ])
    private static let turn = AgentPersonaStack(layers: [.init(name: "reviewer", instructions: "Be strict.")])

    private static func fixture(_ composition: AgentPersonaComposition) async throws -> RuntimeFixture {
        try await RuntimeFixture(ScriptedBackend(baseInstructions: "Backend.", .text("ok"))) {
            $0.baseInstructions = "Runtime."
            $0.personaComposition = composition
        }
    }

    @Test func layersGoFromWideToNarrow() async throws {
        let fixture = try await Self.fixture(.layered)
        let thread = try await fixture.runtime.createThread(
            configuration: AgentThreadConfiguration(instructions: "Thread rules."), personaStack: Self.thread)
        _ = try await fixture.runtime.send(Request(text: "x", personaOverride: Self.turn), in: thread.id)
        let text = try #require(await fixture.requests.last?.instructions)
        let parts = [
            "Backend.", "Runtime.", "domain", "You know shipping.", "style", "Be calm.", "reviewer", "Be strict.", "the later ones hold",
            "Thread rules.",
        ]
        var rest = text[...]
        for part in parts {
            guard let range = rest.firstRange(of: part) else {
                #expect(Bool(false), "\(part) is missing or too early in: \(text)")
                return
            }
            rest = rest[range.upperBound...]
        }
    }

    @Test func theNarrowestReplacesTheOthersWhenAskedTo() async throws {
        let fixture = try await Self.fixture(.replacing)
        let thread = try await fixture.runtime.createThread(personaStack: Self.thread)
        let preview = { try await fixture.runtime.resolvedInstructionsPreview(for: thread.id, request: $0) }
        let withTurn = try await preview(Request(text: "x", personaOverride: Self.turn))
        #expect(withTurn == "Backend.\n\nPersona for this reply only, reviewer:\nBe strict.")
        let withThread = try await preview(Request(text: "x"))
        #expect(withThread.contains("Be calm.") && !withThread.contains("Runtime."))
        try await fixture.runtime.setPersonaStack(nil, for: thread.id)
        #expect(try await preview(Request(text: "x")) == "Backend.\n\nRuntime.")
    }

    @Test func aPersonaIsNoMessage() async throws {
        let fixture = try await Self.fixture(.layered)
        let thread = try await fixture.runtime.createThread(personaStack: Self.thread)
        _ = try await fixture.runtime.send(Request(text: "x", personaOverride: Self.turn), in: thread.id)
        try await fixture.runtime.setPersonaStack(nil, for: thread.id)
        _ = try await fixture.runtime.send(Request(text: "y"), in: thread.id)
        #expect(await fixture.requests.last?.instructions == "Backend.\n\nRuntime.")
        #expect(await fixture.requests.last?.input.count == 3)
    }

    @Test func thePreviewIsWhatIsSent() async throws {
        let fixture = try await Self.fixture(.layered)
        let skill = AgentSkill(id: "s", name: "S", instructions: "Skill text.", executionPolicy: .init(maxToolCalls: 1))
        try await fixture.runtime.registerSkill(skill)
        let thread = try await fixture.runtime.createThread(personaStack: Self.thread)
        let request = Request(text: "x", personaOverride: Self.turn, skillSelection: .append(["s"]))
        let preview = try await fixture.runtime.resolvedInstructionsPreview(for: thread.id, request: request)
        #expect(preview.contains("Skill text.") && preview.contains("At most 1 tool call in a turn."))
        _ = try await fixture.runtime.send(request, in: thread.id)
        #expect(await fixture.requests.last?.instructions == preview)
    }
}
