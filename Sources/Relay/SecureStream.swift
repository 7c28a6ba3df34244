import EventLoop
import TLS

/// A connected socket with or without TLS on it: plaintext in, plaintext out.
///
/// `@unchecked Sendable`: used on its loop's thread only, as the socket in it checks.
final class SecureStream: @unchecked Sendable {
    /// Why a stream ended.
    enum End: Sendable {
        case closed(StreamSocket.CloseReason)
        case tls(TLSError)
    }

    /// Called once the handshake is done; for a plain stream from ``start()``.
    var onEstablished: (() -> Void)?
    /// Called with plaintext as it comes; valid during the call only.
    var onPlaintext: ((UnsafeRawBufferPointer) -> Void)?
    /// Called when what waited was taken by the kernel.
    var onDrained: (() -> Void)?
    /// Called once, when the stream has ended for whatever reason.
    var onEnd: ((End) -> Void)?

    let socket: StreamSocket
    private let engine: TLSEngine?
    /// Whether plaintext can flow.
    private(set) var isEstablished = false
    private var failure: TLSError?

    /// - Parameter engine: `nil` for a plain stream.
    init(socket: StreamSocket, engine: TLSEngine?) {
        self.socket = socket
        self.engine = engine
    }

    /// Begins; a client's engine sends its first message.
    func start(asClient: Bool) {
        socket.onBytes = { self.receive($0) }
        socket.onDrained = { self.onDrained?() }
        socket.onClose = { self.ended($0) }
        socket.start()
        guard let engine else { return establish() }
        guard asClient else { return }
        do { try engine.handshake() } catch { fail(error) }
        flush()
    }

    var isOpen: Bool { socket.isOpen && failure == nil }
    var pendingBytes: Int { socket.pendingBytes }

    /// The TLS version, for diagnostics; `nil` for a plain stream.
    var protocolVersion: String? { engine?.protocolVersion }

    /// Sends plaintext. Ignored after the end.
    func write(_ bytes: [UInt8]) {
        guard isOpen else { return }
        guard let engine else { return socket.write(bytes) }
        do { try engine.write(bytes) } catch { return fail(error) }
        flush()
    }

    /// Sends what waits, says goodbye, and closes when the peer did so too or after `limit`.
    func closeLingering(for limit: Duration) {
        engine?.close()
        flush()
        socket.closeLingering(for: limit)
    }

    /// Closes at once.
    func close() {
        if socket.pendingBytes == 0 {
            engine?.close()
            flush()
        }
        socket.close()
    }

    private func establish() {
        guard !isEstablished else { return }
        isEstablished = true
        onEstablished?()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let engine else { return deliver(bytes) }
        do throws(TLSError) {
            let state = try engine.receive(ciphertext: bytes) { plaintext in
                // A client may send its first message in the packet that ends the handshake.
                self.establish()
                self.deliver(plaintext)
            }
            flush()
            if state == .established { establish() }
            if state == .peerClosed, socket.isOpen { socket.close() }
        } catch {
            fail(error)
        }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) { onPlaintext?(bytes) }

    private func flush() {
        guard let engine, engine.pendingOutput > 0 else { return }
        engine.withOutput { bytes in
            socket.write(bytes)
            return bytes.count
        }
    }

    private func fail(_ error: TLSError) {
        guard failure == nil else { return }
        failure = error
        flush()  // The alert that tells the peer why.
        socket.closeLingering(for: .seconds(1))
    }

    private func ended(_ reason: StreamSocket.CloseReason) {
        let end: End
        if let failure {
            end = .tls(failure)
        } else if let engine, !isEstablished {
            do {
                try engine.receiveEnd()
                end = .closed(reason)
            } catch {
                end = .tls(error)
            }
        } else {
            end = .closed(reason)
        }
        let handler = onEnd
        (onEstablished, onPlaintext, onDrained, onEnd) = (nil, nil, nil, nil)
        handler?(end)
    }
}
