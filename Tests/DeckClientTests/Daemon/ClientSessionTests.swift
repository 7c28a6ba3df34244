import EventLoop
import Files
import Foundation
import Relay
import RelayProtocol
import Testing

@testable import DeckClient

/// Engines, and those who look at them, over their real sockets.
struct ClientSessionTests {
    private static func isLive(_ state: ClientState) -> Bool { state.board.computers.contains(where: \.isLive) }

    @Test func oneRunsTheEngineAndTheOthersLookAtIt() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(0, 1, .working, title: "One")])
        let first = try await lab.session(.lasting)
        let second = try await lab.session(.once)
        let third = try await lab.session(.dashboard)
        #expect(await first.session.isEngine)
        #expect(await !second.session.isEngine)
        #expect(await !third.session.isEngine)
        let seen = try await first.wait("the task") { $0.board.task(Lab.task(1)) != nil }
        let mirrored = try await third.wait("the task") { $0.board == seen.board || $0.board.task(Lab.task(1)) != nil }
        #expect(mirrored.nodes.map(\.profile) == seen.nodes.map(\.profile))
        #expect(mirrored.board.slots.first??.title == "One")
        for viewer in [third, second, first] { await viewer.end() }
    }

    @Test func whatHappensReachesEveryoneOnce() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(0, 1, .working)])
        let engine = try await lab.session(.lasting)
        let other = try await lab.session(.lasting)
        try await other.wait("the node", until: Self.isLive)
        try await lab.node.show([Lab.slot(0, 1, .approval)])
        let state = try await other.wait("the event") { $0.attention.count == 1 }
        #expect(state.unreadCount == 1)
        #expect(state.attention[0].kind == .approval)
        await other.session.apply(.mark([state.attention[0].id], read: true))
        try await engine.wait("the mark") { $0.unreadCount == 0 && $0.attention.count == 1 }
        try await other.wait("the mark") { $0.unreadCount == 0 }
        await other.end()
        await engine.end()
        // The next engine knows it and does not tell it again.
        let next = try await lab.session(.lasting)
        let kept = try await next.wait("the node", until: Self.isLive)
        #expect(kept.attention == (await next.session.state).attention)
        #expect(kept.attention.map(\.id) == [1])
        #expect(kept.attention[0].isRead)
        await next.end()
    }

    @Test func commandsOfAnotherProcessAreCarriedOut() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(0, 2, .idle), Lab.slot(3, 1, .complete)], sessions: [Lab.session(1, .complete, revision: 5)])
        let engine = try await lab.session(.lasting)
        let other = try await lab.session(.once)
        try await other.wait("the node", until: Self.isLive)
        #expect(await other.session.perform(.open(Lab.task(1))) == .stateConfirmed)
        #expect(await other.session.perform(.open(Lab.task(1))) == .alreadyOpen)
        #expect(await other.session.perform(.control(.keycap(.bug), .selected)) == .rejected("Not this key."))
        #expect(await other.session.perform(.control(.resetLimit, .host(Lab.hostID(1)))) == .executed)
        #expect(await other.session.perform(.control(.encoder, .task(Lab.task(9)))) == .missingTask)
        let state = try await engine.wait("the receipts") { $0.receipts.count == 5 }
        #expect(state.receipts.map(\.action) == ["dial", "reset limit", "BUG", "open", "open"])
        #expect(state.receipts.map(\.isFailure) == [true, false, true, false, false])
        // Opening it acknowledged the completion.
        #expect(state.board.task(Lab.task(1))?.meaning == .idle)
        let presses = try await lab.node.presses
        #expect(presses == [.agent(slot: 3, threadKey: try #require(TaskKey(Lab.key(1))), phase: .press), .keycap(.bug, task: nil), .rateLimitReset])
        await other.end()
        await engine.end()
    }

    @Test func aKeyThatIsHeldIsLetGoWhenTheEngineEnds() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(3, 1, .working)])
        let engine = try await lab.session(.lasting)
        let other = try await lab.session(.once)
        try await other.wait("the node", until: Self.isLive)
        let outcome = Task { await other.session.perform(.control(.lowerKey(.act10And11), .selected)) }
        var arrivals = lab.node.arrivals.makeAsyncIterator()
        #expect(await arrivals.next() == .action(slot: .act10And11, phase: .press, task: nil))
        await engine.end()
        #expect(await arrivals.next() == .action(slot: .act10And11, phase: .release, task: nil))
        #expect([.interrupted, .executed].contains(await outcome.value))
        await other.end()
        // What was told of it is kept, with an end.
        let next = try await lab.session(.lasting)
        try await next.wait("the receipt") { $0.receipts.map(\.isFinished) == [true] }
        #expect(await next.session.perform(.control(.encoder, .selected)) != .notSent(name: "the engine"))
        await next.end()
        #expect(await next.session.perform(.control(.encoder, .selected)) == .notSent(name: "the engine"))
    }

    @Test func aReceiptThatWasLeftOpenHasAnEnd() async throws {
        let lab = try await SessionLab()
        let first = try await lab.session(.lasting)
        try await first.wait("the node", until: Self.isLive)
        #expect(await first.session.perform(.control(.encoder, .selected)) == .executed)
        await first.end()
        try await lab.leaveOpen(1)
        let second = try await lab.session(.lasting)
        let state = try await second.wait("the receipt") { $0.receipts.count == 1 }
        guard case .finished(.failure, let word, _)? = state.receipts.first?.step else { return #expect(Bool(false), "it has an end") }
        #expect(word == "unknown")
        await second.end()
        #expect(try await lab.keptReceipts().map(\.isFinished) == [true])
    }

    @Test func whoLooksTakesOverWhenTheEngineEnds() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(0, 1, .working)])
        let engine = try await lab.session(.lasting)
        let other = try await lab.session(.dashboard)
        try await other.wait("the node", until: Self.isLive)
        try await lab.node.show([Lab.slot(0, 1, .approval)])
        try await other.wait("the event") { $0.attention.count == 1 }
        await engine.end()
        for _ in 0..<1000 where await !other.session.isEngine { try await Task.sleep(for: .milliseconds(10)) }
        #expect(await other.session.isEngine)
        try await other.wait("the node again", until: Self.isLive)
        try await lab.node.show([Lab.slot(0, 1, .awaitingResponse)])
        let state = try await other.wait("the next event") { $0.attention.count == 2 }
        #expect(state.attention.map(\.kind) == [.response, .approval])
        #expect(state.attention.map { $0.endedAt == nil } == [true, false])
        await other.end()
    }

    @Test func theDaemonWaitsForItsTurn() async throws {
        let lab = try await SessionLab()
        let engine = try await lab.session(.lasting)
        let daemon = Viewer(try ClientSession(.daemon, environment: lab.environment))
        let starting = Task { try await daemon.start() }
        try await Task.sleep(for: .milliseconds(300))
        #expect(await !daemon.session.isEngine)
        await engine.end()
        try await starting.value
        #expect(await daemon.session.isEngine)
        await daemon.end()
    }

    @Test func commandsOfOneMomentDoNotWriteTogether() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(0, 1, .working)])
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let viewer = try await lab.session(.once)
                    let tasks = await viewer.session.settled(within: .seconds(5)).board.tasks.count
                    await viewer.end()
                    return tasks
                }
            }
            for try await tasks in group { #expect(tasks == 1) }
        }
    }

    @Test func theFollowedTaskIsKept() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(0, 1, .working, title: "One")])
        let engine = try await lab.session(.lasting)
        let other = try await lab.session(.once)
        await other.session.apply(.follow(Lab.task(1)))
        try await other.wait("the followed task") { $0.follow?.isLive == true && $0.follow?.title == "One" }
        await other.end()
        await engine.end()
        let next = try await lab.session(.lasting)
        try await next.wait("the followed task") { $0.follow?.isLive == true }
        await next.session.apply(.follow(nil))
        try await next.wait("no followed task") { $0.follow == nil }
        await next.end()
    }

    @Test func settingsReachEveryone() async throws {
        let lab = try await SessionLab()
        let engine = try await lab.session(.lasting)
        let other = try await lab.session(.lasting)
        try lab.store.updateSettings { $0.set(try #require(ClientSetting.named("layout")), to: "review") }
        await ClientSession.tell(.settings, environment: lab.environment)
        try await engine.wait("the layout") { $0.lowerKeys.first?.keycap == .diff }
        try await other.wait("the layout") { $0.lowerKeys.first?.keycap == .diff }
        try await other.session.change { $0.set(try #require(ClientSetting.named("bell")), to: true) }
        try await engine.wait("the bell") { $0.settings.bell }
        await other.end()
        await engine.end()
    }

    @Test func nodesComeAndGoWhileTheEngineRuns() async throws {
        let lab = try await SessionLab()
        let engine = try await lab.session(.lasting)
        try await engine.wait("the node", until: Self.isLive)
        let profile = try #require(try lab.store.profiles().profiles.first)
        try await lab.store.remove(profile)
        await ClientSession.tell(.profiles(renewed: nil), environment: lab.environment)
        try await engine.wait("no node") { $0.nodes.isEmpty && $0.board.computers.isEmpty }
        await engine.end()
    }

    @Test func aTaskIsShownInTheDashboardThatIsOpen() async throws {
        let lab = try await SessionLab()
        let engine = try await lab.session(.lasting)
        let dashboard = try await lab.session(.dashboard)
        let (shown, continuation) = AsyncStream<TaskIdentity>.makeStream()
        await dashboard.session.observeShow { continuation.yield($0) }
        await ClientSession.tell(.show(Lab.task(4)), environment: lab.environment)
        var iterator = shown.makeAsyncIterator()
        #expect(await iterator.next() == Lab.task(4))
        await dashboard.end()
        await engine.end()
    }

    @Test func nonsenseOnTheSocketHurtsNobody() async throws {
        let lab = try await SessionLab()
        let engine = try await lab.session(.lasting)
        let loop = try EventLoop(name: "raw")
        defer { loop.shutdown() }
        for text in ["x\n", "{}\n", String(repeating: "y", count: 70_000), "\n\n"] {
            let socket = try await StreamSocket.connect(to: SocketAddress(unixPath: lab.store.socketPath), timeout: .seconds(5), on: loop)
            let reason = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
                loop.execute {
                    socket.onClose = { _ in done.resume(returning: true) }
                    socket.start()
                    socket.write(Array(text.utf8))
                }
            }
            #expect(reason)
        }
        let other = try await lab.session(.once)
        try await other.wait("the node", until: Self.isLive)
        await other.end()
        await engine.end()
    }

    @Test func theStateForWidgetsFollows() async throws {
        let lab = try await SessionLab()
        try await lab.node.show([Lab.slot(0, 1, .working, title: "One")])
        let engine = try await lab.session(.lasting)
        try await engine.wait("the task") { $0.board.task(Lab.task(1)) != nil }
        func widget() -> WidgetState? {
            (try? File.read(lab.store.widgetPath, limit: WidgetState.maximumBytes)).flatMap { WidgetState(decoding: $0) }
        }
        for _ in 0..<500 where widget()?.slots.first??.title != "One" { try await Task.sleep(for: .milliseconds(10)) }
        #expect(widget()?.slots.first??.status == .working)
        let text = String(decoding: try File.read(lab.store.widgetPath, limit: 65_536), as: UTF8.self)
        #expect(!text.contains(ScriptedNode.token))
        #expect(!text.contains("127.0.0.1"))
        await engine.end()
    }

    @Test func nothingSecretIsOnTheSocketOrInTheFiles() async throws {
        let lab = try await SessionLab()
        let engine = try await lab.session(.lasting)
        try await engine.wait("the node", until: Self.isLive)
        await engine.end()
        let files = FileManager.default.enumerator(atPath: lab.folder)?.compactMap { $0 as? String } ?? []
        #expect(files.contains { $0.hasSuffix("events.db") })
        for file in files where !file.contains("/secrets/") {
            guard let content = FileManager.default.contents(atPath: lab.folder + "/" + file) else { continue }
            #expect(content.range(of: Data(ScriptedNode.token.utf8)) == nil, "\(file)")
        }
        #expect(!lab.log.all.joined().contains(ScriptedNode.token))
    }
}
