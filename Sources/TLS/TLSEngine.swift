import COpenSSL

/// One TLS connection as a byte pump: ciphertext in, plaintext out, and the other way round. No descriptor, thread or clock inside.
///
/// A class, because OpenSSL calls back into it and because a plaintext handler may answer with ``write(_:)`` or ``close()`` while
/// ``receive(ciphertext:deliver:)`` is still running, which exclusive access to a value would forbid. Not Sendable: it is confined
/// to whoever owns the socket. After any call, also one that throws, ``withOutput(_:)`` may have bytes for the peer.
public final class TLSEngine {
    /// Where a connection stands.
    public enum State: Equatable, Sendable {
        case handshaking
        /// Data flows in both directions.
        case established
        /// The peer announced its end; writing is still possible.
        case peerClosed
        /// Closed here; what still arrives is ignored.
        case closed
        case failed(TLSError)
    }

    /// Where the pump is found in an SSL object: the slot that OpenSSL reserves for applications.
    static let pumpIndex: CInt = 0

    public private(set) var state = State.handshaking
    let ssl: OpaquePointer
    private let pump: CiphertextPump
    private let context: TLSContext
    private var hasReceived = false
    private var isReceiving = false

    /// A new connection. A client calls ``handshake()`` once to produce its first message; a server waits for bytes.
    ///
    /// - Throws: ``TLSError/other(reason:)`` when memory runs out.
    public init(_ context: TLSContext) throws(TLSError) {
        ErrorQueue.clear()
        self.context = context
        if case .pinned(let pin) = context.peer { pump = CiphertextPump(pin: pin) } else { pump = CiphertextPump(pin: nil) }
        guard let ssl = SSL_new(context.raw) else { throw ErrorQueue.takeOther("no connection") }
        self.ssl = ssl
        guard let bio = pump.makeBIO() else { throw ErrorQueue.takeOther("no connection") }
        SSL_set_bio(ssl, bio, bio)
        guard SSL_set_ex_data(ssl, Self.pumpIndex, Unmanaged.passUnretained(pump).toOpaque()) == 1 else {
            throw ErrorQueue.takeOther("no connection")
        }
        switch context.peer {
        case nil: SSL_set_accept_state(ssl)
        case .pinned: SSL_set_connect_state(ssl)
        case .named(let name):
            SSL_set_connect_state(ssl)
            guard name.isAddress || deck_SSL_set_tlsext_host_name(ssl, name.text) == 1 else { throw ErrorQueue.takeOther("host name refused") }
        }
    }

    deinit { SSL_free(ssl) }

    // MARK: Handshake

