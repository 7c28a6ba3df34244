import EventLoop
import RelayProtocol
import TLS
import WebSocket

/// One client of the relay: TLS, upgrade, authentication, then commands in and snapshots out.
///
/// `@unchecked Sendable`: used on the loop of its server only, which the socket in it checks; the reply to a command may come from a task there.
final class ServerConnection: @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Phase: Equatable {
        case handshake
        case unauthenticated
        /// A token came, but this address has to wait until it is looked at.
        case throttled
        case ready(fresh: Bool)
        case closing
    }

    let id: RelayClientID
    let endpoint: RelayEndpoint
    let peer: String
    let acceptedAt: Instant
    private(set) var phase = Phase.handshake
    private(set) var authenticatedAt: Instant?
    private unowned let server: RelayServer
    private let stream: SecureStream
    private var upgrade: UpgradeRequestParser?
    private var webSocket: WebSocketConnection?
    private var budget: RateBudget
    private var timer: Timer?
    private var phaseDeadline: Instant?
    /// The newest snapshot that a slow client has not been sent yet.
    private var waitingSnapshot: [UInt8]?

    init(id: RelayClientID, endpoint: RelayEndpoint, stream: SecureStream, peer: String, server: RelayServer, now: Instant) {
        self.id = id
        self.endpoint = endpoint
        self.stream = stream
        self.peer = peer
        self.server = server
        acceptedAt = now
        upgrade = UpgradeRequestParser(allowedOrigins: endpoint.allowedOrigins)
        budget = RateBudget(burst: server.limits.commandBurst, perSecond: server.limits.commandsPerSecond, now: now)
    }

    func start() {
        phaseDeadline = acceptedAt + server.limits.handshakeTimeout
        stream.onPlaintext = { [unowned self] in receive($0) }
        stream.onDrained = { [unowned self] in drained() }
        stream.onEnd = { [unowned self] in ended($0) }
        armTimer()
        stream.start(asClient: false)
    }

    var isReady: Bool { if case .ready = phase { true } else { false } }
    var wantsFresh: Bool { phase == .ready(fresh: true) }

    // MARK: In

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        let now = Instant.now
        if phase == .handshake { receiveUpgrade(bytes, now: now) } else { feed(bytes, now: now) }
        flush()
        if stream.pendingBytes > server.limits.maximumPendingBytes { stream.socket.pauseReading() }
    }

    private func receiveUpgrade(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        upgrade?.receive(bytes)
        do throws(UpgradeRefusal) {
            guard let request = try upgrade?.nextRequest() else { return }
            accept(request, now: now)
        } catch {
            refuse(error)
        }
    }

    private func accept(_ request: UpgradeRequest, now: Instant) {
        let leftover = upgrade?.takeLeftover() ?? []
        upgrade = nil
        let response: [UInt8]
        do { response = try request.acceptanceWithOpenSSL() } catch { return stream.close() }
        stream.write(response)
        var configuration = WebSocketConnection.Configuration()
        configuration.maxMessageBytes = RelayLimits.maximumMessageBytes
        configuration.pingInterval = server.limits.pingInterval
        configuration.pongTimeout = server.limits.pongTimeout
        webSocket = WebSocketConnection(role: .server, configuration: configuration, now: now)
        phase = .unauthenticated
        phaseDeadline = now + server.limits.authTimeout
        armTimer()
        if !leftover.isEmpty { leftover.withUnsafeBytes { feed($0, now: now) } }
    }

    private func refuse(_ refusal: UpgradeRefusal) {
        phase = .closing
        stream.write(refusal.response)
        stream.closeLingering(for: .seconds(1))
    }

    private func feed(_ bytes: UnsafeRawBufferPointer, now: Instant) {
        webSocket?.receive(bytes, now: now)
        pull(now: now)
    }

    private func pull(now: Instant) {
        while let event = webSocket?.nextEvent() {
            switch event {
            case .text(let message), .binary(let message): handle(message, now: now)
            case .ping, .pong: break
            case .close, .failed: phase = .closing
            }
        }
    }

    private func handle(_ bytes: [UInt8], now: Instant) {
        switch phase {
        case .unauthenticated: authenticate(bytes, now: now)
        case .ready: handleMessage(bytes, now: now)
        // A client that talks on while its token waits has to wait with it.
        case .handshake, .throttled, .closing: break
        }
    }

    // MARK: Authentication

    private func authenticate(_ bytes: [UInt8], now: Instant) {
        guard let message = try? ClientMessage(decoding: bytes), case .auth(let token, let fresh) = message else {
            return fail(now: now)  // Whatever it was, it was no auth; the peer is told just that.
        }
        let check = { [unowned self] (now: Instant) in
            if constantTimeEquals(Array(token.utf8), endpoint.token) { succeed(fresh: fresh, now: now) } else { fail(now: now) }
        }
        guard let earliest = server.earliestAttempt(of: self, now: now) else { return check(now) }
        phase = .throttled
        phaseDeadline = nil
        stream.socket.loop.schedule(at: earliest) { [weak self] in
            guard let self, phase == .throttled else { return }
            phase = .unauthenticated
            check(.now)
            flush()
        }
    }

    private func succeed(fresh: Bool, now: Instant) {
        guard server.hasRoom else { return close(.tryAgainLater, "too many clients", now: now) }
        phase = .ready(fresh: fresh)
        phaseDeadline = nil
        authenticatedAt = now
        server.authenticated(self)
        armTimer()
    }

    private func fail(now: Instant) {
        server.failedAuthentication(self, now: now)
        close(RelayClose.authenticationFailed, now: now)
    }

    // MARK: Messages of an authenticated client

    private func handleMessage(_ bytes: [UInt8], now: Instant) {
        do throws(ClientMessageError) {
            switch try ClientMessage(decoding: bytes) {
            case .auth: server.ignoredMessage()
            case .command(let requestID, let command): execute(requestID, command, now: now)
            }
        } catch {
            guard case .invalidCommand(let requestID) = error else { return server.ignoredMessage() }
            server.invalidCommand()
            if let requestID { answer(requestID, RelayError.invalidCommand) }
        }
    }

    private func execute(_ requestID: String, _ command: Command, now: Instant) {
        guard budget.take(now: now) else {
            server.refusedByRate()
            return answer(requestID, "Too many commands at once; wait a moment.")
        }
        server.perform(command, of: self) { [weak self] error in self?.answer(requestID, error) }
    }

    /// Sends the result of a command; the snapshot that follows a good one is the server's.
    private func answer(_ requestID: String, _ error: String?) {
        stream.socket.loop.preconditionOnLoop()
        guard isReady else { return }
        send(FrameEncoder.serverFrame(text: NodeMessage.result(requestID: requestID, error: error).encoded()))
        if error == nil { server.commandSucceeded() }
    }

    // MARK: Out

    /// Sends a frame that must not get lost.
    func send(_ frame: [UInt8]) {
        do throws(WebSocketError) { try webSocket?.send(serverFrame: frame) } catch { return }
        flush()
    }

    /// Sends a snapshot, or keeps it until the client has taken what waits for it; only the newest one counts.
    func sendSnapshot(_ frame: [UInt8]) {
        guard stream.pendingBytes == 0 else {
            waitingSnapshot = frame
            armTimer()
            return
        }
        waitingSnapshot = nil
        send(frame)
    }

    /// Sends a sign of life, which a client that has yet to take older bytes does not need.
    func sendIfIdle(_ frame: [UInt8]) {
        if stream.pendingBytes == 0 { send(frame) }
    }

    private func drained() {
        if let frame = waitingSnapshot { sendSnapshot(frame) }
        stream.socket.resumeReading()
    }

    private func flush() {
        guard let output = webSocket?.takeOutput() else { return }
        if !output.isEmpty { stream.write(output) }
        // Whatever ends the conversation has set the phase; asking the conversation itself each time would copy it.
        if phase == .closing {
            switch webSocket?.status {
            case .lingering, .finished: stream.closeLingering(for: .seconds(1))
            case .open, .closing, nil: break
            }
        }
        if stream.pendingBytes > 0 { armTimer() }
    }

    // MARK: Closing

    private func close(_ close: RelayClose, now: Instant) {
        self.close(.application(close.code), close.reason, now: now)
    }

    func close(_ code: CloseCode, _ reason: String, now: Instant) {
        guard phase != .closing else { return }
        phase = .closing
        guard webSocket != nil else { return stream.close() }
        webSocket?.close(code, reason: reason, now: now)
        phaseDeadline = nil
        flush()
        armTimer()
    }

    /// Drops the connection without a word.
    func drop() {
        phase = .closing
        stream.close()
    }

    private func ended(_ end: SecureStream.End) {
        timer?.cancel()
        timer = nil
        let handshakeFailure: TLSError? = if case .tls(let error) = end, phase == .handshake { error } else { nil }
        phase = .closing
        server.ended(self, handshakeFailure)
    }

    // MARK: Time

    private var nextDeadline: Instant? {
        var deadlines: [Instant] = []
        if let phaseDeadline { deadlines.append(phaseDeadline) }
        if let deadline = webSocket?.nextDeadline { deadlines.append(deadline) }
        if let stalled = stream.socket.stalledSince { deadlines.append(stalled + server.limits.stallTimeout) }
        return deadlines.min()
    }

    /// Sees to it that the timer fires no later than the next deadline. One that fires early costs less than moving it at each message.
    private func armTimer() {
        guard let deadline = nextDeadline else { return }
        if let timer, timer.isPending {
            if timer.deadline > deadline { timer.reschedule(at: deadline) }
        } else {
            timer = stream.socket.loop.schedule(at: deadline) { [unowned self] in handleTimeout() }
        }
    }

    private func handleTimeout() {
        let now = Instant.now
        if let stalled = stream.socket.stalledSince, stalled + server.limits.stallTimeout <= now {
            server.droppedSlow()
            return stream.socket.close()
        }
        if let phaseDeadline, phaseDeadline <= now {
            self.phaseDeadline = nil
            if phase == .unauthenticated { close(RelayClose.authenticationRequired, now: now) } else { return expireHandshake() }
        }
        webSocket?.handleTimeout(now: now)
        pull(now: now)
        flush()
        armTimer()
    }

    private func expireHandshake() {
        if phase == .handshake, stream.isEstablished { refuse(.timedOut) } else { stream.close() }
    }
}

extension UpgradeRequest {
    /// Agrees to the upgrade, with OpenSSL's SHA-1.
    fileprivate func acceptanceWithOpenSSL() throws(TLSError) -> [UInt8] {
        var failure: TLSError?
        let response = acceptance { bytes in
            do throws(TLSError) { return try Digest.sha1(bytes) } catch {
                failure = error
                return Array(repeating: 0, count: 20)
            }
        }
        if let failure { throw failure }
        return response
    }
}
