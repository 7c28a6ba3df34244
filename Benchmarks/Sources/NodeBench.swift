import CBenchmarkFloor
import CodexRollouts
import DeckNode
import EventLoop
import Glibc
import Log
import RelayProtocol

/// Sessions, deck and relay put together as the service of the node does it, with TLS on loopback, where the service itself has none.
///
/// `@unchecked Sendable`: what changes is touched on the loop of the relay only.
final class WiredNode: @unchecked Sendable {
    let bench: RelayBench
    private let fileLoop: EventLoop
    private var source: RolloutSource?
    private var deck = Deck()
    private var published: Snapshot?

    init(codexHome: String) throws {
        bench = try RelayBench(.empty)
        fileLoop = try EventLoop(name: "files")
        let now: @Sendable () -> UnixMilliseconds = { UnixMilliseconds(clamping: wallClock()) }
        let source = RolloutSource(codexHome: codexHome, loop: fileLoop, log: .silent, now: now) { [weak self, loop = bench.loop] changes in
            loop.execute { [weak self] in self?.apply(changes) }
        }
        self.source = source
        try waitFor { await source.start() }
    }

    private func apply(_ changes: [RolloutChange]) {
        let now = UnixMilliseconds(clamping: wallClock())
        let tasks = RolloutTasks(titles: .shown)
        for change in changes {
            switch change {
            case .session(let session): deck.update(tasks.task(session), now: now)
            case .gone(let identity, _): deck.remove(identity)
            case .limits(let limits): deck.usage = RolloutTasks.usage(limits)
            }
        }
        let snapshot = deck.snapshot(now: now)
        guard snapshot != published else { return }
        published = snapshot
        bench.relay.publish(host: SampleSnapshot.host, snapshot: snapshot)
    }
}

/// The service of `decknode serve` itself, in a folder of its own, listening on loopback as for a tunnel.
final class ServiceBench {
    let service: NodeService
    let port: Int
    let token: String
    private let folder: String

    init(codexHome: String) throws {
        folder = try TemporaryFolder.make()
        var variables = ["HOME": folder, "XDG_RUNTIME_DIR": folder, "CODEX_HOME": codexHome]
        variables["PATH"] = "/usr/bin:/bin"
        let environment = try NodeEnvironment(variables: variables, logger: .silent)
        let port = Self.freePort()
        token = try environment.pairing.enableRelayServer(port: port).value.token.secret.reveal()
        self.port = port
        let service = try NodeService(environment: environment, options: .init())
        self.service = service
        try waitFor { try await service.start() }
    }

    func peer(_ work: Peer.Work, _ arguments: [String]) throws -> PeerProcess {
        try PeerProcess(work, address: "127.0.0.1/", port: port, token: token, arguments)
    }

    func stop() throws {
        try waitFor { [service] in await service.stop() }
        service.shutdownLoops()
    }

    deinit { floor_remove_tree(folder) }

    /// A port that was free a moment ago.
    static func freePort() -> Int {
        var port: Int32 = 0
        close(floor_listen(&port))
        return Int(port)
    }
}
