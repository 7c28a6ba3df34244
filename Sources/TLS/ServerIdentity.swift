import COpenSSL

/// A certificate and the private key that belongs to it.
public struct ServerIdentity: Sendable {
    public let certificate: Certificate
    public let privateKey: PrivateKey

    /// - Throws: ``TLSError/keyDoesNotMatchCertificate`` when the two do not belong together.
    public init(certificate: Certificate, privateKey: PrivateKey) throws(TLSError) {
        let x509 = try X509Handle(der: certificate.der)
        let key = try KeyHandle(pem: privateKey.pem)
        guard X509_check_private_key(x509.raw, key.raw) == 1 else {
            ErrorQueue.clear()
            throw .keyDoesNotMatchCertificate
        }
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// Reads both from PEM.
    ///
    /// - Throws: ``TLSError/invalidCertificate(reason:)``, ``TLSError/invalidPrivateKey`` or ``TLSError/keyDoesNotMatchCertificate``.
    public init(certificatePEM: String, privateKeyPEM: String) throws(TLSError) {
        try self.init(certificate: Certificate(pem: certificatePEM), privateKey: PrivateKey(pem: privateKeyPEM))
    }

    /// Ten years and the leap days in them, in seconds.
    public static let tenYears: Int64 = 3652 * 86_400

    /// A new P-256 key and a certificate it signed for itself.
    ///
    /// - Parameters:
    ///   - hostID: Becomes the common name `Codex Deck <hostID>`; 1 to 53 bytes.
    ///   - address: The IPv4 or IPv6 address in the certificate, beside the name `localhost`.
    ///   - notBefore: First second of validity, in Unix seconds; at most the year 9999.
    ///   - notAfter: Last second of validity; ten years later unless given.
    ///   - random: Draws the 128 bits of the serial number. The key always comes from OpenSSL's generator.
    /// - Throws: ``TLSError/invalidParameter(reason:)`` for values out of range, ``TLSError/other(reason:)`` when the library fails.
    public static func selfSigned(
        hostID: String, address: String, notBefore: Int64, notAfter: Int64? = nil,
        random: inout some RandomNumberGenerator
    ) throws(TLSError) -> ServerIdentity {
        let (end, overflow) = notBefore.addingReportingOverflow(tenYears)
        guard notAfter != nil || !overflow else { throw .invalidParameter(reason: "the dates of the certificate are out of range") }
        ErrorQueue.clear()
        guard let raw = deck_generate_p256_key() else { throw ErrorQueue.takeOther("no key generated") }
        let key = KeyHandle(taking: raw)
        let builder = try CertificateBuilder()
        try builder.set(commonName: "Codex Deck \(hostID)")
        try builder.set(notBefore: notBefore, notAfter: notAfter ?? end)
        try builder.setSerial(random.next(), random.next())
        try builder.setServerExtensions(address: address)
        return try ServerIdentity(certificate: builder.sign(with: key), privateKey: PrivateKey(key))
    }
}
