import EventLoop
import Log
import Relay
import RelayProtocol
import TLS

/// The connection to one node over one route, again and again: it dials, watches its health, and dials anew.
///
/// Confined to the engine's loop; not Sendable.
public final class NodeLink {
    enum Change {
        /// Health or the mere freshness of what is known.
        case health
        /// A snapshot came.
        case snapshot
        case result(requestID: String, error: String?)
        /// The connection ended; commands under way will not be answered.
        case lost
        /// The node said who it is.
        case identified(Host)
        /// Nothing but a new pairing helps.
        case refused(reason: String)
    }

    private(set) var profile: NodeProfile
    /// What is known of the node; `nil` until it, or the cache, said who it is.
    private(set) var view: HostView?
    private(set) var health = ConnectionHealth()
    private(set) var bridge: String?
    private(set) var lastError: RelayConnectionError?
    /// Whether a first attempt has come to an end, good or bad.
    private(set) var isSettled = false
    private let token: Secret
    private let loop: EventLoop
    private let environment: ClientEnvironment
    private let onChange: (String, Change) -> Void
    private var backoff = Backoff()
    private var random = SystemRandomNumberGenerator()
    private var connection: (any NodeConnection)?
    private var retry: Timer?
    private var healthTimer: Timer?
    private var isStarted = false
    private var isStopped = false
    /// It is dialled although another profile stands for it: that one cannot be reached.
    private var isOnTrial = false

    /// - Parameter known: What was known of the node before, as far as anything was.
    init(
        _ profile: NodeProfile, token: Secret, known: HostView?, loop: EventLoop, environment: ClientEnvironment,
        onChange: @escaping (String, Change) -> Void
    ) {
        self.profile = profile
        self.token = token
        self.loop = loop
        self.environment = environment
        self.onChange = onChange
        view = known
        view?.disconnect(.connecting)
    }

    // MARK: Dialling

    /// Whether it may be dialled now.
    private var isWanted: Bool { !isStopped && profile.rePairReason == nil && (profile.duplicateOf == nil || isOnTrial) }

    func start() {
        isStarted = true
        guard isWanted else {
            isSettled = true
            if let reason = profile.rePairReason { note(.refused(reason: reason)) }
            return
        }
        dial()
    }

    func stop() {
        isStopped = true
        retry?.cancel()
        healthTimer?.cancel()
        connection?.close()
    }

    /// The network or the node's address changed: what waits tries again at once, what is connected is asked whether it lives.
    func networkChanged() {
        backoff.networkChanged(isWaiting: retry?.isPending == true)
        if let retry, retry.isPending {
            retry.cancel()
            dial()
        } else {
            connection?.probe()
        }
    }

    func move(to profile: NodeProfile) {
        guard profile != self.profile else { return }
        let moved = profile.address != self.profile.address
        let wasWanted = isWanted
        self.profile = profile
        if isWanted != wasWanted { obey() } else if moved { networkChanged() }
    }

    /// Lets a duplicate be dialled, or not any more; means nothing to other profiles.
    func setTrial(_ isOnTrial: Bool) {
        let wasWanted = isWanted
        self.isOnTrial = isOnTrial
        if isWanted != wasWanted { obey() }
    }

    private func obey() {
        guard isStarted, !isStopped else { return }
        if isWanted { dial() } else { hangUp() }
    }

    private func hangUp() {
        retry?.cancel()
        isSettled = true
        connection?.onEvent = nil
        connection?.close()
        let wasConnected = health.health.isConnected
        connection = nil
        note(.closed(reason: nil))
        if wasConnected { onChange(profile.id, .lost) }
    }

    private func dial() {
        guard isWanted, connection == nil else { return }
        note(.dialling)
        let connection = environment.connection(Self.target(of: profile, token: token), loop)
        self.connection = connection
        connection.onEvent = { [weak self] in self?.handle($0) }
        connection.start()
    }

    /// What to dial for a profile.
    public static func target(of profile: NodeProfile, token: Secret) -> RelayTarget {
        let security: RelayTarget.Security =
            if let pin = profile.fingerprint.flatMap({ CertificateFingerprint(hex: $0) }), profile.route == .nearby {
                .pinned(pin)
            } else {
                profile.address.isEncrypted ? .systemTrust : .plain
            }
        return RelayTarget(
            host: profile.address.host, port: profile.address.port, path: profile.address.path, security: security, token: token,
            expectedHost: profile.hostID)
    }

