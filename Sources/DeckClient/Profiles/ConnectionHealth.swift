import RelayProtocol

/// What one connection says about the health of its node, and when silence means that it is gone.
public struct ConnectionHealth: Sendable, Equatable {
    public typealias Instant = ContinuousClock.Instant

    public enum Event: Sendable, Equatable {
        case dialling
        /// The token was accepted.
        case ready
        /// A snapshot, or the word that nothing changed.
        case snapshot
        /// The node says how it is: `ready`, or anything else with a reason.
        case report(state: String, reason: String)
        /// Any other bytes of the peer, a pong included.
        case heard
        case closed(reason: String?)
        /// Nothing that dialling again would help.
        case refused(reason: String)
        /// The clock of the wall jumped, or the computer slept: what seems open may be long gone.
        case clockJumped
    }

    public enum Action: Sendable, Equatable {
        case sendPing
        /// The peer is gone without a word: close without waiting for it.
        case close(reason: String)
    }

    /// Snapshots older than this make a node degraded.
    public static let snapshotDue = Duration.seconds(5)
    /// Silence after which a ping asks whether the peer is there.
    public static let pingAfter = Duration.seconds(5)
    /// Silence after a ping that ends the connection.
    public static let pongDue = Duration.seconds(10)

    public static let silenceReason = "no snapshot for 5 s"

    public private(set) var health: HostHealth = .offline(reason: nil)

    private var lastSnapshot: Instant?
    private var lastHeard: Instant?
    private var pingedAt: Instant?
    /// What the node itself says is wrong with it.
    private var complaint: String?

    public init() {}

    public mutating func handle(_ event: Event, now: Instant) -> [Action] {
        switch event {
        case .dialling:
            if case .rePairRequired = health { break }
            reset()
            health = .connecting
        case .ready:
            reset()
            // The first snapshot is due from here.
            lastSnapshot = now
            hear(now)
            health = .ready
        case .snapshot:
            guard health.isConnected else { break }
            lastSnapshot = now
            hear(now)
            // A node that publishes again has recovered: it says what is wrong only when a read failed.
            complaint = nil
            health = .ready
        case .report(let state, let reason):
            guard health.isConnected else { break }
            hear(now)
            complaint = state == "ready" ? nil : DisplayText.sanitized(reason.isEmpty ? state : reason, maximumCharacters: 128)
            update(now)
        case .heard:
            if health.isConnected { hear(now) }
        case .closed(let reason):
            reset()
            if case .rePairRequired = health { break }
            health = .offline(reason: reason)
        case .refused(let reason):
            reset()
            health = .rePairRequired(reason: reason)
        case .clockJumped:
            guard health.isConnected, pingedAt == nil else { break }
            pingedAt = now
            return [.sendPing]
        }
        return []
    }

    /// When ``handleTimeout(now:)`` has to be called; `nil` while there is no connection.
    public var nextDeadline: Instant? {
        guard health.isConnected, let lastHeard, let lastSnapshot else { return nil }
        var deadlines = [pingedAt.map { $0 + Self.pongDue } ?? lastHeard + Self.pingAfter]
        if health == .ready { deadlines.append(lastSnapshot + Self.snapshotDue) }
        return deadlines.min()
    }

    public mutating func handleTimeout(now: Instant) -> [Action] {
        guard health.isConnected, let lastHeard else { return [] }
        update(now)
        if let pingedAt {
            guard now - pingedAt >= Self.pongDue else { return [] }
            self.pingedAt = now
            return [.close(reason: "the computer stopped answering")]
        }
        guard now - lastHeard >= Self.pingAfter else { return [] }
        pingedAt = now
        return [.sendPing]
    }

    private mutating func hear(_ now: Instant) {
        lastHeard = now
        pingedAt = nil
    }

    private mutating func update(_ now: Instant) {
        if let complaint {
            health = .degraded(reason: complaint)
        } else if let lastSnapshot, now - lastSnapshot >= Self.snapshotDue {
            health = .degraded(reason: Self.silenceReason)
        } else {
            health = .ready
        }
    }

    private mutating func reset() {
        lastSnapshot = nil
        lastHeard = nil
        pingedAt = nil
        complaint = nil
    }
}
