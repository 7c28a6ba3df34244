import JSON
import RelayProtocol
import TLS

/// The certificate and private key of the Nearby listener, as its configuration keeps them.
public struct StoredCertificate: Sendable {
    /// What the TLS listener is made from.
    public let identity: ServerIdentity
    private let certificatePEM: String

    /// - Throws: ``TLS/TLSError`` when memory runs out.
    public init(identity: ServerIdentity) throws(TLSError) {
        self.identity = identity
        certificatePEM = try identity.certificate.pem()
    }

    public var fingerprint: CertificateFingerprint { identity.certificate.fingerprint }

    /// A new P-256 certificate for `Codex Deck <host>`, valid for ten years.
    ///
    /// - Parameters:
    ///   - address: Named in the certificate; loopback stands in while there is none. Clients go by the fingerprint, never by this.
    ///   - now: The time since 1970-01-01T00:00Z. The certificate is valid from a day before, for clocks that run late.
    /// - Throws: ``TLS/TLSError``.
    public static func selfSigned(host: HostID, address: IPv4Address?, now: Duration) throws(TLSError) -> StoredCertificate {
        var random = SecureRandom()
        let start = max(0, now.components.seconds - 86_400)
        return try StoredCertificate(
            identity: ServerIdentity.selfSigned(
                hostID: host.uuid, address: address?.description ?? "127.0.0.1", notBefore: start, random: &random))
    }

    /// Reads the `tls` object of a configuration, and checks that its three parts belong together.
    init(json: JSONValue) throws(StateProblem) {
        guard let certificate = json["certificate"]?.string, let key = json["privateKey"]?.string else {
            throw StateProblem("its certificate or private key is missing")
        }
        guard let identity = try? ServerIdentity(certificatePEM: certificate, privateKeyPEM: key) else {
            throw StateProblem("its certificate and private key make no valid pair")
        }
        guard let fingerprint = json["fingerprintSha256"]?.string.flatMap({ CertificateFingerprint(hex: $0) }),
            fingerprint == identity.certificate.fingerprint
        else { throw StateProblem("its fingerprint is not that of its certificate") }
        self.identity = identity
        certificatePEM = certificate
    }

    var json: JSONValue {
        .object([
            "certificate": .string(certificatePEM), "privateKey": .string(identity.privateKey.pem),
            "fingerprintSha256": .string(fingerprint.hex),
        ])
    }
}

extension StoredCertificate: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.identity.certificate == right.identity.certificate && left.identity.privateKey.pem == right.identity.privateKey.pem
    }
}
