import CodexKit
import FoundationEssentials
import RelayProtocol
import Testing

@testable import DeckAgents
@testable import DeckNode

/// The node's own agents on the deck of a whole node.
struct NodeServiceAgentsTests {
    @Test("Nothing of the agents is opened before somebody asks, and then their tasks can be acted on")
    func unusedUntilAsked() async throws {
        let node = try await AgentNode()
        #expect(await node.service.agentsState == .unused)
        #expect(!FileManager.default.fileExists(atPath: node.folder("state/codex-deck/agents.sqlite")))
        #expect(await node.service.capabilities == [.agent, .usage])
        let id = try await node.ask("Fix the parser")
        try await node.wait(id, .finished(revision: 1))
        let task = try #require(await node.task(id))
        #expect(task.title == "Fix the parser" && task.origin == .agent && task.ownedByHost && task.contextUsedPercent == 10)
        #expect(await node.service.capabilities == [.agent, .action, .joystick, .encoder, .reasoning, .keycap, .usage])
        #expect(await node.service.agentsState == .open)
        let session = try #require(await node.service.snapshotNow().hostSessions?.first)
        #expect(session.threadID == id && session.completionRevision == 1 && session.workStartRevision == 1)
        await node.stop()
    }

    @Test("Once somebody has signed in the abilities are told, so that no screen has to connect anew in the middle of the first question")
    func abilitiesAfterSignIn() async throws {
        let folder = TestFolder()
        let lock = folder("session.lock")
        let node = try await AgentNode(folder: folder) { $0.secureStore = LockedStore(lockPath: lock) }
        #expect(await node.service.capabilities == [.agent, .usage])
        folder.put("session.lock", "")
        guard case .success = await node.control("reload") else {
            Issue.record("no reload")
            return
        }
        let again = try await AgentNode(folder: folder, runtime: "run2") { $0.secureStore = LockedStore(lockPath: lock) }
        #expect(await again.service.capabilities.contains(.action))
        #expect(await again.service.announced == again.service.capabilities)
        #expect(await again.service.agentsState == .unused)
        await node.stop()
        await again.stop()
    }

    @Test("A file without threads in it changes what clients are told just as it changes what `status` says")
    func announcedWithAnEmptyStore() async throws {
        let folder = TestFolder()
        folder.put("state/codex-deck/agents.sqlite", "")
        let node = try await AgentNode(folder: folder)
        #expect(await node.service.announced == node.service.capabilities)
        #expect(await node.service.announced.contains(.action))
        await node.stop()
    }

    @Test("A press answers the question; whoever asked learns that it was the deck", arguments: [(Keycap.approve, true), (.reject, false)])
    func answers(key: Keycap, approves: Bool) async throws {
        let node = try await AgentNode()
        node.model.add([.run("make")])
        let host = try #require(await node.service.agents)
        var resolutions: [AgentAskEvent] = []
        for await event in try await host.ask(AgentAsk(text: "Build it", folder: node.work)) {
            if case .approvalResolved = event { resolutions.append(event) }
            guard case .approvalRequested(let approval) = event else { continue }
            try await node.wait(approval.thread, .awaitingApproval)
            #expect(await node.open(approval.thread) == nil)
            #expect(await node.press(key) == nil)
            #expect(await node.press(key) != nil)
        }
        guard case .approvalResolved(_, approves, .deck)? = resolutions.first else {
            Issue.record("\(resolutions)")
            return
        }
        #expect(await node.press(key) == RelayError.nothingToApprove)
        await node.stop()
    }

    @Test("Forks and new tasks are selected and stand in the same folder")
    func forkAndNew() async throws {
        let node = try await AgentNode()
        let id = try await node.ask("Fix it")
        try await node.wait(id, .finished(revision: 1))
        _ = await node.open(id)
        #expect(await node.press(.split) == nil)
        let fork = try #require(await node.selected)
        #expect(fork.title == "Fix it (fork)" && fork.identity != id)
        #expect(await node.press(.new) == nil)
        let new = try #require(await node.selected)
        #expect(new.title == "Codex task \(new.identity.uuid.prefix(8))" && new.phase == .idle)
        #expect(await node.service.agentTasks[new.identity]?.folder == node.work)
        await node.stop()
    }

