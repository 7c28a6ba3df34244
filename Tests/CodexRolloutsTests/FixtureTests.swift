import RelayProtocol
import Testing

@testable import CodexRollouts

/// Rollouts that the official CLI 0.163.0 wrote, with long texts cut off and private members removed: `legacy` and `paginated` are
/// sessions of the two history modes with a finished turn, a tool call, an interrupt, a failed turn and a review, in this order.
struct FixtureTests {
    private struct Fixture {
        var lines: [String]
        var meta: SessionMeta?
        var state: SessionState

        init(_ name: String, lines count: Int = .max) throws {
            let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
            let file = try OpenFile("/\(folder)/Fixtures/\(name).jsonl")
            var bytes: [UInt8] = []
            try file.readAll { bytes += $0 }
            lines = bytes.split(separator: 0x0a).prefix(count).map { String(decoding: $0, as: UTF8.self) }
            if case .sessionMeta(let meta) = RecordParser().parse(lines[0].utf8, offset: 0)?.kind { self.meta = meta }
            state = Lines.state(lines)
        }

        /// The number of lines up to and including the nth record of this type.
        func end(of type: String, _ number: Int = 1) throws -> Int {
            let places = lines.indices.filter { lines[$0].contains("\"payload\":{\"type\":\"\(type)\"") }
            return try #require(places.dropFirst(number - 1).first) + 1
        }
    }

    @Test(arguments: ["legacy", "paginated"])
    func followsBothHistoryModes(name: String) throws {
        let all = try Fixture(name)
        #expect(all.meta?.source == .appServer)
        #expect(all.meta?.isHelper == false)
        #expect(all.meta?.cliVersion == "0.163.0")
        #expect(all.state.preview == "first prompt line")

        func state(until type: String, _ number: Int = 1, cut: Int = 0) throws -> SessionState {
            try Fixture(name, lines: try all.end(of: type, number) - cut).state
        }
        let firstEnd = try all.end(of: "task_complete")
        #expect(try state(until: "task_complete", cut: 1).lifecycle == .working)
        #expect(try state(until: "task_complete").lifecycle == .complete(revision: Lines.offset(of: firstEnd - 1, in: all.lines)))
        #expect(try state(until: "task_complete").contextUsedPercent == 0)
        #expect(try state(until: "turn_aborted", cut: 1).lifecycle == .working)
        #expect(try state(until: "turn_aborted").lifecycle == .idle)
        let failedEnd = try all.end(of: "task_complete", 3)
        #expect(try state(until: "task_complete", 3).lifecycle == .failed(revision: Lines.offset(of: failedEnd - 1, in: all.lines)))
    }

    @Test func keepsTheMainWindowsAndNoOthers() throws {
        let legacy = try Fixture("legacy")
        let first = try Fixture("legacy", lines: legacy.end(of: "task_complete")).state.limits
        #expect(first.primary?.usedPercent == 37.5)
        #expect(first.secondary?.durationMinutes == 10080)
        // Later records leave both windows empty.
        #expect(legacy.state.limits == first)
        // The other session's only windows are of the family codex_other.
        let paginated = try Fixture("paginated")
        #expect(paginated.lines.contains { $0.contains(#""limit_id":"codex_other""#) && $0.contains(#""used_percent":77"#) })
        #expect(paginated.state.limits == RateLimits())
    }

    @Test(arguments: ["legacy", "paginated"])
    func aReviewEndsAlthoughItsIdentitiesDiffer(name: String) throws {
        let all = try Fixture(name)
        let reviewEnd = try all.end(of: "task_complete", 4)
        #expect(all.state.lifecycle == .complete(revision: Lines.offset(of: reviewEnd - 1, in: all.lines)))
        let start = try all.end(of: "task_started", 5)
        #expect(all.state.workStart?.revision == Lines.offset(of: start - 1, in: all.lines))
    }

    @Test(arguments: ["review-legacy", "review-paginated"])
    func knowsTheHiddenThreadOfAReview(name: String) throws { #expect(try Fixture(name).meta?.isHelper == true) }

    @Test func aForkIsNamedByItsOwnFirstLine() throws {
        let legacy = try Fixture("fork-legacy")
        #expect(legacy.lines.count { $0.contains(#""type":"session_meta""#) } == 2)
        #expect(legacy.meta?.id == TaskIdentity("01a22a91-455b-7b62-81b0-f9ce7c0ba51e"))
        let paginated = try Fixture("fork-paginated")
        #expect(paginated.meta?.id == TaskIdentity("01a22a91-513c-7ec0-8dd8-dbd5ea049934"))
        #expect(paginated.meta?.isHelper == false)
        #expect(paginated.state.preview == "fork turn")
    }

    @Test func aCommandLeftRunningEndsAfterItsTurn() throws {
        let all = try Fixture("background")
        let end = try all.end(of: "task_complete")
        #expect(all.lines.count == end + 1)
        #expect(all.lines[end].contains("CommandExecution"))
        #expect(all.state == (try Fixture("background", lines: end).state))
        #expect(all.state.lifecycle == .complete(revision: Lines.offset(of: end - 1, in: all.lines)))
    }

    @Test func readsSessionsOfExec() throws {
        let tool = try Fixture("exec-tool")
        #expect(tool.meta?.source == .exec)
        #expect(tool.meta?.originator == "codex_exec")
        let call = try tool.end(of: "function_call")
        #expect(try Fixture("exec-tool", lines: call).state.hasOpenToolCall)
        #expect(try Fixture("exec-tool", lines: tool.end(of: "function_call_output")).state.hasOpenToolCall == false)
        guard case .failed = try Fixture("exec-failed").state.lifecycle else { throw TestFailure() }
        #expect(try Fixture("exec-killed").state.lifecycle == .working)
    }
}
