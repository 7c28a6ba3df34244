import CodexKit
import Testing

struct PersonasSampleTests {
    @Test func pinnedAndDynamic() async throws {
        let server = try await SampleServer(.says("Risks first."))
        let runtime = try await server.runtime()
        // sample
        let supportPersona = AgentPersonaStack(layers: [
            .init(name: "domain", instructions: "You are an expert customer support agent for a shipping app."),
            .init(name: "style", instructions: "Be concise, calm, and action-oriented.")
        ])

        let thread = try await runtime.createThread(
            title: "Support Chat",
            personaStack: supportPersona
        )

        let reviewerOverride = AgentPersonaStack(layers: [
            .init(name: "reviewer", instructions: "For this reply only, act as a strict reviewer and call out risks first.")
        ])

        let stream = try await runtime.streamMessage(
            UserMessageRequest(
                text: "Review this architecture and point out the risks.",
                personaOverride: reviewerOverride
            ),
            in: thread.id
        )
        // end of sample
        #expect(try await stream.answer() == "Risks first.")
        let instructions = try #require(try await server.body(0)["instructions"]?.string)
        #expect(instructions.contains("expert customer support agent") && instructions.contains("act as a strict reviewer"))
        #expect(try await server.body(0)["input"]?.array?.count == 1, "a persona is no message")
        await server.stop()
    }
}
