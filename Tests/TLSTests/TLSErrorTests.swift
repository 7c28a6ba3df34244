import Testing

@testable import TLS

struct TLSErrorTests {
    private static let fingerprint = Result { try CertificateFingerprint(der: [1]) }

    @Test func everyErrorIsOneSentence() throws {
        let errors: [TLSError] = [
            .certificatePinMismatch(presented: try Self.fingerprint.get()), .untrusted(reason: "self-signed certificate"),
            .hostnameMismatch(expected: "deck.example"), .protocolVersion, .plaintextOnTLSPort, .alert(code: 40, name: "handshake failure"),
            .truncated, .closed, .notEstablished, .invalidCertificate(reason: "no start line"), .invalidPrivateKey,
            .keyDoesNotMatchCertificate, .invalidParameter(reason: "the host name is empty"), .randomUnavailable, .other(reason: "bad record mac"),
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        for text in errors.map(\.description) {
            #expect(text.first?.isUppercase == true)
            #expect(text.hasSuffix("."))
            #expect(!text.contains("\n") && !text.contains("error:"), "\(text)")
        }
    }

    @Test func theMismatchNamesWhatWasShown() throws {
        let fingerprint = try Self.fingerprint.get()
        #expect(TLSError.certificatePinMismatch(presented: fingerprint).description.contains(fingerprint.hex))
    }
}
