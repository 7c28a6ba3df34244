import CLinux
import Glibc

/// A connected stream socket, TCP or unix, driven by a loop.
///
/// Set the handlers, then ``start()``. From then on the loop keeps the socket until it is closed, by either side.
/// No handler is ever called from inside a call into the socket: they come from the loop. Handlers are dropped at the end,
/// so they may hold the owner strongly.
///
/// `@unchecked Sendable`: used on its loop's thread only, which every member checks; only the set-up of a socket that has
/// not started may happen elsewhere.
public final class StreamSocket: @unchecked Sendable {
    /// Why a socket ended.
    public enum CloseReason: Hashable, Sendable {
        /// The peer closed its side.
        case endOfFile
        /// The peer reset the connection, or closed it while bytes were on their way to it.
        case reset
        /// The system reported another error, an errno value.
        case failed(Int32)
        /// ``close()`` or ``closeLingering(for:)`` was called here, or the loop was shut down.
        case local
    }

    /// Called with bytes as they come, at most 64 KiB at once. The pointer is valid during the call only.
    public var onBytes: ((sending UnsafeRawBufferPointer) -> Void)?
    /// Called when bytes had to wait and the kernel has now taken them all.
    public var onDrained: (() -> Void)?
    /// Called when the peer has closed its sending side. Without it, that closes the socket; with it, the socket goes on
    /// writing until it is closed here.
    public var onEndOfInput: (() -> Void)?
    /// Called once, when the socket is closed, for whatever reason.
    public var onClose: ((CloseReason) -> Void)?

    public let loop: EventLoop
    /// The other end, as it was when the connection was made.
    public let peer: SocketAddress?

    private(set) var descriptor: Int32
    private var watch: Watch?
    private var queue = WriteQueue()
    private var progress: ContinuousClock.Instant?
    private var phase = Phase.open
    private var readPaused = false
    private var inputEnded = false
    private var shutdownPending = false
    private var lingerTimer: Timer?
    /// Set when sending failed because the peer is gone. What it sent before is still read: it may say why it left.
    private var outputFailure: CloseReason?

    private enum Phase { case open, lingering, closed }

    /// Takes over a connected descriptor, which must be non-blocking and close-on-exec.
    public init(adopting descriptor: Int32, peer: SocketAddress? = nil, on loop: EventLoop) {
        self.descriptor = descriptor
        self.peer = peer ?? .peer(of: descriptor)
        self.loop = loop
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Begins to read. On failure the socket closes and says so to ``onClose``.
    public func start() {
        loop.preconditionOnLoop()
        guard phase == .open, watch == nil else { return }
        do {
            watch = try loop.watch(descriptor, interest) { self.handle($0) }
            watch?.reportsLoopEnd = true
        } catch {
            failLater(.failed(error.code))
        }
    }

    /// Whether it is neither closed nor closing.
    public var isOpen: Bool { phase == .open }

    /// The local address; `nil` once closed.
    public var localAddress: SocketAddress? { descriptor >= 0 ? .local(of: descriptor) : nil }

    // MARK: Writing

    /// How many bytes wait for the kernel to take them.
    public var pendingBytes: Int { queue.count }

    /// While bytes wait: when the kernel last took some, or when the first began to wait. `nil` when none wait.
    public var stalledSince: ContinuousClock.Instant? { progress }

    /// Sends `bytes`, at once as far as the kernel takes them; the rest waits. Ignored after a close or
    /// ``shutdownWrite()``. The queue has no limit of its own: watch ``pendingBytes``.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        let sent = sendNow(bytes)
        guard let sent, sent < bytes.count else { return }
        queue.append(UnsafeRawBufferPointer(rebasing: bytes[sent...]))
        beginWaiting()
    }

    /// See ``write(_:)-(UnsafeRawBufferPointer)``. What waits of a large array is shared, not copied.
    public func write(_ bytes: [UInt8]) {
        let sent = bytes.withUnsafeBytes { sendNow($0) }
        guard let sent, sent < bytes.count else { return }
        queue.append(bytes, from: sent)
        beginWaiting()
    }

    /// Closes the sending side once what waits has been sent; the peer sees the end of the stream.
    public func shutdownWrite() {
        loop.preconditionOnLoop()
        guard phase != .closed, !shutdownPending else { return }
        shutdownPending = true
        if queue.isEmpty { _ = Glibc.shutdown(descriptor, Int32(SHUT_WR)) }
    }

    // MARK: Reading

    /// Stops reading until ``resumeReading()``; the peer is slowed down once the kernel's buffers are full. While nothing
    /// waits to be written either, an end of the connection is noticed only afterwards.
    public func pauseReading() {
        loop.preconditionOnLoop()
        readPaused = true
        updateInterest()
    }

    public func resumeReading() {
        loop.preconditionOnLoop()
        readPaused = false
        updateInterest()
    }

    // MARK: Closing

