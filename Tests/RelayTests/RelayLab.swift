import EventLoop
import Log
import Relay
import RelayProtocol
import Synchronization
import TLS
import Testing

/// A relay server and its clients on one loop over 127.0.0.1, for tests.
final class RelayLab: Sendable {
    static let token = "0123456789abcdef0123456789abcdef0123456789a"
    static let host = Host(id: HostID("6f9619ff-8b86-4011-b42d-00c04fc964ff")!, name: "lab", platform: .mac, os: "linux")

    let loop: EventLoop
    let server: RelayServer
    let identity: ServerIdentity

    init(limits: RelayServerLimits = RelayServerLimits()) throws {
        let loop = try EventLoop(name: "lab")
        self.loop = loop
        identity = try Self.identity()
        server = RelayServer(loop: loop, limits: limits, logger: .silent) { UnixMilliseconds(clamping: 1_796_000_000_000) }
        onLoop { [server] in
            server.describe(capabilities: ["agent"], bridge: "test")
            server.publish(host: Self.host, snapshot: .empty)
        }
    }

    deinit { loop.shutdown() }

    static func identity() throws -> ServerIdentity {
        var random = SecureRandom()
        return try ServerIdentity.selfSigned(hostID: host.id.uuid, address: "127.0.0.1", notBefore: 1_796_000_000, random: &random)
    }

    /// Runs `body` on the loop and waits for what it returns.
    @discardableResult
    func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) rethrows -> T {
        let result = Mutex<Result<T, any Error>?>(nil)
        let done = Semaphore()
        loop.execute {
            let value = Result { try body() }
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        switch result.withLock({ $0 }) {
        case .success(let value): return value
        case .failure(let error): return try { throw error }()
        case nil: preconditionFailure("the loop ran nothing")
        }
    }

    var counters: RelayCounters { onLoop { [server] in server.counters } }
    var clientCount: Int { onLoop { [server] in server.clientCount } }

    func listen(_ kind: RelayEndpoint.Kind) throws -> UInt16 {
        let address = try onLoop { [server, identity] in
            try server.listen(
                RelayEndpoint(
                    kind: kind, address: SocketAddress(host: "127.0.0.1", port: 0), token: Array(Self.token.utf8),
                    tls: kind == .nearby ? TLSContext.server(identity) : nil))
        }
        return address.port ?? 0
    }

    /// Connects and collects what the node says.
    func client(port: UInt16, security: RelayTarget.Security, token: String = RelayLab.token, host: HostID? = nil, fresh: Bool = true) -> LabClient {
        let target = RelayTarget(host: "127.0.0.1", port: port, security: security, token: Secret(token), expectedHost: host, wantsFresh: fresh)
        return LabClient(target, loop: loop)
    }
}

/// A client whose events can be awaited.
final class LabClient: Sendable {
    let events: AsyncStream<RelayEvent>
    let connection: RelayConnection
    private let loop: EventLoop

    init(_ target: RelayTarget, loop: EventLoop) {
        let (events, continuation) = AsyncStream<RelayEvent>.makeStream()
        self.events = events
        self.loop = loop
        connection = RelayConnection(target, on: loop)
        connection.onEvent = {
            continuation.yield($0)
            if case .ended = $0 { continuation.finish() }
        }
        loop.execute { [connection] in connection.start() }
    }

    deinit { loop.execute { [connection] in connection.close() } }

    func send(_ command: Command) { loop.execute { [connection] in _ = connection.send(command) } }

    /// The first event that `pick` takes; `nil` when the connection ends before.
    func first<T>(_ pick: (RelayEvent) -> T?) async -> T? {
        for await event in events { if let found = pick(event) { return found } }
        return nil
    }

    func end() async throws -> RelayConnectionError {
        try #require(await first { event -> RelayConnectionError? in if case .ended(let error) = event { error } else { nil } })
    }
}
