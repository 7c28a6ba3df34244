/// One WebSocket after its handshake, as a value without socket or clock.
///
/// The driver passes what it read to ``receive(_:now:)``, pulls ``nextEvent()`` until `nil`, writes what ``takeOutput()`` returns,
/// and calls ``handleTimeout(now:)`` at ``nextDeadline``. It goes on reading only while what it wrote gets out: each ping is answered,
/// so output grows with input. What to do with the transport is ``status``.
public struct WebSocketConnection: Sendable {
    public typealias Instant = ContinuousClock.Instant

    /// Limits and times; the defaults are those of the relay.
    public struct Configuration: Equatable, Sendable {
        /// Most payload bytes of one message, in either direction.
        public var maxMessageBytes = 65_536
        /// Silence of the peer after which it is pinged; `nil` never pings.
        public var pingInterval: Duration? = .seconds(15)
        /// Further silence after which the peer counts as gone.
        public var pongTimeout: Duration = .seconds(10)
        /// How long a Close frame may stay unanswered, and how long to wait for the end of the stream after that.
        public var closeTimeout: Duration = .seconds(5)

        public init() {}
    }

    /// What the driver is to do with the transport.
    public enum Status: Equatable, Sendable {
        /// Messages may be sent and arrive.
        case open
        /// Our Close frame is sent; keep reading for the answer.
        case closing
        /// All is said. Write the output, shut down the sending side, read and throw away until the stream ends or the deadline passes;
        /// closing at once could reset the connection before the peer has read why.
        case lingering
        /// Write the output, then drop the transport.
        case finished
    }

    enum State: Sendable {
        case open
        case closing(deadline: Instant)
        case lingering(deadline: Instant)
        case finished
    }

    let role: WebSocketRole
    let configuration: Configuration
    var state = State.open
    var keepAlive: KeepAlive
    var output: [UInt8] = []
    private var random: any RandomNumberGenerator & Sendable
    private var decoder: FrameDecoder
    private var assembly = MessageAssembly()
    private var lastReceived: Instant
    /// A failure that a timer or the transport found, not yet pulled.
    var pendingFailure: WebSocketError?

    /// - Parameters:
    ///   - random: Draws the masks of a client; must be unpredictable outside tests. A server never uses it.
    ///   - now: When the handshake was done.
    public init(
        role: WebSocketRole, configuration: Configuration = Configuration(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), now: Instant
    ) {
        self.role = role
        self.configuration = configuration
        self.random = random
        decoder = FrameDecoder(role: role, maxMessageBytes: configuration.maxMessageBytes)
        keepAlive = KeepAlive(interval: configuration.pingInterval, timeout: configuration.pongTimeout, now: now)
        lastReceived = now
    }

    public var status: Status {
        switch state {
        case .open: .open
        case .closing: .closing
        case .lingering: .lingering
        case .finished: .finished
        }
    }

    /// Takes bytes read from the transport, in any pieces. Bytes after the end of the conversation are dropped.
    public mutating func receive(_ bytes: some Collection<UInt8>, now: Instant) { take(bytes, now: now) }

    /// The same for what a socket gives, without generic code for callers in other modules.
    public mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant) { take(bytes, now: now) }

    @inline(__always)
    private mutating func take(_ bytes: some Collection<UInt8>, now: Instant) {
        switch state {
        case .open, .closing:
            decoder.receive(bytes)
            keepAlive.heard(now: now)
            lastReceived = now
        case .lingering, .finished:
            return
        }
    }

    /// Removes the next event, or returns `nil` when more bytes are needed.
    ///
    /// Answers (pong, Close) join the output as their events are pulled. Messages that arrive after our own Close frame are dropped.
    public mutating func nextEvent() -> WebSocketEvent? {
        if let failure = pendingFailure {
            pendingFailure = nil
            return .failed(failure)
        }
        while isReading {
            do throws(WebSocketError) {
                guard let frame = try decoder.nextFrame() else { return nil }
                if let event = try handle(frame) { return event }
            } catch {
                fail(error)
                return .failed(error)
            }
        }
        return nil
    }

    /// Removes all bytes that wait to be written.
    public mutating func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    private var isReading: Bool {
        switch state {
        case .open, .closing: true
        case .lingering, .finished: false
        }
    }

    private var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    private mutating func handle(_ frame: Frame) throws(WebSocketError) -> WebSocketEvent? {
        switch frame.opcode {
        case .close:
            return try handleClose(frame.payload)
        case .ping:
            guard isOpen else { return nil }
            append(.pong, payload: frame.payload)
            return .ping(frame.payload)
        case .pong:
            return isOpen ? .pong(frame.payload) : nil
        case .text, .binary, .continuation:
            guard isOpen else { return nil }
            return assembly.add(frame)
        }
    }

    private mutating func handleClose(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketEvent {
        let close: ClosePayload
        do throws(PeerViolation) { close = try ClosePayload(payload) } catch { throw .peer(error) }
        if isOpen { append(.close, payload: ClosePayload.encode(close.code, reason: "")) }
        // The server ends the stream first (RFC 6455, 7.1.1), so that its port is the one that waits out stray packets.
        switch role {
        case .server: state = .finished
        case .client: state = .lingering(deadline: lastReceived + configuration.closeTimeout)
        }
        releaseInput()
        return .close(code: close.code, reason: close.reason)
    }

    private mutating func fail(_ error: WebSocketError) {
        if isOpen, case .peer(let violation) = error {
            append(.close, payload: ClosePayload.encode(violation.closeCode, reason: violation.description))
        }
        state = .lingering(deadline: lastReceived + configuration.closeTimeout)
        releaseInput()
    }

    /// Gives back what was received and will never be used.
    mutating func releaseInput() {
        decoder = FrameDecoder(role: role, maxMessageBytes: configuration.maxMessageBytes)
        assembly = MessageAssembly()
    }

    /// Appends a frame of our own to the output, masked if this is a client.
    mutating func append(_ opcode: Opcode, payload: some Collection<UInt8>) {
        let mask: MaskingKey? =
            switch role {
            case .server: nil
            case .client: MaskingKey(using: &random)
            }
        FrameEncoder.append(opcode, payload: payload, mask: mask, to: &output)
    }
}
