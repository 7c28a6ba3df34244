import EventLoop
import Glibc
import JSON
import Testing

@testable import CodexAppServer

struct AppServerLinkTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/s" }

    @Test func theSocketIsWhereTheCLIPutsIt() {
        #expect(AppServerLink.socketPath(codexHome: "/home/x/.codex") == "/home/x/.codex/app-server-control/app-server-control.sock")
    }

    @Test func connectsAndPassesEventsOn() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, on: loop)
            let lab = await LinkLab.start(path, on: loop)
            await lab.wait { $0.connected.count == 1 }
            #expect(await lab.run { $0.log } == ["ready 0.163.0", "connected 0.163.0"])
            #expect(await lab.holds { $0.link.ready != nil })
            await daemon.say(#"{"method":"thread/archived","params":{"threadId":"\#(thread.uuid)"}}"#)
            await lab.wait { $0.events == [.archived(thread)] }
        }
    }

    @Test func waitsForADaemonThatStartsLater() async throws {
        try await withLoop { loop in
            let lab = await LinkLab.start(path, on: loop)
            // Some looks that find nothing are no news.
            for _ in 0..<3 { await lab.run { _ in } }
            #expect(await lab.holds { $0.log.isEmpty && $0.link.condition == .waiting(.absent) && $0.link.ready == nil })
            _ = try await FakeDaemon.start(path, on: loop)
            await lab.wait { $0.connected.count == 1 }
            #expect(await lab.run { $0.log } == ["ready 0.163.0", "connected 0.163.0"])
        }
    }

    @Test func aLeftoverIsNoDaemon() async throws {
        try await withLoop { loop in
            leaveDeadSocket(path)
            let lab = await LinkLab.start(path, on: loop)
            await lab.wait { $0.log == ["\(TransportEnd.refused)"] }
            _ = try await FakeDaemon.start(path, on: loop)  // replaces it, as the CLI does
            await lab.wait { $0.connected.count == 1 }
        }
    }

    /// The official socket's path is a link to another path, which may change with each daemon.
    @Test func followsTheLinkToTheNextDaemon() async throws {
        try await withLoop { loop in
            let first = try await FakeDaemon.start(folder.path + "/a", userAgent: "x/0.149.0 (y)", on: loop)
            #expect(symlink(first.path, path) == 0)
            let lab = await LinkLab.start(path, on: loop)
            await lab.wait { $0.connected == ["0.149.0"] }
            await first.die(leavingFile: true)
            await lab.wait { $0.link.condition == .waiting(.refused) }
            #expect(unlink(path) == 0)
            await lab.wait { $0.link.condition == .waiting(.absent) }
            _ = try await FakeDaemon.start(folder.path + "/b", on: loop)
            #expect(symlink(folder.path + "/b", path) == 0)
            await lab.wait { $0.connected == ["0.149.0", "0.163.0"] }
        }
    }

    /// The old daemon lives on for those who are connected to it, and nobody new comes to it.
    @Test func movesToADaemonThatTakesThePlace() async throws {
        try await withLoop { loop in
            let first = try await FakeDaemon.start(folder.path + "/a", userAgent: "x/0.149.0 (y)", on: loop)
            _ = try await FakeDaemon.start(folder.path + "/b", on: loop)
            #expect(symlink(first.path, path) == 0)
            let lab = await LinkLab.start(path, on: loop)
            await lab.wait { $0.connected == ["0.149.0"] }
            #expect(unlink(path) == 0)
            // A path that leads nowhere is no reason to leave a daemon that answers.
            for _ in 0..<3 { await lab.run { _ in } }
            #expect(await lab.holds { $0.link.ready != nil })
            #expect(symlink(folder.path + "/b", path) == 0)
            await lab.wait { $0.connected == ["0.149.0", "0.163.0"] }
            await first.wait { $0.closed == 1 }
        }
    }

    /// A unix socket's path has little room, and a home folder may be deep.
    @Test func theLinkMayBeLongerThanASocketsPath() async throws {
        try await withLoop { loop in
            let deep = folder.path + "/" + String(repeating: "long-", count: 30)
            #expect(mkdir(deep, 0o700) == 0)
            let long = deep + "/s"
            #expect(long.utf8.count > SocketAddress.maximumPathLength)
            _ = try await FakeDaemon.start(folder.path + "/a", on: loop)
            #expect(symlink(folder.path + "/a", long) == 0)
            let lab = await LinkLab.start(long, on: loop)
            await lab.wait { $0.connected.count == 1 }
        }
    }

    @Test func aSocketWhosePathIsTooLongIsSaidSo() async throws {
        try await withLoop { loop in
            let deep = folder.path + "/" + String(repeating: "long-", count: 30)
            #expect(mkdir(deep, 0o700) == 0)
            let descriptor = open(deep + "/s", O_CREAT | O_WRONLY, 0o600)
            #expect(close(descriptor) == 0)
            let lab = await LinkLab.start(deep + "/s", on: loop)
            await lab.wait { !$0.log.isEmpty }
            #expect(await lab.run { $0.log[0] }.contains("choose a shorter folder"))
        }
    }

    /// Neither a connection that is made and dropped, nor one that even shakes hands, is a reason to come back at full speed.
    @Test(arguments: [FakeDaemon.Manner.closesAtOnce, .closesAfterHandshake, .says(bytes("nonsense\r\n\r\n"))])
    func aDaemonInTroubleIsAskedLessAndLess(manner: FakeDaemon.Manner) async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, manner, on: loop)
            let lab = await LinkLab.start(path, on: loop)
            await daemon.wait { $0.accepted >= 6 }
            #expect(await lab.run { $0.link.failures } >= 5)
        }
    }

    @Test func aConnectionThatLastedIsAGoodOne() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, .closesAfterHandshake, on: loop)
            let lab = await LinkLab.start(path, on: loop) { $0.lasting = .zero }
            await daemon.wait { $0.accepted >= 5 }
            #expect(await lab.run { $0.link.failures } <= 1)
        }
    }

    @Test func anOutageIsOnePieceOfNews() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, .says(bytes("HTTP/1.1 404 Not Found\r\n\r\n")), on: loop)
            let lab = await LinkLab.start(path, on: loop)
            await daemon.wait { $0.accepted >= 4 }
            #expect(await lab.run { $0.log.count } == 1)
        }
    }

    @Test func afterTheStopNothingIsHeard() async throws {
        try await withLoop { loop in
            let daemon = try await FakeDaemon.start(path, on: loop)
            let lab = await LinkLab.start(path, on: loop)
            await lab.wait { $0.connected.count == 1 }
            let result = await withCheckedContinuation { done in
                loop.execute {
                    lab.link.ready?.call(.loadedThreads()) { done.resume(returning: $0) }
                    lab.link.stop()
                }
            }
            #expect(result == .failure(.disconnected))
            await daemon.wait { $0.closed == 1 }
            for _ in 0..<3 { await lab.run { _ in } }
            #expect(await lab.holds { $0.link.ready == nil && $0.log.count == 2 })
            await daemon.wait { $0.accepted == 1 }
        }
    }
}

