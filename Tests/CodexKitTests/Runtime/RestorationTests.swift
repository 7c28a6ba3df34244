import FoundationEssentials
import Testing

@testable import CodexKit

struct RestorationTests {
    /// A state in which a turn was running when the program ended.
    private func crashed(with answer: [ScriptedBackend.Step] = .text("rest")) async throws -> (InMemoryRuntimeStateStore, RuntimeFixture, String) {
        let store = InMemoryRuntimeStateStore()
        let thread = AgentThread(id: "t", createdAt: Date(timeIntervalSince1970: 5), status: .streaming)
        let settings = AgentTurnSettings(Request(text: "Hi", options: RequestOptions(model: "chosen")), output: nil)
        let turn = AgentTurn(threadID: "t", startedAt: Date(timeIntervalSince1970: 6), settings: settings)
        let message = AgentMessage(id: "m", threadID: "t", role: .user, text: "Hi", createdAt: Date(timeIntervalSince1970: 6))
        let record = AgentHistoryRecord(threadID: "t", turnID: turn.id, createdAt: message.createdAt, item: .message(message))
        try await store.apply([.saveThread(thread), .saveTurn(turn), .append([record])])
        return (store, try await RuntimeFixture(ScriptedBackend(answer), store: store), "t")
    }

    @Test func aTurnThatWasRunningIsMarkedInterrupted() async throws {
        let (store, fixture, id) = try await crashed()
        let restoration = try await fixture.runtime.restore()
        #expect(restoration.interruptedThreadIDs == [id])
        #expect(restoration.threads.map(\.status) == [.interrupted])
        #expect(await store.load().lastTurns[id]?.status == .interrupted)
        #expect(try await fixture.runtime.snapshot(of: id).lastFailure?.code == .turnInterrupted)
        #expect(try await fixture.runtime.restore().interruptedThreadIDs == [id])
    }

    @Test func itCanGoOn() async throws {
        let (_, fixture, id) = try await crashed()
        let (events, error) = await (try fixture.runtime.resumeTurn(in: id)).collected()
        #expect(error == nil && events.first?.name == "turnStarted" && events.last?.name == "turnCompleted")
        #expect(await fixture.requests.map(\.input) == [[.text(.user, "Hi")]])
        #expect(await fixture.requests.last?.model == "chosen")
        #expect(try await fixture.runtime.turns(of: id).map(\.status) == [.completed])
        #expect(try await fixture.runtime.messages(for: id).map(\.text) == ["Hi", "rest"])
    }

    @Test func orANewTurnMayFollow() async throws {
        let (_, fixture, id) = try await crashed()
        _ = try await fixture.runtime.send(Request(text: "Never mind"), in: id)
        #expect(try await fixture.runtime.turns(of: id).map(\.status) == [.interrupted, .completed])
        #expect(await code { try await fixture.runtime.resumeTurn(in: id) } == .nothingToResume)
    }

    @Test func threadsLoadByThemselvesWithTheirFirstUse() async throws {
        let (_, fixture, id) = try await crashed()
        #expect(try await fixture.runtime.messages(for: id).count == 1)
    }

    @Test func aRunningTurnOfThisProcessIsNotTakenForALeftover() async throws {
        let store = InMemoryRuntimeStateStore()
        let gate = Gate()
        let first = try await RuntimeFixture(ScriptedBackend([.wait(gate)] + .text("done")), store: store)
        let thread = try await first.runtime.createThread()
        let stream = try await first.runtime.stream(Request(text: "x"), in: thread.id)
        let second = try await RuntimeFixture(ScriptedBackend(.text("x")), store: store)
        #expect(try await second.runtime.restore().interruptedThreadIDs.isEmpty)
        await gate.open()
        #expect(await stream.collected().error == nil)
    }

    @Test func aStoreThatFailsFailsTheCallAndNotTheProgram() async throws {
        struct Failing: RuntimeStateStoring {
            struct Trouble: Error {}
            let base = InMemoryRuntimeStateStore()
            let refusesMessages: Bool

            func load() async throws -> RuntimeStateSummary { await base.load() }
            func apply(_ changes: [RuntimeStateChange]) async throws {
                if changes.contains(where: { if case .append = $0 { refusesMessages } else { false } }) { throw Trouble() }
                try await base.apply(changes)
            }
            func history(of id: String, matching query: AgentHistoryQuery) async throws -> [AgentHistoryRecord] {
                await base.history(of: id, matching: query)
            }
            func turns(of id: String) async throws -> [AgentTurn] { await base.turns(of: id) }
            func contextState(of id: String) async throws -> AgentContextState? { await base.contextState(of: id) }
        }
        let fixture = try await RuntimeFixture(ScriptedBackend(.text("x")), store: Failing(refusesMessages: true))
        let thread = try await fixture.runtime.createThread()
        #expect(await code { try await fixture.runtime.send(Request(text: "x"), in: thread.id) } == .stateStoreFailed)
        #expect(try await fixture.runtime.thread(id: thread.id).status == .idle)
        #expect(await fixture.requests.isEmpty)
    }

    @Test func signingOutInterruptsAndKeepsTheThreads() async throws {
        let gate = Gate()
        let fixture = try await RuntimeFixture(ScriptedBackend([.wait(gate)] + .text("never")))
        let thread = try await fixture.runtime.createThread()
        let stream = try await fixture.runtime.stream(Request(text: "x"), in: thread.id)
        await gate.somebodyWaits()
        try await fixture.runtime.signOut()
        #expect(await stream.collected().error?.code == .turnInterrupted)
        #expect(await fixture.runtime.currentSession() == nil)
        #expect(try await fixture.runtime.threads().count == 1)
    }

    @Test func thePastIsWhatTheServiceAccepts() throws {
        let date = Date(timeIntervalSince1970: 0)
        func record(_ item: AgentHistoryItem, turn: String = "1") -> AgentHistoryRecord {
            AgentHistoryRecord(threadID: "t", turnID: turn, createdAt: date, item: item)
        }
        func call(_ id: String) -> ToolInvocation { ToolInvocation(id: id, threadID: "t", turnID: "1", toolName: "f", arguments: [:]) }
        let items = InputBuilder.items(
            of: [
                record(.toolCall(call("open"), arguments: "{}")), record(.toolCall(call("done"), arguments: "{}")),
                record(.toolResult(.success(invocation: call("done"), text: "ok"))),
                record(.toolResult(.success(invocation: call("lost"), text: "?"))),
                record(.toolCall(call("done"), arguments: "{}"), turn: "2"),
                record(.message(AgentMessage(threadID: "t", role: .assistant, text: "", images: [.png(Data([1]))], createdAt: date))),
                record(.message(AgentMessage(threadID: "t", role: .user, text: "", images: [.png(Data())], createdAt: date))),
            ], summary: "Before.")
        let lost = [ToolResultContent.text(InputBuilder.interrupted)]
        #expect(
            items == [
                .text(.developer, "Summary of the conversation up to here:\nBefore."),
                .functionCall(callID: "open", name: "f", arguments: "{}"), .functionCallOutput(callID: "open", output: lost),
                .functionCall(callID: "done", name: "f", arguments: "{}"), .functionCallOutput(callID: "done", output: [.text("ok")]),
                .functionCall(callID: "done", name: "f", arguments: "{}"), .functionCallOutput(callID: "done", output: lost),
                .text(.assistant, "[1 image shown to the user]"), .text(.user, "[an image that is no longer available]"),
            ])
    }
}
