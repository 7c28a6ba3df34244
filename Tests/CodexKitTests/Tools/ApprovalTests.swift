import CodexKit
import FoundationEssentials
import Testing

struct ApprovalTests {
    /// Fails the way a program does that has nobody to ask.
    private struct Broken: ApprovalPresenting {
        func requestApproval(_ request: ApprovalRequest) async throws -> ApprovalDecision { throw ToolFailure("no screen") }
    }

    private static func fixture(_ approvals: any ApprovalPresenting, store: any RuntimeStateStoring = InMemoryRuntimeStateStore()) async throws
        -> RuntimeFixture
    {
        try await RuntimeFixture(ScriptedBackend { request, _ in
            request.input.contains { if case .functionCallOutput = $0 { true } else { false } } ? .text("done") : .call("rm", #"{"path":"/"}"#)
        }, store: store, approvals: approvals) { $0.tools = [.test("rm", .requiresApproval)] }
    }

    private static func output(_ fixture: RuntimeFixture) async -> String? {
        guard case .functionCallOutput(_, let output) = await fixture.requests.last?.input.last else { return nil }
        return if case .text(let text) = output.first { text } else { nil }
    }

    @Test func anApprovedCallRuns() async throws {
        let fixture = try await Self.fixture(FixedApprovalPresenter(.approved))
        let thread = try await fixture.runtime.createThread()
        let (events, _) = await (try fixture.runtime.stream(Request(text: "x"), in: thread.id)).collected()
        let names = events.map(\.name).filter { $0.hasPrefix("tool") || $0.hasPrefix("approval") || $0 == "threadStatusChanged" }
        #expect(
            names == [
                "threadStatusChanged", "toolCallStarted", "threadStatusChanged", "approvalRequested", "threadStatusChanged", "approvalResolved",
                "threadStatusChanged", "threadStatusChanged", "toolCallFinished", "threadStatusChanged",
            ])
        #expect(await Self.output(fixture) == "rm done")
        #expect(try await fixture.runtime.history(of: thread.id, matching: AgentHistoryQuery(kinds: [.approval])).count == 1)
    }

    @Test func aDeniedCallDoesNotRun() async throws {
        for presenter in [FixedApprovalPresenter(.denied), Broken()] as [any ApprovalPresenting] {
            let fixture = try await Self.fixture(presenter)
            let thread = try await fixture.runtime.createThread()
            #expect(try await fixture.runtime.send(Request(text: "x"), in: thread.id) == "done")
            #expect(await Self.output(fixture)?.contains("denied") == true)
        }
    }

    @Test func theFirstAnswerCountsWhereverItComesFrom() async throws {
        let fixture = try await Self.fixture(WaitingApprovalPresenter())
        let runtime = fixture.runtime
        let thread = try await runtime.createThread()
        let stream = try await runtime.stream(Request(text: "x"), in: thread.id)
        var request: ApprovalRequest?
        for try await event in stream {
            guard case .approvalRequested(let asked) = event else { continue }
            request = asked
            #expect(asked.toolInvocation.arguments == ["path": "/"])
            #expect(try await runtime.thread(id: thread.id).status == .waitingForApproval)
            try await Self.answer(asked.id, .approved, runtime)
        }
        #expect(await Self.output(fixture) == "rm done")
        let id = try #require(request?.id)
        #expect(await code { try await runtime.resolveApproval(id, .denied) } == .approvalNotFound)
        #expect(try await runtime.pendingApprovals().isEmpty)
    }

    /// The question is told a moment before it waits.
    private static func answer(_ id: String, _ decision: ApprovalDecision, _ runtime: AgentRuntime) async throws {
        while await code({ try await runtime.resolveApproval(id, decision) }) != nil { await Task.yield() }
    }

