import FoundationEssentials
import Testing

@testable import CodexKit

struct CompactionTests {
    /// Answers a request for a summary with `SUM` and a number, everything else with `ok`.
    private static func backend(tooLong: @escaping @Sendable (AgentBackendRequest) -> Bool = { _ in false }) -> ScriptedBackend {
        ScriptedBackend { request, number in
            if request.instructions.contains("You summarise") { return .text("SUM\(number)") }
            if tooLong(request) { return [.fail(AgentRuntimeError(code: .contextTooLong, message: "too long"))] }
            return .text("ok")
        }
    }

    private static func fixture(
        _ backend: ScriptedBackend = backend(), turns: Int = 4, _ change: (inout AgentContextCompaction) -> Void = { _ in }
    ) async throws -> (RuntimeFixture, String) {
        let fixture = try await RuntimeFixture(backend) { change(&$0.compaction) }
        let thread = try await fixture.runtime.createThread()
        for number in 0..<turns { _ = try await fixture.runtime.send(Request(text: "q\(number)"), in: thread.id) }
        return (fixture, thread.id)
    }

    @Test func theModelReadsTheSummaryAndTheLatestTurns() async throws {
        let (fixture, id) = try await Self.fixture()
        let before = try await fixture.runtime.messages(for: id)
        let state = try await fixture.runtime.compactContext(of: id)
        #expect(state.summary == "SUM4" && state.generation == 1)
        #expect(await fixture.requests.last?.input.count == 5, "two turns and the request for their summary")
        _ = try await fixture.runtime.send(Request(text: "next"), in: id)
        #expect(
            await fixture.requests.last?.input == [
                .text(.developer, "Summary of the conversation up to here:\nSUM4"), .text(.user, "q2"), .text(.assistant, "ok"),
                .text(.user, "q3"), .text(.assistant, "ok"), .text(.user, "next"),
            ])
        #expect(Array(try await fixture.runtime.messages(for: id).prefix(before.count)) == before, "nothing is lost")
        #expect(try await fixture.runtime.history(of: id, matching: AgentHistoryQuery(kinds: [.compaction])).count == 1)
        // The next one builds on it.
        let second = try await fixture.runtime.compactContext(of: id)
        #expect(second.generation == 2)
        #expect(await fixture.requests.last?.input.first == .text(.developer, "Summary of the conversation up to here:\nSUM4"))
        try await fixture.runtime.clearCompaction(of: id)
        _ = try await fixture.runtime.send(Request(text: "all"), in: id)
        #expect(await fixture.requests.last?.input.count == 11)
    }

    @Test func aShortThreadIsNotCompacted() async throws {
        let (fixture, id) = try await Self.fixture(turns: 2)
        #expect(await code { try await fixture.runtime.compactContext(of: id) } == .compactionFailed)
        #expect(try await fixture.runtime.contextState(of: id) == nil)
    }

    @Test func aLongPastIsCompactedBeforeTheQuestion() async throws {
        let (fixture, id) = try await Self.fixture {
            $0.thresholdTokens = 1
            $0.keptTurns = 1
        }
        let (events, _) = await (try fixture.runtime.stream(Request(text: "next"), in: id)).collected()
        #expect(events.contains { $0.name == "contextCompacted" })
        let input = try #require(await fixture.requests.last?.input)
        #expect(input.count == 4 && input.last == .text(.user, "next"))
        let (manual, other) = try await Self.fixture {
            $0.mode = .manual
            $0.thresholdTokens = 1
        }
        _ = try await manual.runtime.send(Request(text: "next"), in: other)
        #expect(await manual.requests.last?.input.count == 9)
    }

    @Test func whatTheServiceCallsTooLongIsCompactedAndAskedAgain() async throws {
        let (fixture, id) = try await Self.fixture(Self.backend { $0.input.count > 8 })
        #expect(try await fixture.runtime.send(Request(text: "next"), in: id) == "ok")
        #expect(try await fixture.runtime.contextState(of: id)?.generation == 1)
    }

    @Test func whatIsStillTooLongFails() async throws {
        let (fixture, id) = try await Self.fixture(Self.backend { $0.input.contains(.text(.user, "long")) })
        #expect(await code { try await fixture.runtime.send(Request(text: "long"), in: id) } == .contextTooLong)
        let (short, other) = try await Self.fixture(Self.backend { $0.input.contains(.text(.user, "long")) }, turns: 0)
        #expect(await code { try await short.runtime.send(Request(text: "long"), in: other) } == .contextTooLong)
    }

    @Test func aSummaryThatFailsIsNoReasonNotToAsk() async throws {
        let backend = ScriptedBackend { request, _ in
            request.instructions.contains("You summarise") ? [.fail(AgentRuntimeError(code: .serverFailed, message: "down"))] : .text("ok")
        }
        let (fixture, id) = try await Self.fixture(backend) { $0.thresholdTokens = 1 }
        #expect(try await fixture.runtime.send(Request(text: "next"), in: id) == "ok")
        #expect(await code { try await fixture.runtime.compactContext(of: id) } == .serverFailed)
    }

    @Test func deletingWhatWasSummarisedDropsTheSummary() async throws {
        let (fixture, id) = try await Self.fixture()
        try await fixture.runtime.compactContext(of: id)
        let first = try #require(try await fixture.runtime.messages(for: id).first)
        try await fixture.runtime.deleteHistory([first.id], in: id)
        #expect(try await fixture.runtime.contextState(of: id) == nil)
    }

    @Test func turnsAreNeverCutInTwo() {
        func record(_ sequence: Int, _ turn: String?) -> AgentHistoryRecord {
            let message = AgentMessage(threadID: "t", role: .user, text: "x", createdAt: Date(timeIntervalSince1970: 0))
            return AgentHistoryRecord(threadID: "t", turnID: turn, sequence: sequence, createdAt: message.createdAt, item: .message(message))
        }
        let records = [record(1, "a"), record(2, nil), record(3, "b"), record(4, "b"), record(5, "c")]
        #expect(AgentRuntime.coverable(records, keptTurns: 0).count == 5)
        #expect(AgentRuntime.coverable(records, keptTurns: 1).count == 4)
        #expect(AgentRuntime.coverable(records, keptTurns: 2).count == 2)
        #expect(AgentRuntime.coverable(records, keptTurns: 9).count == 0)
    }
}
