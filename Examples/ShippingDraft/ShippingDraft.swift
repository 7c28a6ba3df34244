import CodexKit
import ExampleSupport

/// What the model answers with: a value of the program's, not text to be taken apart.
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
            required: ["subject", "reply", "urgency"]
        )
    )
}

/// A typed reply: as the whole answer, or with `--stream` after text that is shown while it is written.
@main
struct ShippingDraft {
    static func main() async {
        await run {
            let setup = ExampleSetup(try ExampleOptions(switches: ["stream"]))
            let runtime = try AgentRuntime(configuration: .init(
                authProvider: try setup.authProvider,
                secureStore: setup.secureStore,
                backend: try setup.backend,
                approvalPresenter: FixedApprovalPresenter(.denied),
                stateStore: InMemoryRuntimeStateStore()
            ))
            try await setup.begin(runtime)
            let words = setup.options.words
            let request = Request(text: words.isEmpty ? "Draft a response for the delayed package 4711." : words.joined(separator: " "))
            let thread = try await runtime.createThread(title: "Draft")
            if setup.options.has("stream") {
                try await stream(request, in: thread, of: runtime)
            } else {
                print(try await runtime.send(request, in: thread.id, response: ShippingReplyDraft.self))
            }
        }
    }

    static func stream(_ request: Request, in thread: AgentThread, of runtime: AgentRuntime) async throws {
        for try await event in try await runtime.stream(request, in: thread.id, response: ShippingReplyDraft.self) {
            switch event {
            case .event(.assistantMessageDelta(_, _, let delta)): show(delta)
            case .event, .structuredOutputPartial: break
            case .structuredOutputCommitted(let draft):
                show("\n")
                print(draft)
            }
        }
    }

    static func print(_ draft: ShippingReplyDraft) {
        show("Urgency: \(draft.urgency)\nSubject: \(draft.subject)\n\n\(draft.reply)\n")
    }
}