    @Test("A draft, a commit and a review are turns of the agent")
    func prompts() async throws {
        let node = try await AgentNode(settings: #"{"prompts":{"commit":"Commit, please."}}"#)
        let id = try await node.ask("Fix it")
        try await node.wait(id, .finished(revision: 1))
        _ = await node.open(id)
        #expect(await node.press(.codex) == Refusal.noDraft)
        try ComposerDraft(directory: node.folder("state/codex-deck")).save("Now a test.")
        #expect(await node.press(.codex) == nil)
        try await node.wait(id, .finished(revision: 2))
        #expect(node.model.lastQuestion == "Now a test.")
        #expect(await node.press(.codex) == Refusal.noDraft)
        #expect(await node.press(.git) == nil)
        try await node.wait(id, .finished(revision: 3))
        #expect(node.model.lastQuestion == "Commit, please.")
        #expect(await node.press(.diff) == Refusal.noRepository)
        await node.stop()
    }

    @Test("While a task works it is neither asked nor archived")
    func busy() async throws {
        let node = try await AgentNode()
        let id = try await node.ask("Fix it", [.hang])
        try await node.wait(id, .working)
        _ = await node.open(id)
        #expect(await node.press(.git) == RelayError.stillWorking)
        #expect(await node.press(.delete) == RelayError.stillWorking)
        await node.stop()
    }

    @Test("What is archived leaves the deck and comes back when it is asked")
    func archive() async throws {
        let node = try await AgentNode()
        let id = try await node.ask("Fix it")
        try await node.wait(id, .finished(revision: 1))
        _ = await node.open(id)
        #expect(await node.press(.delete) == nil)
        try await node.until { await node.task(id) == nil }
        try await #require(node.service.agents).send("Go on", to: id)
        try await node.wait(id, .finished(revision: 2))
        await node.stop()
    }

    @Test("Keys that mean nothing to an agent say so")
    func refusals() async throws {
        let node = try await AgentNode()
        let id = try await node.ask("Fix it")
        try await node.wait(id, .finished(revision: 1))
        _ = await node.open(id)
        #expect(await node.press(.fast) == Refusal.agentFast)
        #expect(await node.press(.terminal)?.contains("decknode ask --thread \(id.uuid.prefix(8))") == true)
        #expect(await node.answer(.joystick(direction: .up, distance: .press, task: nil)).refusal == Refusal.agentPlan)
        #expect(await node.press(.play) == Refusal.noPlayCommand)
        #expect(await node.press(.mindIncrease) == nil)
        #expect(await node.service.agentTasks[id]?.effort == .high)
        await node.stop()
    }

    @Test("The conversation goes to a file where there is no desktop")
    func markdown() async throws {
        let node = try await AgentNode()
        let id = try await node.ask("What is it?", [.say("A **parser**.")])
        try await node.wait(id, .finished(revision: 1))
        _ = await node.open(id)
        guard case .done(let note?) = await node.answer(.keycap(.download, task: nil)) else {
            Issue.record("no file")
            return
        }
        let name = try #require(note.split(separator: " ").last?.dropLast())
        let found = FileManager.default.enumerator(atPath: node.folder(""))?.compactMap { $0 as? String }.first { $0.hasSuffix(name) }
        let text = String(decoding: try Data(contentsOf: URL(filePath: node.folder(try #require(found)))), as: UTF8.self)
        #expect(text.contains("> What is it?") && text.contains("A **parser**.") && text.contains(node.work))
        await node.stop()
    }

    @Test("What works is stopped by its name, once")
    func stopped() async throws {
        let node = try await AgentNode()
        let id = try await node.ask("Fix it", [.hang])
        try await node.wait(id, .working)
        let host = try #require(await node.service.agents)
        let verbs = AgentVerbs(host: host) { preconditionFailure("nobody signs in or out") }
        let request = ControlRequest("agents.interrupt", ["thread": "Fix it"])
        guard case .success(let task) = await verbs.reply(to: request) else {
            Issue.record("refused")
            return
        }
        #expect(task["id"]?.string == id.uuid)
        try await node.until { [.idle, .finished(revision: 1), .failed(revision: 1)].contains(await node.phase(id)) }
        guard case .failure(let sentence) = await verbs.reply(to: request) else {
            Issue.record("stopped twice")
            return
        }
        #expect(sentence.contains("nothing to stop"))
        await node.stop()
    }

    @Test func hiddenTitlesStayHidden() async throws {
        let node = try await AgentNode(settings: #"{"titles":"hidden"}"#)
        let id = try await node.ask("A secret plan")
        try await node.wait(id, .finished(revision: 1))
        #expect(await node.task(id)?.title == "Codex task \(id.uuid.prefix(8))")
        await node.stop()
    }

    @Test func renameReachesTheDeck() async throws {
        let node = try await AgentNode()
        let id = try await node.ask("Fix it")
        try await node.wait(id, .finished(revision: 1))
        guard case .success = await node.control("rename", ["task": .string(id.uuid), "title": "Better"]) else {
            Issue.record("refused")
            return
        }
        try await node.until { await node.task(id)?.title == "Better" }
        guard case .failure = await node.control("rename", ["task": .string(id.uuid), "title": " "]) else {
            Issue.record("taken")
            return
        }
        await node.stop()
    }

    @Test("After a restart the tasks are there, and the one that was cut off tells so")
    func restart() async throws {
        let folder = TestFolder()
        let first = try await AgentNode(folder: folder)
        let done = try await first.ask("One")
        try await first.wait(done, .finished(revision: 1))
        let cut = try await first.ask("Two", [.hang])
        try await first.until { first.model.requests.count == 2 }
        await first.stop()
        let second = try await AgentNode(folder: folder, runtime: "run2")
        try await second.wait(cut, .failed(revision: 1))
        try await second.wait(done, .finished(revision: 1))
        await second.stop()
    }

    @Test("While another process has the threads the node says so")
    func inUse() async throws {
        let folder = TestFolder()
        folder.put("state/codex-deck/agents.sqlite", "")
        let node = try await AgentNode(folder: folder) { $0.makeStore = { TakenStore() } }
        try await node.until { await node.service.agentsState == .inUse }
        guard case .success(let status) = await node.control("status") else {
            Issue.record("no status")
            return
        }
        #expect(status["sources"]?["agents"]?["state"]?.string == "inUse")
        await node.stop()
    }
}

/// A store that leaves a lock behind; nobody is signed in.
private struct LockedStore: SessionSecureStoring {
    let lockPath: String?
    func loadSession() async throws -> ChatGPTSession? { nil }
    func saveSession(_ session: ChatGPTSession) async throws {}
    func deleteSession() async throws {}
}

private struct TakenStore: RuntimeStateStoring {
    private var taken: AgentRuntimeError { AgentRuntimeError(code: .stateStoreInUse, message: "The threads are in use.") }
    func load() async throws -> RuntimeStateSummary { throw taken }
    func apply(_ changes: [RuntimeStateChange]) async throws { throw taken }
    func history(of threadID: String, matching query: AgentHistoryQuery) async throws -> [AgentHistoryRecord] { throw taken }
    func turns(of threadID: String) async throws -> [AgentTurn] { throw taken }
    func contextState(of threadID: String) async throws -> AgentContextState? { throw taken }
}

extension AgentNode {
    var selected: DeckTask? { get async { await service.selectedNow() } }
}

extension NodeService {
    fileprivate func selectedNow() -> DeckTask? { deck.selectedTask(now: environment.now()) }
    fileprivate func snapshotNow() -> Snapshot { deck.snapshot(now: environment.now()) }
}
