import CodexKit
import RelayProtocol
import Testing

@testable import DeckAgents

/// Calls that wait for a person, on a host whose tools run nothing.
struct AgentHostApprovalTests {
    private static let call = FakeModel.Step.call("run_command", #"{"command":"make test"}"#)

    private func fixture(_ scripts: [[FakeModel.Step]], time: StandingTime? = nil) throws -> HostFixture {
        try HostFixture(scripts) { configuration in
            if let time { configuration.now = { time.now } }
            configuration.tools = HostTools.definitions.map { definition in
                AgentRuntime.ToolRegistration(
                    definition: definition, executor: AnyToolExecutor { call, _ in .success(invocation: call, text: "pretended") })
            }
        }
    }

    @Test(arguments: [true, false])
    func answerFromADeckIsToldToTheAsker(approving: Bool) async throws {
        let fixture = try fixture([[Self.call], [.say("fine")]])
        var events: [AgentAskEvent] = []
        for await event in try await fixture.ask("Test it") {
            events.append(event)
            if case .approvalRequested(let approval) = event {
                #expect(await fixture.host.task(approval.thread)?.phase == .awaitingApproval)
                try await fixture.host.answer(approval.thread, approving: approving, by: .screen)
            }
        }
        let approval = try #require(events.approvals.first)
        #expect(approval.lines.contains("$ make test") && approval.lines[0].contains(fixture.folder.work))
        #expect(events.contains(.approvalResolved(id: approval.id, approved: approving, by: .screen)))
        #expect(events.finishedTools.map(\.succeeded) == [approving])
        #expect(fixture.changes.phases(approval.thread) == [.working, .awaitingApproval, .working, .finished(revision: 1)])
    }

    @Test("The first of many answers counts, and all others learn it")
    func firstAnswerWins() async throws {
        let fixture = try fixture([[Self.call]])
        var won = 0, lost = 0
        for await event in try await fixture.ask("Test it") {
            guard case .approvalRequested(let approval) = event else { continue }
            await withTaskGroup(of: String?.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        await failure { try await fixture.host.answer(approval: approval.id, approving: number % 2 == 0, by: .terminal) }?.code
                    }
                }
                for await code in group { if code == nil { won += 1 } else if code == "answered_elsewhere" { lost += 1 } }
            }
        }
        #expect(won == 1 && lost == 15)
    }

    @Test("A key that is pressed as a question takes the place of another one was meant for that one")
    func quickSecondPress() async throws {
        let time = StandingTime()
        let fixture = try fixture([[Self.call], [Self.call], [.say("fine")]], time: time)
        var count = 0
        for await event in try await fixture.ask("Test it") {
            guard case .approvalRequested(let approval) = event else { continue }
            count += 1
            // Nothing was there before the first one.
            guard count == 2 else {
                try await fixture.host.answer(approval.thread, approving: true, by: .screen)
                continue
            }
            for step in [0, 999] as [Int64] {
                time.move(milliseconds: step)
                let refusal = await failure { try await fixture.host.answer(approval.thread, approving: true, by: .screen) }
                #expect(refusal?.code == "answered_elsewhere")
            }
            #expect(await fixture.host.approvals().map(\.id) == [approval.id])
            time.move(milliseconds: 1)
            try await fixture.host.answer(approval.thread, approving: true, by: .screen)
        }
        #expect(count == 2)
    }

    @Test("Who names the question, or presses after a clock was set back, is not refused", arguments: [true, false])
    func quickAnswerToTheRightQuestion(named: Bool) async throws {
        let time = StandingTime()
        let fixture = try fixture([[Self.call], [Self.call], [.say("fine")]], time: time)
        var events: [AgentAskEvent] = []
        for await event in try await fixture.ask("Test it") {
            events.append(event)
            guard case .approvalRequested(let approval) = event else { continue }
            if named {
                try await fixture.host.answer(approval: approval.id, approving: true, by: .terminal)
            } else {
                time.move(milliseconds: -1)
                try await fixture.host.answer(approval.thread, approving: true, by: .deck)
            }
        }
        #expect(events.finishedTools.map(\.succeeded) == [true, true])
    }

    @Test func nothingPendingIsSaid() async throws {
        let fixture = try fixture([])
        let id = try #require(try await fixture.answer("Hello").thread)
        let error = await failure { try await fixture.host.answer(id, approving: true, by: .deck) }
        #expect(error == AgentHostError(code: "nothing_pending", RelayError.nothingToApprove))
    }

    @Test("A stopped turn takes its question with it")
    func stopTakesTheQuestion() async throws {
        let fixture = try fixture([[Self.call]])
        var id = ""
        var last: AgentAskEvent?
        for await event in try await fixture.ask("Test it") {
            last = event
            guard case .approvalRequested(let approval) = event else { continue }
            id = approval.id
            Task { await fixture.host.stop(approval.thread) }
        }
        #expect(last == .interrupted)
        #expect(await fixture.host.approvals().isEmpty)
        await #expect(throws: AgentHostError.self) { try await fixture.host.answer(approval: id, approving: true, by: .terminal) }
        let next = try await fixture.crashed()
        try await next.host.openIfUsed()
        #expect(await next.host.approvals().isEmpty)
        #expect(await next.host.tasks().first?.phase == .idle)
    }
}
