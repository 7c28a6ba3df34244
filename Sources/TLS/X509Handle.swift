import COpenSSL

/// Owns one OpenSSL certificate.
struct X509Handle: ~Copyable {
    let raw: OpaquePointer

    init(taking raw: OpaquePointer) { self.raw = raw }

    init(der: [UInt8]) throws(TLSError) {
        ErrorQueue.clear()
        guard
            let certificate = der.withUnsafeBufferPointer({ buffer -> OpaquePointer? in
                var cursor = buffer.baseAddress
                guard let certificate = d2i_X509(nil, &cursor, buffer.count) else { return nil }
                // Bytes behind the certificate would take part in no comparison of what is really shown to peers.
                guard let start = buffer.baseAddress, let cursor, cursor - start == buffer.count else {
                    X509_free(certificate)
                    return nil
                }
                return certificate
            })
        else { throw .invalidCertificate(reason: ErrorQueue.take()?.text ?? "trailing bytes") }
        raw = certificate
    }

    deinit { X509_free(raw) }

    /// A certificate to be filled in.
    static func emptyVersion3() throws(TLSError) -> X509Handle {
        guard let raw = X509_new() else { throw ErrorQueue.takeOther("no certificate") }
        let handle = X509Handle(taking: raw)
        guard X509_set_version(raw, 2) == 1 else { throw ErrorQueue.takeOther("version refused") }
        return handle
    }

    func der() throws(TLSError) -> [UInt8] {
        var encoded: UnsafeMutablePointer<UInt8>?
        let size = i2d_X509(raw, &encoded)
        guard size > 0, let encoded else { throw ErrorQueue.takeOther("certificate not encoded") }
        defer { CRYPTO_free(encoded, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(size)))
    }
}
