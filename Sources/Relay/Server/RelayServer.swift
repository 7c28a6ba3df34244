import EventLoop
import Log
import RelayProtocol
import TLS
import WebSocket

/// Serves the relay protocol on any number of endpoints: who is in, what they are sent, and how often.
///
/// The owner hands over the newest snapshot with ``publish(host:snapshot:)``; the relay encodes it once, sends it to everybody at most 20 times
/// a second, and repeats it for peers that would otherwise call the host stale.
///
/// Call ``shutdown()`` and keep it until its loop has ended: its connections refer to it.
///
/// `@unchecked Sendable`: used on its loop's thread only, which the sockets in it check.
public final class RelayServer: @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Carries out a command for a client; `reply` is called on the loop, once, with `nil` or one sentence that says why not.
    public var onCommand: ((RelayClientID, Command, @escaping @Sendable (String?) -> Void) -> Void)?
    /// A client came in or went.
    public var onClientsChanged: (() -> Void)?
    public var onClientLeft: ((RelayClientID) -> Void)?

    public let limits: RelayServerLimits
    public private(set) var counters = RelayCounters()
    private let loop: EventLoop
    private let logger: Logger
    private let now: () -> UnixMilliseconds
    private var listeners: [RelayEndpoint.Kind: (endpoint: RelayEndpoint, listener: StreamListener)] = [:]
    private var connections: [RelayClientID: ServerConnection] = [:]
    private var lastID: UInt64 = 0
    private var throttleByAddress = AuthThrottle<String>()
    private var capabilities: [String] = []
    private var bridge = ""
    private var current: (host: Host, snapshot: Snapshot)?
    private var healthReason: String?
    private var schedule = PublishSchedule()
    private var publishTimer: Timer?
    private var repetitionTimer: Timer?
    private var freshTimer: Timer?

    /// - Parameter now: The wall clock that stamps what is sent.
    public init(loop: EventLoop, limits: RelayServerLimits = RelayServerLimits(), logger: Logger, now: @escaping () -> UnixMilliseconds) {
        self.loop = loop
        self.limits = limits
        self.logger = logger
        self.now = now
    }

    // MARK: Listening

    /// Listens at `endpoint`, in place of what listened for the same kind before.
    ///
    /// Clients that came in with another token or certificate than the new one are dropped; those of the same stay.
    /// - Returns: The address with its real port.
    @discardableResult
    public func listen(_ endpoint: RelayEndpoint) throws -> SocketAddress {
        loop.preconditionOnLoop()
        let old = listeners[endpoint.kind]
        if old?.endpoint.address == endpoint.address { old?.listener.close() }
        let listener = try StreamListener(endpoint.address, on: loop)
        listener.onAccept = { [weak self] in self?.accept($0, endpoint) }
        listener.onTrouble = { [logger] in logger.warning("\($0)") }
        try listener.start()
        old?.listener.close()
        listeners[endpoint.kind] = (endpoint, listener)
        if let old, old.endpoint.token != endpoint.token || old.endpoint.tls !== endpoint.tls { dropClients(endpoint.kind) }
        return listener.address
    }

    /// Stops listening for `kind` and drops its clients.
    public func stop(_ kind: RelayEndpoint.Kind) {
        loop.preconditionOnLoop()
        listeners.removeValue(forKey: kind)?.listener.close()
        dropClients(kind)
    }

    /// Where it listens for `kind`; `nil` when it does not.
    public func address(_ kind: RelayEndpoint.Kind) -> SocketAddress? { listeners[kind]?.listener.address }

    /// Ends everything, telling clients that the node goes away.
    public func shutdown() {
        for entry in listeners.values { entry.listener.close() }
        listeners = [:]
        for timer in [publishTimer, repetitionTimer, freshTimer] { timer?.cancel() }
        for connection in connections.values { connection.close(.goingAway, "the node is stopping", now: .now) }
    }

    private func dropClients(_ kind: RelayEndpoint.Kind) {
        for connection in connections.values where connection.endpoint.kind == kind {
            connection.close(.policyViolation, "the pairing was replaced", now: .now)
        }
    }

    private func accept(_ socket: StreamSocket, _ endpoint: RelayEndpoint) {
        counters.accepted += 1
        let engine: TLSEngine?
        do { engine = try endpoint.tls.map { try TLSEngine($0) } } catch {
            logger.logOnce("tls-engine", .error, "A connection was refused: \(error)")
            return socket.close()
        }
        evictOldestUnauthenticated()
        lastID += 1
        let id = RelayClientID(number: lastID)
        let connection = ServerConnection(
            id: id, endpoint: endpoint, stream: SecureStream(socket: socket, engine: engine), peer: socket.peer?.host ?? "?", server: self, now: .now)
        connections[id] = connection
        connection.start()
    }

    private func evictOldestUnauthenticated() {
        let waiting = connections.values.filter { !$0.isReady && $0.phase != .closing }
        guard waiting.count >= limits.maximumUnauthenticated, let oldest = waiting.min(by: { $0.id.number < $1.id.number }) else { return }
        counters.evicted += 1
        oldest.drop()
    }

    // MARK: What connections report

    var hasRoom: Bool { clientCount < limits.maximumClients }

    /// How many clients are authenticated now.
    public var clientCount: Int { connections.values.count { $0.isReady } }

    func earliestAttempt(of connection: ServerConnection, now: Instant) -> Instant? {
        guard connection.endpoint.kind == .nearby else { return nil }
        return throttleByAddress.earliestAttempt(connection.peer, now: now)
    }

    func failedAuthentication(_ connection: ServerConnection, now: Instant) {
        counters.failedAuthentications += 1
        logger.logLimited("auth-failed", every: .seconds(10), now: now, .notice, "A client at \(connection.peer) presented no valid token.")
        // Behind loopback everyone has one address: there the wrong token costs its own connection, and nobody else anything.
        if connection.endpoint.kind == .nearby { throttleByAddress.recordFailure(connection.peer, now: now) }
    }

    func authenticated(_ connection: ServerConnection) {
        counters.authenticated += 1
        throttleByAddress.recordSuccess(connection.peer)
        if let current {
            let ready = NodeMessage.ready(host: current.host, capabilities: capabilities, bridge: bridge)
            // One record and one packet for all of it.
            var welcome = FrameEncoder.serverFrame(text: ready.encoded())
            if let healthReason { welcome += healthFrame(current.host, healthReason) }
            connection.send(welcome + snapshotFrame(current))
        }
        armTimers(restart: false)
        onClientsChanged?()
    }

    func ended(_ connection: ServerConnection, _ handshakeFailure: TLSError?) {
        if let handshakeFailure {
            logger.logLimited("handshake", every: .seconds(10), now: .now, .info, "A handshake with \(connection.peer) failed: \(handshakeFailure)")
        }
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        if connection.authenticatedAt != nil {
            onClientLeft?(connection.id)
            onClientsChanged?()
        }
    }

    func ignoredMessage() { counters.ignoredMessages += 1 }
    func invalidCommand() { counters.invalidCommands += 1 }
    func refusedByRate() { counters.refusedByRate += 1 }
    func droppedSlow() { counters.droppedSlowClients += 1 }

    func perform(_ command: Command, of connection: ServerConnection, reply: @escaping @Sendable (String?) -> Void) {
        counters.commands += 1
        guard let onCommand else { return reply(RelayError.noReason) }
        onCommand(connection.id, command, reply)
    }

    /// A good command is followed by a snapshot to everybody, changed or not: it is what a client waits for.
    func commandSucceeded() { noteChange() }

    // MARK: Publishing

    /// What `ready` tells.
    ///
    /// Clients that are in already learn of a change: those that know additions to the protocol are sent another `ready`; the others take it
    /// for something that comes once, so they are let go, and come back within a second or two.
    public func describe(capabilities: [String], bridge: String) {
        guard capabilities != self.capabilities || bridge != self.bridge else { return }
        self.capabilities = capabilities
        self.bridge = bridge
        guard let current else { return }
        let frame = FrameEncoder.serverFrame(text: NodeMessage.ready(host: current.host, capabilities: capabilities, bridge: bridge).encoded())
        for connection in connections.values where connection.isReady {
            if connection.wantsFresh { connection.send(frame) } else { connection.close(.serviceRestart, "this computer can do other things now", now: .now) }
        }
        noteChange()
    }

    /// Takes the newest state of the deck and sends it as soon as the rate allows.
    public func publish(host: Host, snapshot: Snapshot) {
        loop.preconditionOnLoop()
        current = (host, snapshot)
        healthReason = nil
        noteChange()
    }

    /// Says that the node cannot see its sessions any more; snapshots resume with the next ``publish(host:snapshot:)``.
    public func publishHealth(host: Host, reason: String) {
        healthReason = reason
        let frame = healthFrame(host, reason)
        for connection in connections.values where connection.isReady { connection.send(frame) }
    }

    private func noteChange() {
        let due = schedule.noteChange(now: .now)
        guard publishTimer?.isPending != true else { return }
        if due <= .now {
            // After the handler that runs now: a result leaves before the snapshot it causes, and a burst becomes one.
            loop.later { [weak self] in self?.publishPending() }
        } else {
            publishTimer = loop.schedule(at: due) { [weak self] in self?.publishPending() }
        }
    }

    private func publishPending() {
        guard schedule.hasPendingChange, current != nil else { return }
        schedule.notePublished(now: .now)
        sendSnapshot { $0.isReady }
        armTimers(restart: true)
    }

    private func sendSnapshot(to isReceiver: (ServerConnection) -> Bool) {
        let receivers = connections.values.filter(isReceiver)
        guard let current, !receivers.isEmpty else { return }
        counters.snapshotsPublished += 1
        let frame = snapshotFrame(current)
        for connection in receivers { connection.sendSnapshot(frame) }
    }

    private func snapshotFrame(_ current: (host: Host, snapshot: Snapshot)) -> [UInt8] {
        FrameEncoder.serverFrame(text: SnapshotBudget().encoded(host: current.host, observedAt: now(), current.snapshot))
    }

    private func healthFrame(_ host: Host, _ reason: String) -> [UInt8] {
        FrameEncoder.serverFrame(text: NodeMessage.health(host: host, state: "degraded", reason: reason, observedAt: now()).encoded())
    }

    /// Keeps a timer for each kind of client that is in, and none for a kind that is not.
    ///
    /// - Parameter restart: Everybody was sent something just now.
    private func armTimers(restart: Bool) {
        let ready = connections.values.filter(\.isReady)
        if ready.contains(where: { !$0.wantsFresh }) {
            arm(&repetitionTimer, restart, PublishSchedule.repetitionInterval) { $0.repeatSnapshot() }
        }
        if ready.contains(where: \.wantsFresh) {
            arm(&freshTimer, restart, PublishSchedule.freshInterval) { $0.sendFresh() }
        }
    }

    private func arm(_ timer: inout Timer?, _ restart: Bool, _ interval: Duration, _ body: @escaping (RelayServer) -> Void) {
        if let timer, timer.isPending {
            if restart { timer.reschedule(at: .now + interval) }
        } else {
            timer = loop.schedule(after: interval) { [weak self] in self.map(body) }
        }
    }

    private func repeatSnapshot() {
        // While the node cannot see its sessions it must not renew what it last said of them.
        if healthReason == nil { sendSnapshot { $0.isReady && !$0.wantsFresh } }
        armTimers(restart: false)
    }

    private func sendFresh() {
        if healthReason == nil, let current {
            let frame = FrameEncoder.serverFrame(text: NodeMessage.fresh(hostID: current.host.id, observedAt: now()).encoded())
            for connection in connections.values where connection.wantsFresh { connection.sendIfIdle(frame) }
        }
        armTimers(restart: false)
    }
}
