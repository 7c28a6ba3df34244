import Foundation
import Testing

@testable import TLS

struct CertificateTests {
    @Test("The fields, as the openssl command reads them", arguments: ["192.168.7.20", "10.0.0.1", "fd00::7"])
    func selfSignedFields(address: String) throws {
        var random = SplitMix(state: 7)
        let identity = try ServerIdentity.selfSigned(hostID: "abc-123", address: address, notBefore: 1_700_000_000, random: &random)
        let text = try openssl(["x509", "-noout", "-text", "-nameopt", "RFC2253"], input: identity.certificate.pem())
        for expected in [
            "Version: 3", "Issuer: CN=Codex Deck abc-123", "Subject: CN=Codex Deck abc-123", "Signature Algorithm: ecdsa-with-SHA256",
            "ASN1 OID: prime256v1", "X509v3 Basic Constraints: critical\n                CA:FALSE",
            "X509v3 Key Usage: critical\n                Digital Signature, Key Agreement\n",
            "X509v3 Extended Key Usage: \n                TLS Web Server Authentication\n", "DNS:localhost",
            "Not Before: Nov 14 22:13:20 2023 GMT", "Not After : Nov 13 22:13:20 2033 GMT",
        ] {
            #expect(text.contains(expected), "missing: \(expected)\nin: \(text)")
        }
        #expect(text.contains(address.contains(":") ? "IP Address:FD00:0:0:0:0:0:0:7" : "IP Address:\(address)"))
        let fingerprint = try openssl(["x509", "-noout", "-fingerprint", "-sha256"], input: identity.certificate.pem())
        let hex = try #require(fingerprint.split(separator: "=").last).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(CertificateFingerprint(hex: hex) == identity.certificate.fingerprint)
        #expect(hex.lowercased().replacingOccurrences(of: ":", with: "") == identity.certificate.fingerprint.hex)
        #expect(
            try openssl(["verify", "-check_ss_sig", "-attime", "1700000001", "-CAfile", "/dev/stdin"], input: identity.certificate.pem(), last: true)
                .contains("OK"))
    }

    @Test(
        "Serial numbers are positive and drawn from the generator",
        arguments: [
            (UInt64.max, "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"), (0, "01"), (1, "010000000000000001"),
        ])
    func serialIsPositive(word: UInt64, hex: String) throws {
        var random = Constant(word: word)
        let identity = try ServerIdentity.selfSigned(hostID: "a", address: "10.0.0.1", notBefore: 0, random: &random)
        let serial = try openssl(["x509", "-noout", "-serial"], input: identity.certificate.pem())
        #expect(serial == "serial=\(word == 1 ? "010000000000000001" : hex)\n")
    }

    @Test func everyIdentityIsNew() throws {
        var one = SplitMix(state: 1)
        var two = SplitMix(state: 1)
        let first = try ServerIdentity.selfSigned(hostID: "a", address: "10.0.0.1", notBefore: 0, random: &one)
        let second = try ServerIdentity.selfSigned(hostID: "a", address: "10.0.0.1", notBefore: 0, random: &two)
        #expect(first.certificate.fingerprint != second.certificate.fingerprint)
        #expect(first.privateKey.pem != second.privateKey.pem)
    }

    @Test func survivesPEM() throws {
        let identity = try Fixture.makeIdentity()
        let again = try ServerIdentity(certificatePEM: identity.certificate.pem(), privateKeyPEM: identity.privateKey.pem)
        #expect(again.certificate == identity.certificate)
        #expect(try again.certificate.pem() == identity.certificate.pem())
        #expect(again.privateKey.pem == identity.privateKey.pem)
        let surrounded = try Certificate(pem: "comment\n\n" + identity.certificate.pem() + "rest")
        #expect(surrounded == identity.certificate)
    }

    @Test("Keys in the format of other nodes") func readsSEC1Keys() throws {
        let identity = try Fixture.makeIdentity()
        let sec1 = try openssl(["ec"], input: identity.privateKey.pem)
        #expect(sec1.hasPrefix("-----BEGIN EC PRIVATE KEY-----"))
        _ = try ServerIdentity(certificatePEM: identity.certificate.pem(), privateKeyPEM: sec1)
    }

    @Test("An encrypted key is refused without asking for its passphrase") func refusesEncryptedKey() throws {
        let encrypted = try openssl(["pkcs8", "-topk8", "-passout", "pass:secret"], input: Fixture.makeIdentity().privateKey.pem)
        #expect(encrypted.contains("ENCRYPTED"))
        #expect(throws: TLSError.invalidPrivateKey) { try PrivateKey(pem: encrypted) }
    }

    @Test(
        "Texts that hold nothing",
        arguments: ["", "x", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nAAAA"])
    func refusesOtherText(text: String) {
        #expect(throws: TLSError.self) { try Certificate(pem: text) }
        #expect(throws: TLSError.invalidPrivateKey) { try PrivateKey(pem: text) }
    }

    @Test func refusesHugeText() {
        let huge = String(repeating: "A", count: (1 << 20) + 1)
        #expect(throws: TLSError.invalidParameter(reason: "a certificate or key is larger than 1 MiB")) { try Certificate(pem: huge) }
        #expect(throws: TLSError.invalidParameter(reason: "a certificate or key is larger than 1 MiB")) { try PrivateKey(pem: huge) }
    }

    @Test func refusesCutOrLengthenedDER() throws {
        let der = try Fixture.makeIdentity().certificate.der
        #expect(try Certificate(der: der).der == der)
        #expect(throws: TLSError.self) { try Certificate(der: []) }
        #expect(throws: TLSError.self) { try Certificate(der: der.dropLast()) }
        #expect(throws: TLSError.invalidCertificate(reason: "trailing bytes")) { try Certificate(der: der + [0]) }
    }

    @Test(
        "Parameters out of range",
        arguments: [
            ("", "10.0.0.1", 0, nil), (String(repeating: "a", count: 54), "10.0.0.1", 0, nil), ("a\nb", "10.0.0.1", 0, nil),
            ("a", "10.0.0.1,DNS:evil.example", 0, nil), ("a", "localhost", 0, nil), ("a", "", 0, nil), ("a", "10.0.0.1\0", 0, nil),
            ("a", "10.0.0.1", -1, nil), ("a", "10.0.0.1", 10, 9), ("a", "10.0.0.1", 253_402_300_799, nil), ("a", "10.0.0.1", .max, nil),
            ("a", "10.0.0.1", 0, 253_402_300_800),
        ] as [(String, String, Int64, Int64?)])
    func refusesParameters(hostID: String, address: String, notBefore: Int64, notAfter: Int64?) {
        var random = SplitMix(state: 1)
        #expect {
            try ServerIdentity.selfSigned(hostID: hostID, address: address, notBefore: notBefore, notAfter: notAfter, random: &random)
        } throws: {
            if case TLSError.invalidParameter = $0 { true } else { false }
        }
    }

    @Test func longestHostIDFits() throws {
        var random = SplitMix(state: 1)
        let host = String(repeating: "a", count: 53)
        _ = try ServerIdentity.selfSigned(hostID: host, address: "10.0.0.1", notBefore: 0, random: &random)
    }

    @Test func keysAreNeverPrinted() throws {
        let identity = try Fixture.makeIdentity()
        let line = try #require(identity.privateKey.pem.split(separator: "\n").dropFirst().first)
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), String(describing: identity.privateKey), dumped] {
            #expect(!text.contains(line))
            #expect(!text.contains("BEGIN PRIVATE"))
        }
    }
}

private struct Constant: RandomNumberGenerator {
    let word: UInt64
    mutating func next() -> UInt64 { word }
}

/// Runs the command with `input` on its standard input.
private func openssl(_ arguments: [String], input: String, last: Bool = false) throws -> String {
    let process = Process()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("input.pem")
    try Data(input.utf8).write(to: file)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = last ? arguments.map { $0 == "/dev/stdin" ? file.path : $0 } + [file.path] : arguments + ["-in", file.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = Pipe()
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
}