/// A link that is in a hurry, and what was heard of it. `@unchecked Sendable`: used on its loop only.
private final class LinkLab: @unchecked Sendable {
    let link: AppServerLink
    private(set) var log: [String] = []
    private(set) var events: [AppServerEvent] = []
    private let watcher: Watcher
    private let loop: EventLoop

    /// The versions of the daemons it was connected to.
    var connected: [String] { log.filter { $0.hasPrefix("connected ") }.map { String($0.dropFirst(10)) } }

    static func start(_ path: String, on loop: EventLoop, _ change: @escaping @Sendable (inout AppServerLink.Pace) -> Void = { _ in }) async
        -> LinkLab
    {
        await onLoop(loop) {
            var pace = AppServerLink.Pace()
            pace.look = .milliseconds(2)
            pace.firstDelay = .milliseconds(1)
            pace.maximumDelay = .milliseconds(20)
            pace.check = .milliseconds(2)
            change(&pace)
            let lab = LinkLab(path, pace, loop)
            lab.link.start()
            return lab
        }
    }

    private init(_ path: String, _ pace: AppServerLink.Pace, _ loop: EventLoop) {
        self.loop = loop
        watcher = Watcher(loop)
        link = AppServerLink(socketPath: path, as: someClient, on: loop, pace: pace)
        link.onReady = { [self] connection, info in note("ready \(connection.isReady ? info.version ?? "?" : "not")") }
        link.onCondition = { [self] condition in
            switch condition {
            case .connected(let info): note("connected \(info.version ?? "?")")
            case .waiting(let end): note("\(end)")
            }
        }
        link.onEvent = { [self] in
            events.append($0)
            watcher.check()
        }
    }

    private func note(_ line: String) {
        log.append(line)
        watcher.check()
    }

    func wait(_ isReady: @escaping @Sendable (LinkLab) -> Bool) async { await watcher.wait { isReady(self) } }

    func holds(_ check: @escaping @Sendable (LinkLab) -> Bool) async -> Bool { await run(check) }

    @discardableResult
    func run<Result: Sendable>(_ body: @escaping @Sendable (LinkLab) -> Result) async -> Result { await onLoop(loop) { body(self) } }
}
