import CodexKit
import ExampleSupport

/// One conversation under three personas: the pinned one, another one for a single reply, and another pinned one from then on.
@main
struct PersonaSwap {
    static let support = AgentPersonaStack(layers: [
        .init(name: "domain", instructions: "You are an expert of a shipping company's support."),
        .init(name: "style", instructions: "Be concise, calm, and action-oriented."),
    ])
    static let reviewer = AgentPersonaStack(layers: [
        .init(name: "reviewer", instructions: "For this reply only, act as a strict reviewer and name the risks first.")
    ])
    static let teacher = AgentPersonaStack(layers: [.init(name: "teacher", instructions: "Explain as to a new colleague, step by step.")])

    static func main() async {
        await run {
            let setup = ExampleSetup(try ExampleOptions())
            let runtime = try AgentRuntime(configuration: .init(
                authProvider: try setup.authProvider,
                secureStore: setup.secureStore,
                backend: try setup.backend,
                approvalPresenter: FixedApprovalPresenter(.denied),
                stateStore: InMemoryRuntimeStateStore()
            ))
            try await setup.begin(runtime)
            let question = setup.options.words.isEmpty ? "A parcel is three days late. What now?" : setup.options.words.joined(separator: " ")
            let thread = try await runtime.createThread(title: "Support", personaStack: support)

            show("\nPinned: support\n")
            try await show(runtime.stream(Request(text: question), in: thread.id))

            show("\nFor one reply: reviewer\n")
            try await show(runtime.stream(Request(text: question, personaOverride: reviewer), in: thread.id))

            show("\nPinned from now on: teacher\n")
            try await runtime.setPersonaStack(teacher, for: thread.id)
            try await show(runtime.stream(Request(text: question), in: thread.id))

            let messages = try await runtime.messages(for: thread.id)
            show("\nThe thread has \(messages.count) messages: three questions and three answers. A persona is none of them.\n")
            show("What the model is told now:\n\(try await runtime.resolvedInstructionsPreview(for: thread.id, request: Request(text: question)))\n")
        }
    }
}
