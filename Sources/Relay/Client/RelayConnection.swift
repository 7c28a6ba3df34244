import EventLoop
import RelayProtocol
import TLS
import WebSocket

/// One connection of a client to a node, from the first packet to the last: it secures, upgrades, authenticates, and then carries commands out
/// and events in. It does not reconnect; whoever owns it decides that.
///
/// `@unchecked Sendable`: used on its loop's thread only, which the sockets in it check.
public final class RelayConnection: @unchecked Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The times a connection takes at most.
    public struct Timeouts: Sendable {
        public var connect: Duration = .seconds(10)
        /// From the connected socket to `ready`.
        public var ready: Duration = .seconds(10)
        /// Silence after which the node is asked whether it lives, and how long it may take to say so.
        public var pingInterval: Duration = .seconds(10)
        public var pongTimeout: Duration = .seconds(10)

        public init() {}
    }

    private enum Phase { case idle, connecting, upgrading(UpgradeResponseParser), authenticating, ready, ended }

    /// Called on the loop; ``RelayEvent/ended(_:)`` comes once, last.
    public var onEvent: ((RelayEvent) -> Void)?

    private let target: RelayTarget
    private let timeouts: Timeouts
    private let loop: EventLoop
    private var phase = Phase.idle
    private var attempt: ConnectAttempt?
    private var stream: SecureStream?
    private var webSocket: WebSocketConnection?
    private var timer: Timer?
    private var phaseDeadline: Instant?
    private var failure: RelayConnectionError?
    private var nextRequest: UInt64 = 0
    /// The TLS version in use, for diagnostics.
    public var protocolVersion: String? { stream?.protocolVersion }

    public init(_ target: RelayTarget, timeouts: Timeouts = Timeouts(), on loop: EventLoop) {
        self.target = target
        self.timeouts = timeouts
        self.loop = loop
    }

    /// Whether commands can be sent.
    public var isReady: Bool { if case .ready = phase { true } else { false } }

    // MARK: Connecting

    /// Begins. On the loop, once.
    public func start() {
        loop.preconditionOnLoop()
        guard case .idle = phase else { return }
        phase = .connecting
        let loop = loop
        HostResolver.resolve(host: target.host, port: target.port) { result in
            loop.execute { self.resolved(result) }
        }
    }

    private func resolved(_ result: Result<[SocketAddress], HostResolver.Failure>) {
        guard case .connecting = phase else { return }
        switch result {
        case .success(let addresses): connect(addresses[...])
        case .failure(let failure): finish(.unresolvable(host: target.host, reason: failure.reason))
        }
    }

    private func connect(_ addresses: ArraySlice<SocketAddress>) {
        guard let address = addresses.first else { return }
        attempt = StreamSocket.connect(to: address, timeout: timeouts.connect, on: loop) { [self] result in
            attempt = nil
            switch result {
            case .success(let socket): secure(socket)
            case .failure(let error):
                if addresses.count > 1 { connect(addresses.dropFirst()) } else { finish(.connect(error)) }
            }
        }
    }

    private func secure(_ socket: StreamSocket) {
        let engine: TLSEngine?
        do throws(TLSError) {
            engine =
                switch target.security {
                case .plain: nil
                case .pinned(let pin): try TLSEngine(.client(pinnedTo: pin))
                case .systemTrust: try TLSEngine(.client(hostname: target.host))
                }
        } catch {
            socket.close()
            return finish(.tls(error))
        }
        let stream = SecureStream(socket: socket, engine: engine)
        self.stream = stream
        phaseDeadline = .now + timeouts.ready
        stream.onEstablished = { self.requestUpgrade() }
        stream.onPlaintext = { self.receive($0) }
        stream.onEnd = { self.ended($0) }
        armTimer()
        stream.start(asClient: true)
    }

    private func requestUpgrade() {
        var random = SecureRandom()
        let host = target.host.contains(":") ? "[\(target.host)]:\(target.port)" : "\(target.host):\(target.port)"
        var failure: TLSError?
        do throws(WebSocketError) {
            let request = try ClientUpgradeRequest(host: host, target: target.path, using: &random) { bytes in
                do throws(TLSError) { return try Digest.sha1(bytes) } catch {
                    failure = error
                    return []
                }
            }
            if let failure { return fail(.tls(failure)) }
            phase = .upgrading(UpgradeResponseParser(expectedAccept: request.expectedAccept))
            stream?.write(request.bytes)
        } catch {
            fail(.upgrade("\(error)"))
        }
    }

    // MARK: In

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        let now = Instant.now
        switch phase {
        case .upgrading(var parser):
            parser.receive(bytes)
            phase = .upgrading(parser)
            finishUpgrade(now: now)
        case .authenticating, .ready:
            webSocket?.receive(bytes, now: now)
            pull(now: now)
        case .idle, .connecting, .ended: break
        }
        flush()
    }

    private func finishUpgrade(now: Instant) {
        guard case .upgrading(var parser) = phase else { return }
        do throws(UpgradeFailure) {
            guard try parser.isUpgraded() else { return phase = .upgrading(parser) }
        } catch {
            return fail(.upgrade("\(error)"))
        }
        let leftover = parser.takeLeftover()
        var configuration = WebSocketConnection.Configuration()
        configuration.maxMessageBytes = RelayLimits.maximumMessageBytes
        configuration.pingInterval = timeouts.pingInterval
        configuration.pongTimeout = timeouts.pongTimeout
        webSocket = WebSocketConnection(role: .client, configuration: configuration, random: SecureRandom(), now: now)
        phase = .authenticating
        send(ClientMessage.auth(token: target.token.reveal(), fresh: target.wantsFresh))
        if !leftover.isEmpty {
            webSocket?.receive(leftover, now: now)
            pull(now: now)
        }
        armTimer()
    }

    private func pull(now: Instant) {
        while failure == nil, let event = webSocket?.nextEvent() {
            switch event {
            case .text(let message), .binary(let message): handle(message)
            case .ping, .pong: break
            case .close(let code, let reason): closed(code, reason)
            case .failed(.network(let loss)): fail(.lost("\(loss)"))
            case .failed(let error): fail(.violation("\(error)"))
            }
        }
    }

    private func closed(_ code: CloseCode?, _ reason: String) {
        let error: RelayConnectionError =
            code?.rawValue == RelayClose.authenticationFailed.code
            ? .tokenRejected : .closedByNode(code: code?.rawValue, reason: DisplayText.sanitized(reason, maximumCharacters: 123))
        fail(error)
    }

    private func handle(_ bytes: [UInt8]) {
        let message: NodeMessage
        do throws(NodeMessageError) { message = try NodeMessage(decoding: bytes) } catch {
            // A newer node may say things this program does not know; what it knows must be right.
            switch error {
            case .unknownType: return
            case .otherProtocol, .notJSON, .tooLarge, .invalid: return fail(.violation("\(error)"))
            }
        }
        switch message {
        case .ready(let host, let capabilities, let bridge):
            guard accepts(host) else { return }
            phase = .ready
            phaseDeadline = nil
            onEvent?(.ready(host: host, capabilities: capabilities, bridge: bridge))
        case .snapshot(let host, let observedAt, let snapshot):
            guard isReady, accepts(host) else { return }
            onEvent?(.snapshot(host: host, observedAt: observedAt, snapshot))
        case .health(let host, let state, let reason, let observedAt):
            guard isReady, accepts(host) else { return }
            onEvent?(.health(state: state, reason: reason, observedAt: observedAt))
        case .fresh(_, let observedAt):
            if isReady { onEvent?(.fresh(observedAt: observedAt)) }
        case .result(let requestID, let error):
            if isReady { onEvent?(.result(requestID: requestID, error: error)) }
        }
    }

    private func accepts(_ host: Host) -> Bool {
        guard let expected = target.expectedHost, expected != host.id else { return true }
        fail(.hostChanged(expected: expected, actual: host.id))
        return false
    }

    // MARK: Out

    /// Sends a command.
    ///
    /// - Returns: The id its result will carry; `nil` when the connection is not ready.
    public func send(_ command: Command) -> String? {
        loop.preconditionOnLoop()
        guard isReady else { return nil }
        nextRequest += 1
        let requestID = "c\(nextRequest)"
        send(ClientMessage.command(requestID: requestID, command))
        return requestID
    }

    private func send(_ message: ClientMessage) {
        do throws(WebSocketError) { try webSocket?.send(text: message.encoded()) } catch { return fail(.violation("\(error)")) }
        flush()
    }

    /// Asks at once whether the node still lives: after a jump of the clock or a change of the network.
    public func probe() {
        webSocket?.probe(now: .now)
        flush()
        armTimer()
    }

    private func flush() {
        guard let output = webSocket?.takeOutput(), !output.isEmpty else { return }
        stream?.write(output)
        armTimer()
    }

    // MARK: The end

    /// Ends the connection; ``RelayEvent/ended(_:)`` follows.
    public func close() {
        loop.preconditionOnLoop()
        fail(.closedHere)
    }

    private func fail(_ error: RelayConnectionError) {
        guard failure == nil else { return }
        failure = error
        attempt?.cancel()
        attempt = nil
        guard let stream else { return finish(error) }
        webSocket?.close(.normal, now: .now)
        if let output = webSocket?.takeOutput(), !output.isEmpty { stream.write(output) }
        stream.close()
    }

    private func ended(_ end: SecureStream.End) {
        switch end {
        case .tls(.certificatePinMismatch(let presented)): finish(failure ?? .pinMismatch(presented: presented))
        case .tls(let error): finish(failure ?? .tls(error))
        case .closed(let reason):
            if failure == nil, case .authenticating = phase { webSocket?.transportEnded() }
            finish(failure ?? .lost(Self.describe(reason)))
        }
    }

    private func finish(_ error: RelayConnectionError) {
        if case .ended = phase { return }
        phase = .ended
        timer?.cancel()
        timer = nil
        stream = nil
        let handler = onEvent
        onEvent = nil
        // Never from inside a call into the connection.
        loop.later { handler?(.ended(error)) }
    }

    private static func describe(_ reason: StreamSocket.CloseReason) -> String {
        switch reason {
        case .endOfFile: "the other side ended it"
        case .reset: "the other side reset it"
        case .failed(let code): SystemError(call: "recv", code: code).description
        case .local: "it was closed here"
        }
    }

    // MARK: Time

    private func armTimer() {
        guard let deadline = [phaseDeadline, webSocket?.nextDeadline].compactMap(\.self).min() else { return }
        if let timer, timer.isPending {
            if timer.deadline > deadline { timer.reschedule(at: deadline) }
        } else if stream != nil {
            timer = loop.schedule(at: deadline) { [weak self] in self?.handleTimeout() }
        }
    }

    private func handleTimeout() {
        let now = Instant.now
        if let phaseDeadline, phaseDeadline <= now {
            self.phaseDeadline = nil
            return fail(.timedOut(stage: stage))
        }
        webSocket?.handleTimeout(now: now)
        pull(now: now)
        flush()
        armTimer()
    }

    private var stage: String {
        switch phase {
        case .idle, .connecting: "securing the connection"
        case .upgrading: "opening the WebSocket"
        case .authenticating: "authentication"
        case .ready, .ended: "waiting"
        }
    }
}
