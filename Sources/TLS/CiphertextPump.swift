import COpenSSL

/// What OpenSSL has instead of a socket: it reads ciphertext from memory the caller lends, and writes into a queue the caller drains.
///
/// The library's own memory BIO would copy inbound bytes once more and never give memory back.
final class CiphertextPump {
    /// Lent for the duration of one call; empty between calls.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    var output = ByteQueue()
    /// Set during the handshake when the peer's certificate is not the pinned one.
    var refusedFingerprint: CertificateFingerprint?
    let pin: CertificateFingerprint?

    init(pin: CertificateFingerprint?) {
        self.pin = pin
    }

    /// A BIO that calls this pump, which must outlive it.
    func makeBIO() -> OpaquePointer? {
        guard let method = Self.method.raw, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    fileprivate func read(into target: UnsafeMutablePointer<CChar>, limit: Int) -> Int {
        let size = min(limit, input.count)
        guard size > 0, let source = input.baseAddress else { return 0 }
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: size)
        input = UnsafeRawBufferPointer(rebasing: input[size...])
        return size
    }

    /// Written once before its first use and only read by OpenSSL afterwards, hence safe to share between threads.
    private struct Method: @unchecked Sendable {
        let raw: OpaquePointer?
    }

    /// One for the process: the library has fewer than 128 type numbers to give.
    private static let method = Method(raw: makeMethod())

    private static func makeMethod() -> OpaquePointer? {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ciphertext pump") else { return nil }
        BIO_meth_set_read_ex(method) { bio, target, limit, size in
            deck_BIO_clear_retry_flags(bio)
            guard let pump = CiphertextPump.of(bio), let target, let size else { return 0 }
            size.pointee = pump.read(into: target, limit: limit)
            guard size.pointee > 0 else {
                deck_BIO_set_retry_read(bio)
                return 0
            }
            return 1
        }
        BIO_meth_set_write_ex(method) { bio, source, count, size in
            deck_BIO_clear_retry_flags(bio)
            guard let pump = CiphertextPump.of(bio), let source, let size else { return 0 }
            pump.output.append(UnsafeRawBufferPointer(start: source, count: count))
            size.pointee = count
            return 1
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in
            // Everything else (kernel TLS, datagrams, positions) does not exist here.
            command == BIO_CTRL_FLUSH ? 1 : 0
        }
        return method
    }

    private static func of(_ bio: OpaquePointer?) -> CiphertextPump? {
        BIO_get_data(bio).map { Unmanaged<CiphertextPump>.fromOpaque($0).takeUnretainedValue() }
    }
}
