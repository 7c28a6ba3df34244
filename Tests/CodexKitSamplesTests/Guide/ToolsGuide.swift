import CodexKit
import CodexKitUI
import Foundation
import Testing

// The Swift of `docs/codexkit/tools-and-approvals.md`, word for word, and run where it does something.

struct Refund: Decodable {
    let order: String
    let euros: Double
}

let refund = AgentRuntime.ToolRegistration(
    definition: ToolDefinition(
        name: "refund",
        description: "Pays money back to the customer.",
        inputSchema: AgentOutputSchema.object(
            properties: ["order": .string(), "euros": .number(minimum: 0)],
            required: ["order", "euros"]
        ).json,
        approvalPolicy: .requiresApproval,
        approvalMessage: "The customer gets their money back. This cannot be undone."
    ),
    executor: TypedToolExecutor(Refund.self) { refund, _ in
        guard refund.euros <= 500 else { throw ToolFailure("More than 500 euros need the owner.") }
        return [.text("Paid back \(refund.euros) euros for order \(refund.order).")]
    }
)

struct Customer: RequestContextKey {
    static let defaultValue: String? = nil
}

let travelPlanner = AgentSkill(
    id: "travel_planner",
    name: "Travel Planner",
    instructions: "You plan journeys. Look up flights first, then hotels.",
    executionPolicy: .init(
        allowedToolNames: ["lookup_flights", "lookup_hotels"],
        requiredToolNames: ["lookup_flights"],
        toolSequence: ["lookup_flights", "lookup_hotels"],
        maxToolCalls: 3
    )
)

struct ToolsGuideTests {
    @Test func toolsAskAndRun() async throws {
        let server = try await SampleServer([
            .calls("whoami"), .says("You are Ada."), .calls("refund", #"{"order":"17","euros":20}"#), .says("Done."),
        ])
        let authProvider = server.authProvider, secureStore = server.secureStore, backend = server.backend, stateStore = server.stateStore
        let asked = Printed()
        let print: @Sendable (String) -> Void = { asked.add($0) }
        let readLine: @Sendable () async throws -> String? = { "y" }

        let presenter = TerminalApprovalPresenter(write: print, readLine: readLine)

        let runtime = try AgentRuntime(configuration: .init(
            authProvider: authProvider,
            secureStore: secureStore,
            backend: backend,
            approvalPresenter: presenter,
            stateStore: stateStore,
            tools: [refund]
        ))
        try await runtime.restore()
        try await runtime.registerTool(
            ToolDefinition(name: "whoami", description: "Tells who the customer is.", inputSchema: ["type": "object", "properties": [:]]),
            executor: AnyToolExecutor { call, context in
                guard let customer = context.requestContext[Customer.self] else { throw ToolFailure("Nobody is logged in.") }
                return .success(invocation: call, text: customer)
            }
        )
        let thread = try await runtime.createThread()

        let request = Request(text: "Who am I?", context: RequestContext().with(Customer.self, "Ada"))
        let answer = try await runtime.send(request, in: thread.id)

        #expect(answer == "You are Ada.")
        #expect(try await server.outputs(1) == ["Ada"])
        #expect(!(try await server.text(0).contains("Ada")), "the model never sees the value itself")
        #expect(try await runtime.send(Request(text: "Refund order 17."), in: thread.id) == "Done.")
        #expect(asked.text.contains("The customer gets their money back."))
        #expect(try await server.outputs(3).last == "Paid back 20.0 euros for order 17.")
        await server.stop()
    }

    @Test func answersFromElsewhere() async throws {
        let server = try await SampleServer([.calls("refund", #"{"order":"17","euros":20}"#), .says("Done.")])
        let runtime = try AgentRuntime(configuration: .init(
            authProvider: server.authProvider, secureStore: server.secureStore, backend: server.backend,
            approvalPresenter: WaitingApprovalPresenter(), stateStore: server.stateStore, tools: [refund]))
        try await runtime.restore()
        let thread = try await runtime.createThread()
        let stream = try await runtime.stream(Request(text: "Refund order 17."), in: thread.id)
        var answer: String?
        for try await event in stream {
            if case .approvalRequested = event {
                for question in try await runtime.pendingApprovals() {
                    print(question.title, question.message, question.toolInvocation.arguments)
                    try await runtime.resolveApproval(question.id, .approved)
                }
            }
            if case .turnCompleted(let summary) = event { answer = summary.finalMessage?.text }
        }
        #expect(answer == "Done.")
        await server.stop()
    }

    @Test func skillsOfAThreadAndOfOneRequest() async throws {
        let server = try await SampleServer([.says("Go by train.")])
        let runtime = try await server.runtime(tools: [.sample("lookup_flights"), .sample("lookup_hotels")])
        try await runtime.registerSkill(travelPlanner)
        let thread = try await runtime.createThread(title: "Trip", skillIDs: [travelPlanner.id])

        let plain = Request(text: "Just chat.", skillSelection: SkillSelection.none)
        let answer = try await runtime.send(plain, in: thread.id)

        #expect(answer == "Go by train.")
        await server.stop()
    }

    @Test func theInbox() async throws {
        await inbox()
    }

    @MainActor private func inbox() async {
        let inbox = ApprovalInbox()
        let question = ApprovalRequest(
            threadID: "t", turnID: "u", toolInvocation: ToolInvocation(id: "c", threadID: "t", turnID: "u", toolName: "x", arguments: [:]),
            title: "Allow x?", message: "x")
        async let decision = inbox.requestApproval(question)
        while inbox.currentRequest == nil { await Task.yield() }

        if let request = inbox.currentRequest {
            print(request.title)
            inbox.approve(request)
        }

        #expect((try? await decision) == .approved)
    }
}