    /// Takes the handshake as far as the bytes received so far allow.
    ///
    /// - Returns: ``State/handshaking`` while more input is needed, ``State/established`` when it is complete.
    /// - Throws: What went wrong; the connection is then over.
    @discardableResult
    public func handshake() throws(TLSError) -> State {
        guard state == .handshaking else {
            if case .failed(let error) = state { throw error }
            return state
        }
        ErrorQueue.clear()
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            state = .established
        } else {
            let code = SSL_get_error(ssl, result)
            if code != SSL_ERROR_WANT_READ { throw fail(code) }
        }
        return state
    }

    // MARK: Receiving

    /// Takes bytes from the socket, completes the handshake with them or decrypts them, and hands on the plaintext.
    ///
    /// All of `ciphertext` is used up. To slow a peer down, stop feeding.
    ///
    /// - Parameters:
    ///   - ciphertext: Any piece of the stream, of any size; only used during the call.
    ///   - deliver: Called for each record with 1 to 16,384 bytes, valid during that call. It may write and close, not receive.
    /// - Returns: The state afterwards; ``State/peerClosed`` once the peer's closing record was read. What follows that is ignored.
    /// - Throws: What went wrong, after the plaintext before it was delivered; the connection is then over.
    @discardableResult
    public func receive(ciphertext: UnsafeRawBufferPointer, deliver: (UnsafeRawBufferPointer) -> Void) throws(TLSError) -> State {
        switch state {
        case .failed(let error): throw error
        case .peerClosed, .closed: return state
        case .handshaking, .established: break
        }
        precondition(!isReceiving, "a plaintext handler may not feed the engine that called it")
        if !ciphertext.isEmpty { hasReceived = true }
        isReceiving = true
        pump.input = ciphertext
        defer {
            pump.input = UnsafeRawBufferPointer(start: nil, count: 0)
            isReceiving = false
        }
        if try handshake() == .established, let error = decrypt(deliver) { throw error }
        return state
    }

    /// Says that the peer's stream is at its end.
    ///
    /// - Throws: ``TLSError/closed`` when not a byte ever came, ``TLSError/truncated`` when it ended before the peer's closing
    ///   record, so that data may be missing. After ``State/peerClosed`` or ``close()`` the end is expected.
    public func receiveEnd() throws(TLSError) {
        switch state {
        case .peerClosed, .closed: return
        case .failed(let error): throw error
        case .handshaking, .established:
            let error: TLSError = hasReceived ? .truncated : .closed
            state = .failed(error)
            throw error
        }
    }

    private func decrypt(_ deliver: (UnsafeRawBufferPointer) -> Void) -> TLSError? {
        // One record's worth, for this call only: a buffer per connection would be most of what an idle one costs.
        withUnsafeTemporaryAllocation(byteCount: Int(SSL3_RT_MAX_PLAIN_LENGTH), alignment: 16) { scratch in
            while state == .established {
                ErrorQueue.clear()
                var size = 0
                let result = SSL_read_ex(ssl, scratch.baseAddress, scratch.count, &size)
                if result == 1 {
                    deliver(UnsafeRawBufferPointer(rebasing: scratch[..<size]))
                    continue
                }
                switch SSL_get_error(ssl, result) {
                case SSL_ERROR_WANT_READ: return nil
                case SSL_ERROR_ZERO_RETURN: state = .peerClosed
                case let code: return fail(code)
                }
            }
            return nil
        }
    }

    // MARK: Sending

    /// Encrypts `plaintext` into the output: records of up to 16 KiB, one behind the other.
    ///
    /// The output grows without bound; a caller whose peer does not read looks at ``pendingOutput`` and gives up on it.
    ///
    /// - Throws: ``TLSError/notEstablished`` during the handshake, ``TLSError/closed`` after ``close()``, else what ended the connection.
    public func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) {
        switch state {
        case .established, .peerClosed: break
        case .handshaking: throw .notEstablished
        case .closed: throw .closed
        case .failed(let error): throw error
        }
        guard !plaintext.isEmpty else { return }
        let records = (plaintext.count - 1) / Int(SSL3_RT_MAX_PLAIN_LENGTH) + 1
        pump.output.reserve(plaintext.count + records * Self.recordOverhead)
        ErrorQueue.clear()
        var written = 0
        let result = SSL_write_ex(ssl, plaintext.baseAddress, plaintext.count, &written)
        guard result == 1 else { throw fail(SSL_get_error(ssl, result)) }
    }

    /// Encrypts an array; see ``write(_:)-(UnsafeRawBufferPointer)``.
    public func write(_ plaintext: [UInt8]) throws(TLSError) {
        let failure = plaintext.withUnsafeBytes { bytes -> TLSError? in
            do throws(TLSError) { try write(bytes) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }

    /// Adds the closing record to the output and ends the connection here. During a handshake, or after an error, it adds nothing.
    public func close() {
        switch state {
        case .established, .peerClosed:
            ErrorQueue.clear()
            _ = SSL_shutdown(ssl)  // 0: sent, the peer's own is not waited for
            ErrorQueue.clear()
            state = .closed
        case .handshaking: state = .closed
        case .closed, .failed: break
        }
    }

    /// Header, explicit nonce or content type, and tag, rounded up.
    private static let recordOverhead = 32

    // MARK: Output

    /// Ciphertext waiting for the socket, in bytes.
    public var pendingOutput: Int { pump.output.count }

    /// Shows the waiting ciphertext in one piece. It stays in order whatever `body` does with the engine.
    ///
    /// - Parameter body: Returns how many bytes, from the front, are done with; called also when there are none.
    public func withOutput(_ body: (UnsafeRawBufferPointer) -> Int) {
        var output = ByteQueue()
        swap(&output, &pump.output)
        output.consume(body(output.bytes))
        if output.count > 0 {
            output.append(pump.output.bytes)
            swap(&output, &pump.output)
        }
    }

    /// Removes and returns all waiting ciphertext.
    public func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        withOutput {
            bytes = Array($0)
            return $0.count
        }
        return bytes
    }

    // MARK: What was agreed

    /// For instance `TLSv1.3`; meaningful once established.
    public var protocolVersion: String { String(cString: SSL_get_version(ssl)) }

    /// OpenSSL's name of the suite; nil before it is agreed.
    public var cipherSuite: String? {
        SSL_get_current_cipher(ssl).flatMap { SSL_CIPHER_get_name($0) }.map { String(cString: $0) }
    }

    /// The certificate the server proved; nil in a server and before it is known.
    public var peerFingerprint: CertificateFingerprint? {
        SSL_get0_peer_certificate(ssl).flatMap { CertificateFingerprint(x509: $0) }
    }

    /// Records why the connection is over.
    private func fail(_ code: CInt) -> TLSError {
        let failure = ConnectionFailure(ssl: ssl, peer: context.peer, refused: pump.refusedFingerprint, isHandshaking: state == .handshaking)
        let error = failure.error(code: code, ErrorQueue.take())
        state = .failed(error)
        return error
    }
}
