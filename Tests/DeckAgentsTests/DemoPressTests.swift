import CodexKit
import RelayProtocol
import Testing

@testable import DeckAgents

/// What people do to the demo, and what follows.
struct DemoPressTests {
    /// A task with that title that waits for approval.
    func waiting(_ stand: DemoStand, _ title: String) async throws -> AgentTask {
        try await stand.find(title) { $0.phase == .awaitingApproval && $0.title == title }
    }

    /// Lives on until the turn of a task has ended.
    func end(of task: AgentTask, _ stand: DemoStand) async throws -> AgentTask {
        try await stand.find("the end of \(task.title ?? "")") { $0.identity == task.identity && ($0.phase.isFinished || $0.phase.isFailed) }
    }

    @Test func aYesLetsTheTaskGoOn() async throws {
        let stand = try await DemoStand()
        let task = try await waiting(stand, DemoLife.loginTest.title)
        let asked = stand.time.now
        try await stand.act { try await stand.host.answer(task.identity, approving: true, by: .screen) }
        #expect(stand.task(task.identity)?.phase == .working)
        let after = try await end(of: task, stand)
        #expect(after.phase.isFinished)
        #expect(stand.time.now - asked < DemoTimetable.patience, "it did not wait for the demo's own answer")
        #expect(try await stand.texts(of: task.identity).last == text(DemoLife.loginTest.scenes[0].accepted))
        stand.demo.stop()
    }

    @Test func aNoLeadsAnotherWay() async throws {
        let stand = try await DemoStand()
        let task = try await waiting(stand, DemoLife.loginTest.title)
        try await stand.act { try await stand.host.answer(task.identity, approving: false, by: .screen) }
        let after = try await end(of: task, stand)
        #expect(after.phase.isFinished)
        #expect(try await stand.texts(of: task.identity).last == text(DemoLife.loginTest.scenes[0].declined))
        stand.demo.stop()
    }

    @Test func aNoThatNothingGoesWithoutFails() async throws {
        let stand = try await DemoStand()
        let task = try await waiting(stand, DemoLife.schema.title)
        try await stand.act { try await stand.host.answer(task.identity, approving: false, by: .screen) }
        let after = try await end(of: task, stand)
        #expect(after.phase.isFailed)
        let next = try await stand.find("another turn") { $0.identity == task.identity && $0.phase == .working }
        #expect(next.start?.revision == task.start.map { $0.revision + 1 }, "it lives on")
        stand.demo.stop()
    }

    @Test func nobodyIsAnsweredTwice() async throws {
        let stand = try await DemoStand()
        let task = try await waiting(stand, DemoLife.loginTest.title)
        let approval = try #require(await stand.host.approvals(of: task.identity).first)
        try await stand.act { try await stand.host.answer(approval: approval.id, approving: false, by: .screen) }
        await #expect(throws: AgentHostError.self) { try await stand.host.answer(approval: approval.id, approving: true, by: .demo) }
        await #expect(throws: AgentHostError.self) { try await stand.host.answer(task.identity, approving: true, by: .deck) }
        stand.demo.stop()
    }

    @Test func theDemoAnswersItselfInTheEnd() async throws {
        let stand = try await DemoStand()
        let task = try await waiting(stand, DemoLife.loginTest.title)
        let asked = stand.time.now
        _ = try await stand.find("work") { $0.identity == task.identity && $0.phase == .working }
        #expect(stand.time.now - asked == DemoTimetable.patience)
        stand.demo.stop()
    }

    @Test(arguments: [0, 1]) func aQuestionIsAnsweredWithAnOption(option: Int) async throws {
        let stand = try await DemoStand()
        let task = try await stand.find("a question") { $0.phase == .awaitingResponse }
        #expect(task.title == DemoLife.releaseNotes.title)
        try await stand.act {
            if option == 0 { return try await stand.host.answerQuestion(task.identity) }
            let questions = try #require(stand.demo.configuration.questions)
            #expect(questions.answer(task.identity.uuid, option: option))
        }
        _ = try await end(of: task, stand)
        let scene = DemoLife.releaseNotes.scenes[0]
        #expect(try await stand.texts(of: task.identity).last == text(option == 0 ? scene.accepted : scene.declined))
        stand.demo.stop()
    }