    // MARK: Events

    private func handle(_ event: RelayEvent) {
        let instant = ContinuousClock.now
        switch event {
        case .ready(let host, let capabilities, let bridge): ready(host, capabilities, bridge, instant)
        case .snapshot(let host, let observedAt, let snapshot):
            backoff.snapshotReceived()
            view?.host = host
            view?.receive(snapshot, observedAt: observedAt, receivedAt: environment.now())
            isSettled = true
            note(.snapshot)
            onChange(profile.id, .snapshot)
        case .fresh(let observedAt):
            view?.renew(observedAt: observedAt, receivedAt: environment.now())
            note(.snapshot)
        case .health(let state, let reason, _): note(.report(state: state, reason: reason))
        case .result(let requestID, let error):
            note(.heard)
            let sentence = error.map { DisplayText.sanitized($0, maximumCharacters: 240) }
            onChange(profile.id, .result(requestID: requestID, error: sentence.map { $0.isEmpty ? RelayError.noReason : $0 }))
        case .ended(let error): ended(error, instant)
        }
    }

    private func ready(_ host: Host, _ capabilities: [String], _ bridge: String, _ instant: ContinuousClock.Instant) {
        backoff.ready(now: instant)
        lastError = nil
        self.bridge = DisplayText.sanitized(bridge, maximumCharacters: 64)
        let cached = view.flatMap { $0.host.id == host.id ? $0.report : nil }
        view = HostView(profile, host: host, capabilities: Set(capabilities.compactMap(Capability.init(rawValue:))), cached: cached)
        note(.ready)
        onChange(profile.id, .identified(host))
    }

    private func ended(_ error: RelayConnectionError, _ instant: ContinuousClock.Instant) {
        connection = nil
        isSettled = true
        guard !isStopped else { return }
        lastError = error
        let wait = backoff.ended(now: instant, using: &random)
        if error.requiresPairing {
            note(.refused(reason: error.reason))
            onChange(profile.id, .refused(reason: error.reason))
        } else {
            note(.closed(reason: error.sentence))
            retry = loop.schedule(after: wait) { [weak self] in self?.dial() }
        }
        onChange(profile.id, .lost)
    }

    private func note(_ event: ConnectionHealth.Event) {
        act(health.handle(event, now: .now))
        healthChanged()
    }

    private func act(_ actions: [ConnectionHealth.Action]) {
        for action in actions {
            switch action {
            case .sendPing: connection?.probe()
            case .close: connection?.close()
            }
        }
    }

    private func healthChanged() {
        armHealthTimer()
        let new = health.health
        guard view?.health != new else { return }
        if new.isConnected { view?.health = new } else { view?.disconnect(new) }
        onChange(profile.id, .health)
    }

    private func armHealthTimer() {
        guard let deadline = health.nextDeadline else { return healthTimer?.cancel() ?? () }
        // A timer that fires early is cheaper than one that is moved at each message.
        if let healthTimer, healthTimer.isPending, healthTimer.deadline <= deadline { return }
        healthTimer?.cancel()
        healthTimer = loop.schedule(at: deadline) { [weak self] in
            guard let self else { return }
            act(health.handleTimeout(now: .now))
            healthChanged()
        }
    }

    // MARK: Commands

    /// - Returns: The id the result will carry; `nil` when it cannot be sent.
    func send(_ command: Command) -> String? { connection?.send(command) }
}

extension HostView {
    init(_ profile: NodeProfile, host: Host, capabilities: Set<Capability>? = nil, cached: HostReport?) {
        self.init(
            host: host, profileID: profile.id, route: profile.route, pairedOrder: profile.pairedOrder, capabilities: capabilities, cached: cached)
    }
}

extension RelayConnectionError {
    /// The reason a profile keeps, without the advice.
    var reason: String {
        switch self {
        case .pinMismatch: "certificate changed"
        case .hostChanged: "another computer answers at this address"
        case .tokenRejected: "the computer does not accept the token"
        default: sentence
        }
    }

    /// What happened and what to do about it, for somebody who wants to reach a node.
    public var sentence: String {
        guard case .connect(.refused(let address)) = self else { return "\(self)" }
        return "Nothing is listening on \(address); start `decknode serve` there or check the address."
    }
}
