import CodexKit
import ExampleSupport

/// The same request in two threads, one with a skill and one without: what the skill's rules change about the tools that are called.
@main
struct SkillProbe {
    static let travelPlanner = AgentSkill(
        id: "travel_planner",
        name: "Travel Planner",
        instructions: "You plan journeys. Look up flights first, then hotels, and answer with a short plan.",
        executionPolicy: .init(
            allowedToolNames: ["lookup_flights", "lookup_hotels"],
            requiredToolNames: ["lookup_flights"],
            toolSequence: ["lookup_flights", "lookup_hotels"],
            maxToolCalls: 3
        )
    )

    static func main() async {
        await run {
            let setup = ExampleSetup(try ExampleOptions())
            let runtime = try AgentRuntime(configuration: .init(
                authProvider: try setup.authProvider,
                secureStore: setup.secureStore,
                backend: try setup.backend,
                approvalPresenter: FixedApprovalPresenter(.approved),
                stateStore: InMemoryRuntimeStateStore(),
                tools: [
                    tool("lookup_flights", "Finds flights to a city."), tool("lookup_hotels", "Finds hotels in a city."),
                    tool("book_taxi", "Books a taxi in a city."),
                ],
                skills: [travelPlanner]
            ))
            try await setup.begin(runtime)
            let words = setup.options.words
            let request = Request(text: words.isEmpty ? "Plan two days in Lisbon." : words.joined(separator: " "))
            show("\nWithout the skill\n")
            try await probe(request, in: runtime.createThread(title: "Probe: plain"), of: runtime)
            show("\nWith the skill \(travelPlanner.id)\n")
            try await probe(request, in: runtime.createThread(title: "Probe: skill", skillIDs: [travelPlanner.id]), of: runtime)
        }
    }

    /// Sends the request, and prints which tools were called and which calls the rules refused.
    static func probe(_ request: Request, in thread: AgentThread, of runtime: AgentRuntime) async throws {
        var called: [String] = [], refused: [String] = []
        for try await event in try await runtime.stream(request, in: thread.id) {
            switch event {
            case .toolCallFinished(let result) where result.success: called.append(result.toolName)
            case .toolCallFinished(let result): refused.append("\(result.toolName) (\(result.errorMessage ?? "failed"))")
            case .turnCompleted(let summary): show("  answer:  \(summary.finalMessage?.text ?? "none")\n")
            default: break
            }
        }
        show("  called:  \(called.isEmpty ? "nothing" : called.joined(separator: ", "))\n")
        for call in refused { show("  refused: \(call)\n") }
    }

    static func tool(_ name: String, _ description: String) -> AgentRuntime.ToolRegistration {
        struct Place: Decodable { let city: String }
        return AgentRuntime.ToolRegistration(
            definition: ToolDefinition(
                name: name, description: description,
                inputSchema: AgentOutputSchema.object(properties: ["city": .string()], required: ["city"]).json),
            executor: TypedToolExecutor(Place.self) { place, _ in [.text("Three of them in \(place.city).")] })
    }
}
