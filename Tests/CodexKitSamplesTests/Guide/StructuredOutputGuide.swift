import CodexKit
import Foundation
import Testing

// The Swift of `docs/codexkit/structured-output.md`, word for word, and run.

struct TicketDraft: AgentStructuredOutput {
    let subject: String
    let reply: String
    let urgency: String

    static let responseFormat = AgentStructuredOutputFormat(
        name: "ticket_draft",
        description: "A reply to a customer.",
        schema: .object(
            properties: [
                "subject": .string(),
                "reply": .string(),
                "urgency": .string(enum: ["low", "medium", "high"]),
            ],
            required: ["subject", "reply", "urgency"]
        )
    )
}

struct Parcel: Decodable { let number: String; let weight: Double? }

struct StructuredOutputGuideTests {
    private let draftText = #"{"subject":"Delay","reply":"We are sorry.","urgency":"high"}"#

    @Test func aTypedReply() async throws {
        let server = try await SampleServer([.says(draftText)])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()

        let draft = try await runtime.send(
            Request(text: "Draft a reply about the delayed parcel."),
            in: thread.id,
            response: TicketDraft.self
        )
        print(draft.urgency, draft.subject)

        #expect(draft.urgency == "high")
        await server.stop()
    }

    @Test func aFormOfTheCallers() async throws {
        let server = try await SampleServer([.says(#"{"number":"17","weight":null}"#)])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()

        let format = AgentStructuredOutputFormat(
            name: "parcel",
            schema: .object(
                properties: ["number": .string(), "weight": .nullable(.number(minimum: 0))],
                required: ["number", "weight"]
            )
        )
        let parcel = try await runtime.send(Request(text: "Which parcel?"), in: thread.id, response: Parcel.self, format: format)

        #expect(parcel.number == "17" && parcel.weight == nil)
        await server.stop()
    }

    @Test func textAndValue() async throws {
        let server = try await SampleServer([.says("Here it is. <structured_output>\(draftText)</structured_output>")])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        var committed: TicketDraft?

        let request = Request(text: "Draft a reply, and tell me what you were unsure about.")
        for try await event in try await runtime.stream(request, in: thread.id, response: TicketDraft.self) {
            switch event {
            case .event(.assistantMessageDelta(_, _, let text)): print(text, terminator: "")
            case .event: break
            case .structuredOutputPartial(let draft): print("so far: \(draft.subject)")
            case .structuredOutputCommitted(let draft): committed = draft
            }
        }

        #expect(committed?.reply == "We are sorry.")
        await server.stop()
    }

    @Test func aSchemaByHand() async throws {
        let format = AgentStructuredOutputFormat(
            name: "labels",
            rawSchema: ["type": "object", "additionalProperties": ["type": "string"]]
        )

        #expect(!format.strict)
    }

    @Test func anAnswerOfAnotherForm() async throws {
        let server = try await SampleServer([.says("Sorry, no.")])
        let runtime = try await server.runtime()
        let thread = try await runtime.createThread()
        let request = Request(text: "Draft.")
        var wasRefused = false

        do {
            let draft = try await runtime.send(request, in: thread.id, response: TicketDraft.self)
            print(draft.reply)
        } catch AgentRuntimeError.Code.structuredOutputInvalid {
            wasRefused = true
        }

        #expect(wasRefused)
        await server.stop()
    }
}