    @Test func aForkLivesByItself() async throws {
        let stand = try await DemoStand()
        let original = try await stand.find("work") { $0.phase == .working && $0.title == DemoLife.importer.title }
        let fork = try await stand.host.fork(original.identity)
        await stand.time.settle(7)
        #expect(DemoNode.title(of: fork) == DemoLife.importer.title + " (fork)")
        _ = try await stand.find("an approval in the fork", sleepers: 7) { $0.identity == fork.identity && $0.phase == .awaitingApproval }
        #expect(stand.task(original.identity)?.phase == .working, "the first is not touched")
        _ = try await stand.find("its end", sleepers: 7) { $0.identity == fork.identity && $0.phase.isFinished }
        _ = try await stand.find("its next turn", sleepers: 7) { $0.identity == fork.identity && $0.phase == .working && $0.start?.revision == 2 }
        stand.demo.stop()
    }

    @Test func aNewTaskComesToLife() async throws {
        let stand = try await DemoStand()
        let new = try await stand.host.newThread(in: "/tmp")
        await stand.time.settle(7)
        #expect(stand.task(new.identity).map { DemoNode.title(of: $0) } == DemoLife.newTask.title)
        let made = stand.time.now
        _ = try await stand.find("work", sleepers: 7) { $0.identity == new.identity && $0.phase == .working }
        #expect(stand.time.now - made == .seconds(8))
        _ = try await stand.find("its end", sleepers: 7) { $0.identity == new.identity && $0.phase.isFinished }
        stand.demo.stop()
    }

    @Test func whoAsksIsToldThatItIsADemo() async throws {
        let stand = try await DemoStand()
        let secret = "What is in my private file?"
        let events = try await stand.host.ask(AgentAsk(text: secret))
        await stand.time.settle(7)
        let reader = Task { () -> [AgentAskEvent] in
            var list: [AgentAskEvent] = []
            for await event in events { list.append(event) }
            return list
        }
        let asked = stand.time.now
        let end = asked + .seconds(4)
        while stand.time.deadlines.contains(where: { $0 < end }) { _ = await stand.step(upTo: end, sleepers: 7) }
        // After its last piece the answer sleeps no more.
        _ = await stand.step(upTo: end, sleepers: 6)
        let list = await reader.value
        let said = list.compactMap { if case .message(let text, _) = $0 { text } else { nil } }.joined()
        #expect(said.contains("demo") && !said.contains(secret))
        #expect(list.last?.isEnd == true)
        #expect(stand.time.now - asked <= .seconds(5))
        let task = try #require(stand.tasks.first { $0.title == secret })
        #expect(DemoNode.title(of: task) == "Demo: a question of yours")
        stand.demo.stop()
    }

    @Test func whatIsArchivedStaysAway() async throws {
        let stand = try await DemoStand()
        let task = try await stand.find("a finished task") { $0.phase.isFinished }
        try await stand.host.archive(task.identity)
        await stand.time.settle(5)
        await stand.live(until: stand.time.now + .seconds(400), sleepers: 5) { #expect(stand.tasks.count == 5) }
        #expect(stand.task(task.identity) == nil)
        stand.demo.stop()
    }

    @Test(arguments: [
        (nil, "Demo: a new task"), ("Demo: write release notes", "Demo: write release notes"),
        ("Demo: write release notes (fork) (fork)", "Demo: write release notes (fork)"),
        ("Side chat: Demo: write release notes", "Demo: write release notes (side chat)"), ("my secret", "Demo: a question of yours"),
        ("Demo: write release notes and my secret", "Demo: a question of yours"), ("my secret Demo: a new task", "Demo: a question of yours"),
        ("", "Demo: a question of yours"),
    ]) func titlesRepeatNothing(title: String?, shown: String) {
        let task = AgentTask(
            identity: TaskIdentity(bytes: [UInt8](repeating: 1, count: 16)), title: title, phase: .idle, activityAt: DemoStand.start, start: nil,
            contextUsedPercent: nil, folder: "/", effort: .medium, model: nil, isArchived: false)
        #expect(DemoNode.title(of: task) == shown)
    }

    @Test func itsToolsTouchNothing() async throws {
        let stage = DemoStage(seed: 1, clock: VirtualClock().clock, now: DemoStand.start)
        let session = AgentThread(id: "x")
        for tool in DemoTools(stage: stage).registrations where tool.definition.approvalPolicy == .automatic {
            let call = ToolInvocation(
                id: "1", threadID: "x", turnID: "y", toolName: tool.definition.name, arguments: ["path": "/etc/passwd"])
            let result = try await tool.executor.execute(invocation: call, context: ToolExecutionContext(thread: session, turnID: "y"))
            #expect(result.primaryText == "This is a demo: nothing was read or run.")
        }
        #expect(DemoTools(stage: stage).registrations.map(\.definition) == HostTools.definitions)
    }

    func text(_ branch: DemoScene.Branch) -> String? { if case .answer(let text) = branch.ending { text } else { nil } }
}
