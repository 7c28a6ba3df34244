import CodexKit
import RelayProtocol
import Synchronization
import Testing

@testable import DeckAgents

/// Other settings and other sessions while something goes on.
@Suite(.timeLimit(.minutes(1)))
struct AgentHostSessionTests {
    private static let call = FakeModel.Step.call("run_command", #"{"command":"true"}"#)

    private func signedOut(_ fixture: HostFixture) -> AgentHost.Configuration {
        var configuration = fixture.configuration
        configuration.externalSession = nil
        configuration.secureStore = InMemorySessionStore(session: nil)
        return configuration
    }

    private func otherModel(_ fixture: HostFixture) -> AgentHost.Configuration {
        var configuration = fixture.configuration
        configuration.backend = FakeModel(model: "gpt-5.9")
        return configuration
    }

    private func model(of host: AgentHost) async -> String { await host.configuration.backend.defaultModel }

    @Test("What comes while a question begins is taken after its turn, and the turn can be answered")
    func reconfiguresAfterAnAskThatBegins() async throws {
        let session = SlowSession()
        let fixture = try HostFixture([[Self.call], [.say("done")]]) { $0.externalSession = session }
        let asking = Task { try await fixture.ask("Go") }
        try await session.entered.wait()
        await fixture.host.reconfigure(otherModel(fixture))
        #expect(await model(of: fixture.host) == "gpt-5.4")
        session.gate.open()
        var last: AgentAskEvent?
        for await event in try await asking.value {
            last = event
            guard case .approvalRequested(let approval) = event else { continue }
            try await fixture.host.answer(approval: approval.id, approving: false, by: .terminal)
        }
        #expect(last == .completed(nil))
        try await eventually { await model(of: fixture.host) == "gpt-5.9" }
    }

    @Test func reconfiguresAfterAThreadThatBegins() async throws {
        let session = SlowSession()
        let fixture = try HostFixture { $0.externalSession = session }
        let beginning = Task { try await fixture.host.newThread(in: fixture.folder.work) }
        try await session.entered.wait()
        await fixture.host.reconfigure(otherModel(fixture))
        #expect(await model(of: fixture.host) == "gpt-5.4")
        session.gate.open()
        let task = try await beginning.value
        try await eventually { await model(of: fixture.host) == "gpt-5.9" }
        #expect(try await fixture.answer("Hello", thread: task.identity).last == .completed(nil))
    }

    @Test("The answer that lets a turn go on takes it on with the session that it was given with")
    func reconfiguresAfterAnAnswer() async throws {
        let former = try HostFixture([[Self.call]])
        _ = try await former.ask("Go", detached: true)
        try await eventually { await !former.host.approvals().isEmpty }
        let session = SlowSession()
        let next = try await former.crashed([[.say("done")]]) { $0.externalSession = session }
        try await next.host.openIfUsed()
        let approval = try #require(await next.host.approvals().first)
        let answering = Task { try await next.host.answer(approval: approval.id, approving: false, by: .screen) }
        try await session.entered.wait()
        await next.host.reconfigure(otherModel(next))
        #expect(await model(of: next.host) == "gpt-5.4")
        session.gate.open()
        try await answering.value
        try await eventually { await model(of: next.host) == "gpt-5.9" }
        #expect(await next.host.task(approval.thread)?.phase == .finished(revision: 2))
    }

    @Test("An answer counts too when somebody lets the turn go on at the same time")
    func answersWhileTheTurnGoesOn() async throws {
        let former = try HostFixture([[Self.call]])
        _ = try await former.ask("Go", detached: true)
        try await eventually { await !former.host.approvals().isEmpty }
        let session = SlowSession()
        let next = try await former.crashed([[.say("done")]]) { $0.externalSession = session }
        try await next.host.openIfUsed()
        let approval = try #require(await next.host.approvals().first)
        let answering = Task { try await next.host.answer(approval: approval.id, approving: false, by: .screen) }
        try await session.entered.wait()
        let resuming = Task { try await next.answer("", thread: approval.thread) }
        try await eventually { await next.host.task(approval.thread)?.phase == .awaitingApproval && session.waiting == 2 }
        session.gate.open()
        try await answering.value
        #expect(try await resuming.value.last == .completed(nil))
        #expect(next.model.requests.count == 1)
    }

    @Test("Whoever signs out stops what waits; nothing is asked or answered in their name any more")
    func signingOutStops() async throws {
        let fixture = try HostFixture([[Self.call]])
        var events: [AgentAskEvent] = []
        for await event in try await fixture.ask("Go") {
            events.append(event)
            if case .approvalRequested = event { Task { await fixture.host.endSession(signedOut(fixture)) } }
        }
        #expect(events.last == .interrupted)
        let approval = try #require(events.approvals.first)
        #expect(await failure { _ = try await fixture.ask("More") }?.needsSignIn == true)
        #expect(await failure { _ = try await fixture.ask("More", thread: approval.thread) }?.needsSignIn == true)
        await #expect(throws: AgentHostError.self) { try await fixture.host.answer(approval: approval.id, approving: true, by: .terminal) }
        try await eventually { await !fixture.host.approvals().isEmpty }
        await #expect(throws: AgentHostError.self) { try await fixture.host.answer(approval.thread, approving: true, by: .screen) }
        #expect(fixture.model.requests.count == 1)
        // Whoever signs in again can go on.
        await fixture.host.reconfigure(fixture.configuration)
        fixture.model.add([.say("done")])
        try await fixture.host.answer(approval.thread, approving: false, by: .screen)
        try await eventually { await fixture.host.task(approval.thread)?.phase == .finished(revision: 2) }
    }

    @Test("What begins just then is stopped as well, and what comes after it refused")
    func signingOutStopsWhatBegins() async throws {
        let session = SlowSession()
        let fixture = try HostFixture([[.hang]]) { $0.externalSession = session }
        let asking = Task { try await fixture.answer("Go") }
        try await session.entered.wait()
        await fixture.host.endSession(signedOut(fixture))
        #expect(await failure { _ = try await fixture.ask("More") }?.needsSignIn == true)
        #expect(await failure { _ = try await fixture.host.newThread(in: fixture.folder.work) }?.needsSignIn == true)
        session.gate.open()
        #expect(try await asking.value.last == .interrupted)
        try await eventually { await fixture.host.configuration.externalSession == nil }
        #expect(await failure { _ = try await fixture.ask("More") }?.needsSignIn == true)
    }

    @Test func signingOutBeforeAnythingWasAskedIsNothing() async throws {
        let fixture = try HostFixture()
        await fixture.host.endSession(fixture.configuration)
        #expect(try await fixture.answer("Hello").last == .completed(nil))
    }
}

/// A session that is looked up until the gate opens.
private final class SlowSession: ExternalSessionProviding {
    let gate = Gate(), entered = Gate()
    private let count = Mutex(0)
    /// How often it was looked up.
    var waiting: Int { count.withLock { $0 } }

    func externalSession() async throws -> ChatGPTSession {
        count.withLock { $0 += 1 }
        entered.open()
        try await gate.wait()
        return HostFixture.session
    }
}
