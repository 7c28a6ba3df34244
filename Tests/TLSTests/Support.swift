import COpenSSL
import Testing

@testable import TLS

/// The two versions a peer may speak, for parameterised tests.
enum Version: CaseIterable, Sendable {
    case v12, v13

    var code: CInt { self == .v12 ? TLS1_2_VERSION : TLS1_3_VERSION }
    var name: String { self == .v12 ? "TLSv1.2" : "TLSv1.3" }
}

extension TLSContext {
    /// Makes this context speak one version only.
    func limited(to version: CInt) -> TLSContext {
        #expect(deck_SSL_CTX_set_min_proto_version(raw, version) == 1)
        #expect(deck_SSL_CTX_set_max_proto_version(raw, version) == 1)
        return self
    }

    func limited(to version: Version?) -> TLSContext {
        if let version { limited(to: version.code) } else { self }
    }
}

enum Fixture {
    static let now: Int64 = 1_800_000_000
    /// Made once: tests that only need some server share it.
    static let identity = Result { try makeIdentity() }

    static func makeIdentity(notBefore: Int64 = now, notAfter: Int64? = nil) throws -> ServerIdentity {
        // Not the system's: the thread sanitizer trips over the address of a generator without stored properties.
        var random = SplitMix(state: 20)
        return try ServerIdentity.selfSigned(
            hostID: "6f0e1c9a-2f0e-4a57-9d4b-0c7f4f5a9b11", address: "192.168.7.20", notBefore: notBefore, notAfter: notAfter, random: &random)
    }

    static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }
}

/// An engine and all plaintext it delivered.
final class Endpoint {
    let engine: TLSEngine
    var received: [UInt8] = []

    init(_ context: TLSContext) throws { engine = try TLSEngine(context) }

    func feed(_ bytes: [UInt8], chunk: Int = .max) throws {
        for start in stride(from: 0, to: bytes.count, by: min(chunk, max(bytes.count, 1))) {
            let piece = Array(bytes[start..<min(bytes.count, start + min(chunk, bytes.count))])
            try piece.withUnsafeBytes { raw in
                _ = try engine.receive(ciphertext: raw) { received += Array($0) }
            }
        }
    }

    /// Feeds and returns the error instead of throwing it.
    func failure(feeding bytes: [UInt8], chunk: Int = .max) -> TLSError? {
        do { try feed(bytes, chunk: chunk) } catch { return error as? TLSError }
        return nil
    }
}

/// Client and server joined in memory.
struct Pair {
    let client: Endpoint, server: Endpoint
    let chunk: Int

    init(client: TLSContext, server: TLSContext, chunk: Int = .max) throws {
        self.client = try Endpoint(client)
        self.server = try Endpoint(server)
        self.chunk = chunk
    }

    static func established(_ version: Version? = nil, chunk: Int = .max) throws -> Pair {
        let identity = try Fixture.identity.get()
        let pair = try Pair(
            client: .client(pinnedTo: identity.certificate.fingerprint),
            server: .server(identity).limited(to: version), chunk: chunk)
        try pair.connect()
        return pair
    }

    func connect() throws {
        try client.engine.handshake()
        try shuttle()
    }

    /// Carries bytes both ways until neither side has more to say.
    func shuttle() throws {
        while client.engine.pendingOutput + server.engine.pendingOutput > 0 {
            try server.feed(client.engine.takeOutput(), chunk: chunk)
            try client.feed(server.engine.takeOutput(), chunk: chunk)
        }
    }

    /// Like `connect`, but goes on after an error of either side so that the other one learns of it.
    func connectExpectingFailure() -> (client: TLSError?, server: TLSError?) {
        var errors: (client: TLSError?, server: TLSError?) = (nil, nil)
        do { try client.engine.handshake() } catch { errors.client = error }
        while client.engine.pendingOutput + server.engine.pendingOutput > 0 {
            let up = client.engine.takeOutput()
            if errors.server == nil { errors.server = server.failure(feeding: up) }
            let down = server.engine.takeOutput()
            if errors.client == nil { errors.client = client.failure(feeding: down) }
        }
        return errors
    }
}

/// A certificate authority of its own.
struct TestAuthority {
    let certificate: Certificate
    private let keyPEM: String

    init() throws {
        let key = KeyHandle(taking: try #require(deck_generate_p256_key()))
        let builder = try CertificateBuilder()
        try builder.set(commonName: "Codex Deck test authority")
        try builder.set(notBefore: Fixture.now - 1_000_000_000, notAfter: Fixture.now + 3_000_000_000)
        try builder.setSerial(1, 1)
        try builder.add(NID_basic_constraints, "critical,CA:TRUE")
        try builder.add(NID_key_usage, "critical,keyCertSign")
        certificate = try builder.sign(with: key)
        keyPEM = try key.pem()
    }

    /// - Parameter names: In OpenSSL's syntax, for instance `DNS:deck.example`.
    func issue(_ names: String, commonName: String = "Codex Deck test server", notBefore: Int64 = 0, notAfter: Int64 = 253_402_300_799) throws
        -> ServerIdentity
    {
        let key = KeyHandle(taking: try #require(deck_generate_p256_key()))
        let builder = try CertificateBuilder()
        try builder.set(commonName: commonName)
        try builder.set(notBefore: notBefore, notAfter: notAfter)
        try builder.setSerial(2, 2)
        try builder.add(NID_subject_alt_name, names)
        let issuer = try X509Handle(der: certificate.der)
        let issuerKey = try KeyHandle(pem: keyPEM)
        #expect(X509_set_issuer_name(builder.x509.raw, X509_get_subject_name(issuer.raw)) == 1)
        #expect(X509_set_pubkey(builder.x509.raw, key.raw) == 1)
        #expect(X509_sign(builder.x509.raw, issuerKey.raw, EVP_sha256()) > 0)
        return try ServerIdentity(certificate: Certificate(builder.x509), privateKey: PrivateKey(key))
    }
}
