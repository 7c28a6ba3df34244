import CodexKit
import Testing

struct SkillsSampleTests {
    @Test func skills() async throws {
        let server = try await SampleServer(
            .calls("health_coach_fetch_progress"), .calls("lookup_flights"), .says("Take the train."))
        let authProvider = server.authProvider, secureStore = server.secureStore, backend = server.backend
        let approvalPresenter = server.approvalPresenter, stateStore = server.stateStore
        // sample
        let healthCoachSkill = AgentSkill(
            id: "health_coach",
            name: "Health Coach",
            instructions: "You are a health coach focused on daily step goals and execution. For every user turn, call the health_coach_fetch_progress tool exactly once before your final reply.",
            executionPolicy: .init(
                allowedToolNames: ["health_coach_fetch_progress"],
                requiredToolNames: ["health_coach_fetch_progress"],
                maxToolCalls: 1
            )
        )

        let travelPlannerSkill = AgentSkill(
            id: "travel_planner",
            name: "Travel Planner",
            instructions: "You are a travel planning assistant for mobile users. Provide concise day-by-day itineraries, practical logistics, and a compact packing checklist.",
            executionPolicy: .init(
                allowedToolNames: ["lookup_flights", "lookup_hotels"],
                requiredToolNames: ["lookup_flights"],
                toolSequence: ["lookup_flights", "lookup_hotels"],
                maxToolCalls: 3
            )
        )

        let runtime = try AgentRuntime(configuration: .init(
            authProvider: authProvider,
            secureStore: secureStore,
            backend: backend,
            approvalPresenter: approvalPresenter,
            stateStore: stateStore,
            skills: [healthCoachSkill, travelPlannerSkill]
        ))

        let healthThread = try await runtime.createThread(
            title: "Skill Demo: Health Coach",
            skillIDs: ["health_coach"]
        )

        let tripThread = try await runtime.createThread(
            title: "Skill Demo: Travel Planner",
            skillIDs: ["travel_planner"]
        )
        // the tools, which the sample leaves to the program
        try await runtime.restore()
        for name in ["health_coach_fetch_progress", "lookup_flights", "lookup_hotels"] {
            let tool = AgentRuntime.ToolRegistration.sample(name)
            try await runtime.registerTool(tool.definition, executor: tool.executor)
        }
        // the sample goes on

        let stream = try await runtime.streamMessage(
            UserMessageRequest(
                text: "Review this plan with extra travel rigor.",
                skillOverrideIDs: ["travel_planner"]
            ),
            in: healthThread.id
        )
        // end of sample
        #expect(tripThread.skillIDs == ["travel_planner"])
        #expect(try await stream.answer() == "Take the train.")
        let names = try await server.body(0)["tools"]?.array?.compactMap { $0["name"]?.string }
        #expect(names?.sorted() == ["health_coach_fetch_progress", "lookup_flights", "lookup_hotels"])
        #expect(try await server.body(2)["input"]?.array?.compactMap { $0["type"]?.string }.filter { $0 == "function_call_output" }.count == 2)
        await server.stop()
    }
}
