import CodexKit
import RelayProtocol
import Testing

@testable import DeckAgents

/// What a host finds that was killed in the middle of things.
struct AgentHostCrashTests {
    @Test("A turn that was cut off is told as a failure, with a revision that the next end does not share")
    func cutTurnIsAFailure() async throws {
        let fixture = try HostFixture([[.say("one")], [.say("half"), .hang]])
        let id = try #require(try await fixture.answer("First").thread)
        _ = try await fixture.ask("Second", thread: id, detached: true)
        try await eventually { fixture.model.requests.count == 2 }
        let next = try await fixture.crashed([[.say("three")]])
        try await next.host.openIfUsed()
        #expect(await next.host.task(id)?.phase == .failed(revision: 2))
        #expect(next.changes.all.count == 1)
        _ = try await next.answer("Third", thread: id)
        #expect(await next.host.task(id)?.phase == .finished(revision: 3))
    }

    @Test("An empty ask goes on with what was cut off, and its end has a revision of its own")
    func goesOn() async throws {
        let fixture = try HostFixture([[.hang]])
        _ = try await fixture.ask("First", detached: true)
        try await eventually { fixture.model.requests.count == 1 }
        let next = try await fixture.crashed([[.say("whole")]])
        try await next.host.openIfUsed()
        let id = try #require(await next.host.tasks().first?.identity)
        #expect(await next.host.task(id)?.phase == .failed(revision: 1))
        let events = try await next.answer("", thread: id)
        #expect(events.text == "whole")
        #expect(await next.host.task(id)?.phase == .finished(revision: 2))
        // Nothing is left to go on with.
        await #expect(throws: AgentHostError.self) { _ = try await next.ask("", thread: id) }
        let third = try await next.crashed()
        try await third.host.openIfUsed()
        #expect(await third.host.task(id)?.phase == .finished(revision: 2))
    }

    @Test("A question outlives the process; its answer lets the turn go on", arguments: [true, false])
    func questionOutlives(approving: Bool) async throws {
        let fixture = try HostFixture([[.call("run_command", #"{"command":"touch made"}"#)]])
        _ = try await fixture.ask("Make it", detached: true)
        try await eventually { await !fixture.host.approvals().isEmpty }
        let next = try await fixture.crashed([[.say("done")]])
        try await next.host.openIfUsed()
        let id = try #require(await next.host.tasks().first?.identity)
        #expect(await next.host.task(id)?.phase == .awaitingApproval)
        try await next.host.answer(id, approving: approving, by: .screen)
        try await eventually { await next.host.task(id)?.phase == .finished(revision: 2) }
        #expect(next.model.requests.count == 1)
        #expect(next.changes.phases(id) == [.awaitingApproval, .working, .finished(revision: 2)])
        // The folder of the thread is the first fixture's.
        #expect(fixture.folder.exists("work/made") == approving)
    }

    @Test("Whoever answers without a session is told, and the question stays")
    func answerNeedsSession() async throws {
        let fixture = try HostFixture([[.call("run_command", #"{"command":"true"}"#)]])
        _ = try await fixture.ask("Do it", detached: true)
        try await eventually { await !fixture.host.approvals().isEmpty }
        let next = try await fixture.crashed(isSignedIn: false)
        try await next.host.openIfUsed()
        let id = try #require(await next.host.tasks().first?.identity)
        await #expect(throws: AgentHostError.self) { try await next.host.answer(id, approving: true, by: .screen) }
        #expect(await next.host.task(id)?.phase == .awaitingApproval)
    }

    @Test("Closing is no wish of the owner: the turn counts as cut off")
    func closingCutsOff() async throws {
        let fixture = try HostFixture([[.hang]])
        _ = try await fixture.ask("First", detached: true)
        try await eventually { fixture.model.requests.count == 1 }
        await fixture.host.close()
        try await eventually { await fixture.host.tasks().first?.phase == .failed(revision: 1) }
    }
}
