import COpenSSL
import Foundation
import Testing

@testable import TLS

/// Whom a client accepts, and what the other side learns when it does not.
struct TLSIdentityTests {
    @Test("A server with another certificate gets no application byte", arguments: Version.allCases)
    func refusesAnotherPin(version: Version) throws {
        let expected = try Fixture.makeIdentity()
        let shown = try Fixture.makeIdentity()
        let pair = try Pair(
            client: .client(pinnedTo: expected.certificate.fingerprint), server: .server(shown).limited(to: version))
        let errors = pair.connectExpectingFailure()
        let mismatch = TLSError.certificatePinMismatch(presented: shown.certificate.fingerprint)
        #expect(errors.client == mismatch)
        #expect(throws: mismatch) { try pair.client.engine.write(Array("token".utf8)) }
        #expect(pair.client.engine.pendingOutput == 0)
        guard case .alert = errors.server else { return #expect(Bool(false), "the server saw \(String(describing: errors.server))") }
        #expect(pair.server.received.isEmpty)
        #expect(pair.server.engine.state != .established)
    }

    @Test("The pin is the identity, whatever the clock says", arguments: [(0, 1), (253_000_000_000, 253_402_300_799)] as [(Int64, Int64)])
    func acceptsPinnedCertificateOutsideItsDates(notBefore: Int64, notAfter: Int64) throws {
        let identity = try Fixture.makeIdentity(notBefore: notBefore, notAfter: notAfter)
        let pair = try Pair(client: .client(pinnedTo: identity.certificate.fingerprint), server: .server(identity))
        try pair.connect()
        #expect(pair.client.engine.state == .established)
    }

    @Test func systemTrustRefusesSelfSigned() throws {
        let pair = try Pair(client: .client(hostname: "localhost"), server: .server(Fixture.makeIdentity(notBefore: 0, notAfter: 253_402_300_799)))
        let errors = pair.connectExpectingFailure()
        guard case .untrusted(let reason) = errors.client else { return #expect(Bool(false), "\(String(describing: errors.client))") }
        #expect(reason.contains("self"))
        guard case .alert = errors.server else { return #expect(Bool(false), "\(String(describing: errors.server))") }
    }

    @Test("An authority in the system's store is trusted") func acceptsTheSystemsAuthorities() async {
        await #expect(processExitsWith: .success) {  // a process of its own, since the store is found through its environment
            let authority = try TestAuthority()
            let path = NSTemporaryDirectory() + "/deck-authority-\(getpid()).pem"
            try authority.certificate.pem().write(toFile: path, atomically: true, encoding: .utf8)
            defer { unlink(path) }
            setenv("SSL_CERT_FILE", path, 1)
            let pair = try Pair(client: .client(hostname: "deck.example"), server: .server(authority.issue("DNS:deck.example")))
            try pair.connect()
            #expect(pair.client.engine.state == .established)
        }
    }

    @Test(
        "Names that fit",
        arguments: [
            ("deck.example", "DNS:deck.example"), ("DECK.example.", "DNS:deck.example"), ("a.deck.example", "DNS:*.deck.example"),
            ("127.0.0.1", "IP:127.0.0.1"), ("[::1]", "IP:::1"),
        ])
    func acceptsTrustedName(hostname: String, names: String) throws {
        let authority = try TestAuthority()
        let pair = try Pair(
            client: .client(trusting: .authorities([authority.certificate]), hostname: hostname), server: .server(authority.issue(names)))
        try pair.connect()
        #expect(pair.client.engine.state == .established)
    }

    @Test(
        "Names that do not fit",
        arguments: [
            ("deck.example", "DNS:other.example"), ("a.b.deck.example", "DNS:*.deck.example"), ("deck.sub.example", "DNS:d*.sub.example"),
            ("127.0.0.1", "IP:127.0.0.2"), ("127.0.0.1", "DNS:localhost"), ("::1", "IP:127.0.0.1"),
        ])
    func refusesOtherNames(hostname: String, names: String) throws {
        let authority = try TestAuthority()
        let pair = try Pair(
            client: .client(trusting: .authorities([authority.certificate]), hostname: hostname), server: .server(authority.issue(names)))
        #expect(pair.connectExpectingFailure().client == .hostnameMismatch(expected: hostname))
        #expect(pair.server.received.isEmpty)
    }

    @Test("A common name is no host name") func ignoresTheCommonName() throws {
        let authority = try TestAuthority()
        let identity = try authority.issue("email:deck@deck.example", commonName: "a.deck.example")
        let pair = try Pair(
            client: .client(trusting: .authorities([authority.certificate]), hostname: "a.deck.example"), server: .server(identity))
        #expect(pair.connectExpectingFailure().client == .hostnameMismatch(expected: "a.deck.example"))
    }

    @Test("Dates count for authorities", arguments: [(0, 86_400, "expired"), (250_000_000_000, 253_402_300_799, "not yet valid")])
    func refusesTrustedCertificateOutsideItsDates(notBefore: Int64, notAfter: Int64, reason: String) throws {
        let authority = try TestAuthority()
        let identity = try authority.issue("DNS:deck.example", notBefore: notBefore, notAfter: notAfter)
        let pair = try Pair(client: .client(trusting: .authorities([authority.certificate]), hostname: "deck.example"), server: .server(identity))
        guard case .untrusted(let text) = pair.connectExpectingFailure().client else { return #expect(Bool(false)) }
        #expect(text.contains(reason))
    }

    @Test func refusesAnotherAuthority() throws {
        let trusted = try TestAuthority()
        let other = try TestAuthority()
        let pair = try Pair(
            client: .client(trusting: .authorities([trusted.certificate]), hostname: "deck.example"), server: .server(other.issue("DNS:deck.example"))
        )
        guard case .untrusted = pair.connectExpectingFailure().client else { return #expect(Bool(false)) }
    }

    @Test(
        "A name that would switch the check off, or that is no name",
        arguments: [
            "", ".", "[]", "deck.example\0.evil", "a b", "deck/example", "user@deck", ".deck.example", "exa\u{6d}ple\u{e9}",
            String(repeating: "a", count: 254),
        ])
    func refusesUnusableHostname(hostname: String) {
        #expect(throws: TLSError.self) { try TLSContext.client(hostname: hostname) }
    }

    @Test func sendsTheNameButNotTheAddress() throws {
        let authority = try TestAuthority()
        for (hostname, expected) in [("deck.example", "deck.example"), ("127.0.0.1", nil)] {
            let pair = try Pair(
                client: .client(trusting: .authorities([authority.certificate]), hostname: hostname),
                server: .server(authority.issue("DNS:deck.example,IP:127.0.0.1")))
            try pair.connect()
            let name = SSL_get_servername(pair.server.engine.ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
            #expect(name == expected)
        }
    }

    @Test func keyOfAnotherCertificateIsRefused() throws {
        let one = try Fixture.makeIdentity()
        let two = try Fixture.makeIdentity()
        #expect(throws: TLSError.keyDoesNotMatchCertificate) {
            try ServerIdentity(certificate: one.certificate, privateKey: two.privateKey)
        }
    }
}
