import EventLoop
import Log
import Relay
import RelayProtocol

@testable import DeckClient

/// A node on 127.0.0.1 that shows what a test lets it show, over the real wire.
///
/// `@unchecked Sendable`: what changes is used on its loop only.
final class ScriptedNode: @unchecked Sendable {
    static let token = "0123456789abcdef0123456789abcdef0123456789a"

    let loop: EventLoop
    private(set) var port: UInt16 = 0
    private let server: RelayServer
    private var snapshot = Snapshot.empty
    /// Commands as they came.
    private var commands: [Command] = []
    /// Everything as it comes, releases included.
    let arrivals: AsyncStream<Command>
    private let arrived: AsyncStream<Command>.Continuation
    private let host = Host(id: Lab.hostID(1), name: "Lab", platform: .mac, os: "linux")

    init() async throws {
        loop = try EventLoop(name: "node")
        (arrivals, arrived) = AsyncStream.makeStream()
        server = RelayServer(loop: loop, logger: .silent) { UnixMilliseconds(clamping: WallClock.milliseconds()) }
        port = try await onLoop { node in
            node.server.describe(capabilities: Capability.allCases.map(\.rawValue), bridge: "scripted")
            node.server.onCommand = { [unowned node] _, command, reply in reply(node.carryOut(command)) }
            node.server.publish(host: node.host, snapshot: node.snapshot)
            let endpoint = RelayEndpoint(
                kind: .remote, address: try SocketAddress(host: "127.0.0.1", port: 0), token: Array(Self.token.utf8), tls: nil)
            return try node.server.listen(endpoint).port ?? 0
        }
    }

    /// Ends its thread.
    func stop() {
        loop.execute { [server] in server.shutdown() }
        loop.shutdown()
    }

    /// Shows these slots from now on.
    func show(_ slots: [Slot], sessions: [HostSession]? = nil) async throws {
        try await onLoop { node in
            node.snapshot = Lab.snapshot(slots, sessions: sessions)
            node.server.publish(host: node.host, snapshot: node.snapshot)
        }
    }

    /// Everything that was pressed, releases left out.
    var presses: [Command] {
        get async throws {
            try await onLoop { node in
                node.commands.filter { command in
                    switch command {
                    case .agent(_, _, .release), .action(_, .release, _), .encoder(.release, _), .joystick(_, .release, _): false
                    default: true
                    }
                }
            }
        }
    }

    private func carryOut(_ command: Command) -> String? {
        commands.append(command)
        arrived.yield(command)
        switch command {
        case .agent(let slot, let key, .press):
            snapshot.activeThreadKey = key.rawValue
            for index in snapshot.slots.indices { snapshot.slots[index].selected = index == slot }
            server.publish(host: host, snapshot: snapshot)
            return nil
        case .keycap(.bug, _): return "Not this key."
        default: return nil
        }
    }

    private func onLoop<Result: Sendable>(_ body: @escaping @Sendable (ScriptedNode) throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            loop.execute { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }
}
