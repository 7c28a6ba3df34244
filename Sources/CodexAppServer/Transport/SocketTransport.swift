import EventLoop
import Glibc
import TLS
import WebSocket

/// Messages as WebSocket text frames over the daemon's unix socket.
///
/// Confined to its loop; not Sendable.
public final class SocketTransport: MessageTransport {
    public var onOpen: (() -> Void)?
    public var onMessage: (([UInt8]) -> Void)?
    public var onEnd: ((TransportEnd) -> Void)?

    private enum Phase { case idle, connecting, upgrading(UpgradeResponseParser), open, ended }

    /// What may wait for a server that does not read: a whole message, and what comes while it is on its way.
    private static let pendingLimit = 2 * maximumMessageBytes
    private let address: SocketAddress
    private let loop: EventLoop
    private let configuration: WebSocketConnection.Configuration
    private let openingLimit: Duration
    private var phase = Phase.idle
    private var attempt: ConnectAttempt?
    private var socket: StreamSocket?
    private var webSocket: WebSocketConnection?
    private var timer: Timer?
    private var openingDeadline: ContinuousClock.Instant?
    private var cause: TransportEnd?

    /// - Parameter address: The unix socket.
    public convenience init(_ address: SocketAddress, on loop: EventLoop) {
        var configuration = WebSocketConnection.Configuration()
        configuration.maxMessageBytes = maximumMessageBytes
        self.init(address, on: loop, configuration: configuration, openingLimit: .seconds(5))
    }

    /// - Parameter openingLimit: How long it may take until messages can be sent.
    init(_ address: SocketAddress, on loop: EventLoop, configuration: WebSocketConnection.Configuration, openingLimit: Duration) {
        self.address = address
        self.loop = loop
        self.configuration = configuration
        self.openingLimit = openingLimit
    }

    public func start() {
        guard case .idle = phase else { return }
        phase = .connecting
        openingDeadline = .now + openingLimit
        attempt = StreamSocket.connect(to: address, timeout: openingLimit, on: loop) { [weak self] in self?.connected($0) }
    }

    private func connected(_ result: Result<StreamSocket, ConnectError>) {
        attempt = nil
        switch result {
        case .success(let socket):
            self.socket = socket
            socket.onBytes = { [weak self] in self?.receive($0) }
            socket.onClose = { [weak self] in self?.closed($0) }
            socket.start()
            guard Self.trusts(socket.peerCredentials?.userID, own: geteuid()) else { return end(.violation("it belongs to another user")) }
            upgrade()
        case .failure(.refused): finish(isThere ? .refused : .absent)
        case .failure(let error): finish(.lost("\(error)"))
        }
    }

    /// The daemon is told what its user wants and asked what it may do: it must be the same user's, or the system's.
    static func trusts(_ user: UInt32?, own: UInt32) -> Bool { user == own || user == 0 }

    private var isThere: Bool { address.path.map { access($0, F_OK) == 0 } ?? false }

    private func upgrade() {
        var random = SecureRandom()
        var digestFailure: TLSError?
        do throws(WebSocketError) {
            let request = try ClientUpgradeRequest(host: "localhost", using: &random) { bytes in
                do throws(TLSError) { return try Digest.sha1(bytes) } catch {
                    digestFailure = error
                    return []
                }
            }
            if let digestFailure { return end(.lost("\(digestFailure)")) }
            phase = .upgrading(UpgradeResponseParser(expectedAccept: request.expectedAccept))
            socket?.write(request.bytes)
            armTimer()
        } catch {
            end(.violation("\(error)"))
        }
    }

    // MARK: In

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        let now = ContinuousClock.now
        switch phase {
        case .upgrading(var parser):
            parser.receive(bytes)
            phase = .upgrading(parser)
            finishUpgrade(now: now)
        case .open:
            webSocket?.receive(bytes, now: now)
            pull()
        case .idle, .connecting, .ended: break
        }
        flush()
    }

    private func finishUpgrade(now: ContinuousClock.Instant) {
        guard case .upgrading(var parser) = phase else { return }
        do throws(UpgradeFailure) {
            guard try parser.isUpgraded() else { return phase = .upgrading(parser) }
        } catch {
            if case .refused(let status) = error { return end(.violation("it refused the connection with HTTP status \(status)")) }
            return end(.violation("it does not speak WebSocket"))
        }
        var connection = WebSocketConnection(role: .client, configuration: configuration, random: SecureRandom(), now: now)
        phase = .open
        openingDeadline = nil
        let leftover = parser.takeLeftover()
        if !leftover.isEmpty { connection.receive(leftover, now: now) }
        webSocket = connection
        onOpen?()
        pull()
    }

    private func pull() {
        while cause == nil, let event = webSocket?.nextEvent() {
            switch event {
            case .text(let message), .binary(let message): onMessage?(message)
            case .ping, .pong: break
            case .close: end(.lost("the daemon is leaving"))
            case .failed(.network(.silence)): end(.lost("it stopped answering"))
            case .failed(.network): end(.lost("it has gone without a word"))
            case .failed(.peer(let violation)): end(.violation("\(violation)"))
            case .failed(.misuse(let misuse)): end(.violation("\(misuse)"))
            }
        }
    }

    // MARK: Out

    public func send(_ message: [UInt8]) {
        guard case .open = phase else { return }
        do throws(WebSocketError) { try webSocket?.send(text: message) } catch { return end(.violation("\(error)")) }
        flush()
    }

    public func probe() {
        webSocket?.probe(now: .now)
        flush()
    }

    private func flush() {
        if let output = webSocket?.takeOutput(), !output.isEmpty { socket?.write(output) }
        if let socket, socket.pendingBytes > Self.pendingLimit { return end(.lost("it does not read what it is sent")) }
        armTimer()
    }

    // MARK: The end

    public func close() { end(.closedHere) }

    private func end(_ reason: TransportEnd) {
        guard cause == nil else { return }
        cause = reason
        attempt?.cancel()
        attempt = nil
        guard let socket else {
            return loop.later { self.finish(reason) }
        }
        webSocket?.close(now: .now)
        if let output = webSocket?.takeOutput(), !output.isEmpty { socket.write(output) }
        socket.close()
    }

    private func closed(_ reason: StreamSocket.CloseReason) {
        switch reason {
        case .endOfFile, .reset, .local: finish(cause ?? .lost("it has gone without a word"))
        case .failed(let code): finish(cause ?? .lost(SystemError(call: "recv", code: code).description))
        }
    }

    private func finish(_ reason: TransportEnd) {
        if case .ended = phase { return }
        phase = .ended
        timer?.cancel()
        (timer, socket, webSocket, onOpen, onMessage) = (nil, nil, nil, nil, nil)
        let handler = onEnd
        onEnd = nil
        handler?(reason)
    }

    // MARK: Time

    private func armTimer() {
        guard let deadline = [openingDeadline, webSocket?.nextDeadline].compactMap(\.self).min() else { return }
        if let timer, timer.isPending {
            if timer.deadline > deadline { timer.reschedule(at: deadline) }
        } else if socket != nil {
            timer = loop.schedule(at: deadline) { [weak self] in self?.handleTimeout() }
        }
    }

    private func handleTimeout() {
        let now = ContinuousClock.now
        if let openingDeadline, openingDeadline <= now { return end(.lost("it did not answer in time")) }
        webSocket?.handleTimeout(now: now)
        pull()
        flush()
    }
}
