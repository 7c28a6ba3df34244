import EventLoop
import Files
import Foundation
import Log
import Relay
import RelayProtocol
import Secrets
import Testing

@testable import DeckClient

/// A user's folders, a scripted node on this computer, and sessions that look at it.
final class SessionLab: Sendable {
    let folder: String
    let environment: ClientEnvironment
    let log = LogLines()
    let node: ScriptedNode

    init() async throws {
        folder = FileManager.default.temporaryDirectory.path + "/dk-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let variables = [
            "HOME": folder, "XDG_RUNTIME_DIR": folder + "/run", "CODEX_DECK_SECRETS": "file", "PATH": "/nonexistent",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/none",
        ]
        environment = try ClientEnvironment(variables: variables, logger: Logger(threshold: .warning, sink: log))
        node = try await ScriptedNode()
        try await pair()
    }

    deinit {
        node.stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var store: ClientStore { ClientStore(environment) }

    private func pair() async throws {
        let profile = NodeProfile(id: "node-1", name: "Lab", address: try NodeAddress("ws://127.0.0.1:\(node.port)"), route: .remote)
        let stored = try store.update { try $0.add(profile) }
        try await store.secrets().store.store(Secret(ScriptedNode.token), for: try #require(ClientStore.tokenKey(stored.id)))
    }

    /// What is on the disk; no engine may run.
    private func withDatabase<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ClientDatabase, [ReceiptRecord]) throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop(name: "files")
        defer { loop.shutdown() }
        let database = ClientDatabase(path: store.databasePath, loop: loop, logger: .silent, now: environment.now)
        let kept = try await database.open()
        let value = try await body(database, kept.receipts)
        await database.close()
        return value
    }

    func keptReceipts() async throws -> [ReceiptRecord] { try await withDatabase { _, receipts in receipts } }

    /// Makes a receipt what it would be if the engine had been killed during the command.
    func leaveOpen(_ id: Int64) async throws {
        try await withDatabase { database, receipts in
            var change = ClientDatabase.Change()
            change.receipts = receipts.filter { $0.id == id }.map { record in
                var open = record
                open.step = .sending
                return open
            }
            try database.apply(change)
        }
    }

    /// A started session whose state is followed.
    func session(_ kind: ClientSession.Kind) async throws -> Viewer {
        let viewer = Viewer(try ClientSession(kind, environment: environment))
        try await viewer.start()
        return viewer
    }
}

/// A session and what it has shown so far.
final class Viewer: Sendable {
    let session: ClientSession

    init(_ session: ClientSession) { self.session = session }

    func start() async throws { try await session.start() }

    func end() async {
        await session.stop()
        session.shutdownLoops()
    }

    /// Waits until the state fulfils `condition`.
    @discardableResult
    func wait(_ what: String, until condition: (ClientState) -> Bool) async throws -> ClientState {
        for _ in 0..<1000 {
            let state = await session.state
            if condition(state) { return state }
            try await Task.sleep(for: .milliseconds(10))
        }
        let state = await session.state
        Issue.record("waited in vain: \(what); \(state.nodes.map(\.health)), \(state.attention.map(\.kind)), \(state.board.tasks.map(\.status))")
        return state
    }
}
