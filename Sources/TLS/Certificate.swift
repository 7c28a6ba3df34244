import COpenSSL

/// An X.509 certificate, without its key.
public struct Certificate: Hashable, Sendable {
    /// The exact encoding that is shown to peers.
    public let der: [UInt8]
    /// The SHA-256 of `der`.
    public let fingerprint: CertificateFingerprint

    /// - Throws: ``TLSError/invalidCertificate(reason:)`` when `der` is not one whole certificate.
    public init(der: [UInt8]) throws(TLSError) {
        let handle = try X509Handle(der: der)
        try self.init(handle)
    }

    /// The first certificate in a text with `BEGIN CERTIFICATE`.
    ///
    /// - Throws: ``TLSError/invalidCertificate(reason:)`` when there is none, ``TLSError/invalidParameter(reason:)`` beyond 1 MiB.
    public init(pem: String) throws(TLSError) {
        ErrorQueue.clear()
        let input = try MemoryBIO.reading(pem)
        guard let raw = PEM_read_bio_X509(input.raw, nil, { _, _, _, _ in -1 }, nil) else {
            throw .invalidCertificate(reason: ErrorQueue.take()?.text ?? "no certificate")
        }
        try self.init(X509Handle(taking: raw))
    }

    init(_ handle: borrowing X509Handle) throws(TLSError) {
        der = try handle.der()
        fingerprint = try CertificateFingerprint(der: der)
    }

    /// The PEM text, ending in a line break.
    ///
    /// - Throws: ``TLSError/other(reason:)`` when memory runs out.
    public func pem() throws(TLSError) -> String {
        let handle = try X509Handle(der: der)
        let output = try MemoryBIO()
        guard PEM_write_bio_X509(output.raw, handle.raw) == 1 else { throw ErrorQueue.takeOther("certificate not encoded") }
        return output.text()
    }
}