    /// Closes at once; what waits is dropped, and no more bytes are handed over. ``onClose`` follows from the loop.
    public func close() {
        loop.preconditionOnLoop()
        failLater(.local)
    }

    /// Sends what waits, then the end of the stream, and discards what comes until the peer closes too or `limit` is over.
    /// A plain close would reset the connection when unread bytes have come, and the peer might lose the last ones sent.
    public func closeLingering(for limit: Duration) {
        loop.preconditionOnLoop()
        guard phase == .open else { return }
        if inputEnded && queue.isEmpty { return failLater(.local) }
        shutdownWrite()
        phase = .lingering
        readPaused = false
        lingerTimer = loop.schedule(after: limit) { self.finish(.local) }
        updateInterest()
    }
}

// MARK: - Events

extension StreamSocket {
    private var interest: Readiness {
        var interest: Readiness = []
        if !readPaused && !inputEnded { interest.insert(.readable) }
        if !queue.isEmpty { interest.insert(.writable) }
        return interest
    }

    private func updateInterest() {
        guard phase != .closed, let watch else { return }
        do { try watch.modify(interest) } catch { failLater(.failed(error.code)) }
    }

    private func handle(_ ready: Readiness) {
        if ready.contains(.loopEnded) { return finish(.local) }
        if ready.contains(.writable) || (!queue.isEmpty && ready.contains(.failed)) { flush() }
        guard phase != .closed else { return }
        if watch?.interest.contains(.readable) == true, !ready.isDisjoint(with: [.readable, .hungUp, .failed]) {
            read()
        } else if ready.contains(.hungUp), queue.isEmpty {
            finish(.endOfFile)
        }
    }

    private func read() {
        let buffer = loop.scratch
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
            if phase == .open { onBytes?(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        } else if count == 0 {
            endInput()
        } else {
            let code = errno
            if code != EAGAIN && code != EINTR { finish(outputFailure ?? (code == ECONNRESET ? .reset : .failed(code))) }
        }
    }

    private func endInput() {
        inputEnded = true
        if let outputFailure { return finish(outputFailure) }
        if phase == .lingering {
            if queue.isEmpty { finish(.local) } else { updateInterest() }
        } else if let onEndOfInput {
            updateInterest()
            onEndOfInput()
        } else {
            finish(.endOfFile)
        }
    }

    /// Sends directly when nothing waits. Returns how much was taken, `nil` when the bytes are to be dropped.
    private func sendNow(_ bytes: UnsafeRawBufferPointer) -> Int? {
        loop.preconditionOnLoop()
        guard phase == .open, !shutdownPending, outputFailure == nil else { return nil }
        guard queue.isEmpty, !bytes.isEmpty else { return 0 }
        let count = deck_send(descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return count }
        let code = errno
        if code == EAGAIN || code == EINTR { return 0 }
        if let reason = outputFailed(code) { failLater(reason) }
        return nil
    }

    /// Drops what waits. Returns the reason to close with now; `nil` when the rest of the input comes first.
    private func outputFailed(_ code: Int32) -> CloseReason? {
        let reason: CloseReason = code == ECONNRESET || code == EPIPE ? .reset : .failed(code)
        guard reason == .reset, !readPaused, !inputEnded, watch != nil else { return reason }
        outputFailure = reason
        queue.removeAll()
        progress = nil
        updateInterest()
        return nil
    }

    private func beginWaiting() {
        guard progress == nil else { return }
        progress = .now
        updateInterest()
    }

    private func flush() {
        var moved = false
        while !queue.isEmpty {
            let count = queue.withFirst { deck_send(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let code = errno
                if code == EINTR { continue }
                if code == EAGAIN { break }
                if let reason = outputFailed(code) { finish(reason) }
                return
            }
            queue.remove(count)
            moved = true
        }
        if !queue.isEmpty {
            if moved { progress = .now }
            return
        }
        progress = nil
        if shutdownPending { _ = Glibc.shutdown(descriptor, Int32(SHUT_WR)) }
        if phase == .lingering && inputEnded { return finish(.local) }
        updateInterest()
        if phase == .open { onDrained?() }
    }

    /// Ends the socket now and tells the owner once the current call has returned.
    private func failLater(_ reason: CloseReason) {
        guard let onClose = release() else { return }
        loop.later { onClose(reason) }
    }

    /// Ends the socket and tells the owner; only for calls that come from the loop.
    private func finish(_ reason: CloseReason) {
        release()?(reason)
    }

    /// Gives back what the socket holds, and its last handler; `nil` if that was done before.
    @discardableResult
    private func release() -> ((CloseReason) -> Void)? {
        guard phase != .closed else { return nil }
        phase = .closed
        watch?.cancel()
        watch = nil
        lingerTimer?.cancel()
        lingerTimer = nil
        Glibc.close(descriptor)
        descriptor = -1
        queue.removeAll()
        progress = nil
        let last = onClose ?? { _ in }
        onBytes = nil
        onDrained = nil
        onEndOfInput = nil
        onClose = nil
        return last
    }
}