    @Test func interruptingTakesTheQuestionBack() async throws {
        let fixture = try await Self.fixture(WaitingApprovalPresenter())
        let thread = try await fixture.runtime.createThread()
        let stream = try await fixture.runtime.stream(Request(text: "x"), in: thread.id)
        for try await event in stream where event.name == "approvalRequested" { break }
        await fixture.runtime.interruptTurn(in: thread.id)
        #expect(try await fixture.runtime.thread(id: thread.id).status == .interrupted)
        // It is still there for when the turn goes on.
        #expect(try await fixture.runtime.pendingApprovals().count == 1)
    }

    @Test(arguments: [ApprovalDecision.approved, .denied])
    func aQuestionSurvivesTheProgramAndIsAnsweredWithoutAskingAgain(decision: ApprovalDecision) async throws {
        let store = InMemoryRuntimeStateStore()
        let first = try await Self.fixture(WaitingApprovalPresenter(), store: store)
        let thread = try await first.runtime.createThread()
        let stream = try await first.runtime.stream(Request(text: "x"), in: thread.id)
        for try await event in stream where event.name == "approvalRequested" { break }
        await first.runtime.interruptTurn(in: thread.id)

        let second = try await Self.fixture(WaitingApprovalPresenter(), store: store)
        let restoration = try await second.runtime.restore()
        #expect(restoration.interruptedThreadIDs == [thread.id])
        let pending = try await second.runtime.pendingApprovals()
        #expect(pending.map(\.toolInvocation.toolName) == ["rm"])
        try await second.runtime.resolveApproval(try #require(pending.first?.id), decision)
        #expect(try await second.runtime.pendingApprovals().isEmpty)
        let (events, error) = await (try second.runtime.resumeTurn(in: thread.id)).collected()
        #expect(error == nil)
        #expect(events.last?.name == "turnCompleted")
        let output = await Self.output(second)
        #expect(decision == .approved ? output == "rm done" : output?.contains("denied") == true)
        #expect(try await second.runtime.messages(for: thread.id).map(\.text) == ["x", "done"])
        #expect(await code { try await second.runtime.resumeTurn(in: thread.id) } == .nothingToResume)
    }

    @Test func anUnansweredQuestionIsAskedAgain() async throws {
        let store = InMemoryRuntimeStateStore()
        let first = try await Self.fixture(WaitingApprovalPresenter(), store: store)
        let thread = try await first.runtime.createThread()
        let stream = try await first.runtime.stream(Request(text: "x"), in: thread.id)
        for try await event in stream where event.name == "approvalRequested" { break }
        await first.runtime.interruptTurn(in: thread.id)
        let second = try await Self.fixture(FixedApprovalPresenter(.approved), store: store)
        let (events, _) = await (try second.runtime.resumeTurn(in: thread.id)).collected()
        #expect(events.contains { $0.name == "approvalRequested" })
        #expect(await Self.output(second) == "rm done")
    }

    @Test func aCallThatMayHaveRunIsNotRepeated() async throws {
        let store = InMemoryRuntimeStateStore()
        let gate = Gate()
        let backend = ScriptedBackend { request, _ in
            let isAnswered = request.input.contains { if case .functionCallOutput = $0 { true } else { false } }
            return isAnswered ? .text("done") : .calls(("slow", "{}"), ("next", "{}"))
        }
        let slow = AgentRuntime.ToolRegistration(
            definition: .test("slow"),
            executor: AnyToolExecutor { call, _ in
                await gate.wait()
                return .success(invocation: call, text: "ran")
            })
        let first = try await RuntimeFixture(backend, store: store) { $0.tools = [slow, .test("next")] }
        let thread = try await first.runtime.createThread()
        let stream = try await first.runtime.stream(Request(text: "x"), in: thread.id)
        await gate.somebodyWaits()
        await first.runtime.interruptTurn(in: thread.id)
        _ = await stream.collected()
        await gate.open()
        let second = try await RuntimeFixture(backend, store: store) { $0.tools = [slow, .test("next")] }
        let (events, _) = await (try second.runtime.resumeTurn(in: thread.id)).collected()
        let results = events.compactMap { if case .toolCallFinished(let result) = $0 { result } else { nil } }
        #expect(results.map(\.success) == [false, true])
        #expect(results.first?.primaryText?.contains("not known") == true)
    }
}
