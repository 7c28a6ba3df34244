import CodexKit
import Testing

// sample
struct ShippingReplyDraft: AgentStructuredOutput {
    let subject: String
    let reply: String
    let urgency: String

    static let responseFormat = AgentStructuredOutputFormat(
        name: "shipping_reply_draft",
        description: "A concise shipping support reply draft.",
        schema: .object(
            properties: [
                "subject": .string(),
                "reply": .string(),
                "urgency": .string(enum: ["low", "medium", "high"]),
            ],
            required: ["subject", "reply", "urgency"],
            additionalProperties: false
        )
    )
}
// end of sample

struct TypedCompletionsSampleTests {
    @Test func text() async throws {
        let server = try await SampleServer(.says("Three open questions."))
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        // sample
        let summary = try await runtime.sendMessage(
            UserMessageRequest(text: "Summarize the latest thread activity."),
            in: thread.id
        )
        // end of sample
        #expect(summary == "Three open questions.")
        await server.stop()
    }

    @Test func structuredOutput() async throws {
        let server = try await SampleServer(.says(#"{"subject":"Delay","reply":"We are sorry.","urgency":"high"}"#))
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        // sample
        let draft = try await runtime.sendMessage(
            UserMessageRequest(text: "Draft a response for the delayed package."),
            in: thread.id,
            expecting: ShippingReplyDraft.self
        )
        // end of sample
        #expect(draft.urgency == "high")
        let format = try await server.body(0)["text"]?["format"]
        #expect(format?["name"] == "shipping_reply_draft" && format?["strict"] == true)
        #expect(try await runtime.messages(for: thread.id).last?.text.contains("We are sorry.") == true)
        await server.stop()
    }

    /// The same with today's names.
    @Test func structuredOutputToday() async throws {
        let server = try await SampleServer(.says(#"{"subject":"Delay","reply":"We are sorry.","urgency":"low"}"#))
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        let draft = try await runtime.send(Request(text: "Draft."), in: thread.id, response: ShippingReplyDraft.self)
        #expect(draft.urgency == "low")
        await server.stop()
    }

    @Test func rawSchema() {
        let schema: JSONValue = ["type": "object"]
        #expect(AgentStructuredOutputFormat(name: "any", rawSchema: schema).rawSchema == schema)
    }
}
