import EventLoop
import Foundation
import Log
import Relay
import RelayProtocol
import Secrets

@testable import DeckClient

/// An engine whose connections are played by the test. A profile is known by its port.
///
/// `@unchecked Sendable`: what changes is used on the loop of the session only.
final class FakeConnections: @unchecked Sendable {
    let session: ClientSession
    let store: ClientStore
    private let folder: String
    private let wires: Wires

    /// The newest connection of each profile.
    private final class Wires: @unchecked Sendable {
        var newest: [UInt16: FakeConnection] = [:]
    }

    init(_ profiles: NodeProfile...) async throws {
        folder = FileManager.default.temporaryDirectory.path + "/dk-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let variables = [
            "HOME": folder, "XDG_RUNTIME_DIR": folder + "/run", "CODEX_DECK_SECRETS": "file", "PATH": "/nonexistent",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/none",
        ]
        var environment = try ClientEnvironment(variables: variables, logger: .silent)
        let wires = Wires()
        environment.connection = { target, _ in
            let connection = FakeConnection()
            wires.newest[target.port] = connection
            return connection
        }
        self.wires = wires
        store = ClientStore(environment)
        let secrets = try await store.secrets().store
        for profile in profiles {
            let stored = try store.update { try $0.add(profile) }
            if let key = ClientStore.tokenKey(stored.id) { try await secrets.store(Secret(String(repeating: "t", count: 43)), for: key) }
        }
        session = try ClientSession(.once, environment: environment)
        try await session.start()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func end() async {
        await session.stop()
        session.shutdownLoops()
    }

    /// Plays an event on the connection of a profile.
    func say(_ event: RelayEvent, on port: UInt16) async {
        await session.loop.value { [wires] () throws(Never) in wires.newest[port]?.onEvent?(event) }
    }

    /// The node behind a profile comes up and shows this.
    func comeUp(_ port: UInt16, host: RelayProtocol.Host, _ snapshot: Snapshot) async {
        await say(.ready(host: host, capabilities: Capability.allCases.map(\.rawValue), bridge: "fake"), on: port)
        await say(.snapshot(host: host, observedAt: store.environment.now(), snapshot), on: port)
    }

    /// What was sent over the newest connection of a profile so far.
    func sent(on port: UInt16) async -> [Command] {
        await session.loop.value { [wires] () throws(Never) in wires.newest[port]?.sent ?? [] }
    }

    /// Whether a profile was dialled, and not hung up.
    func isDialled(_ port: UInt16) async -> Bool {
        await session.loop.value { [wires] () throws(Never) in wires.newest[port].map { !$0.isClosed } ?? false }
    }

    /// Waits for what the engine does by itself.
    func wait(_ what: String, until condition: () async -> Bool) async throws {
        for _ in 0..<1500 {
            if await condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        struct InVain: Error { let what: String }
        throw InVain(what: what)
    }
}

final class FakeConnection: NodeConnection {
    var onEvent: ((RelayEvent) -> Void)?
    private(set) var sent: [Command] = []
    private(set) var isClosed = false

    func start() {}
    func send(_ command: Command) -> String? {
        sent.append(command)
        return "c\(sent.count)"
    }
    func probe() {}
    func close() { isClosed = true }
}
