import Testing

@testable import TLS

struct CertificateFingerprintTests {
    private static let lower = "00ff10a9" + String(repeating: "5c", count: 28)
    private static let colons = "00:FF:10:A9" + String(repeating: ":5C", count: 28)

    @Test(arguments: [lower, lower.uppercased(), colons, colons.lowercased()])
    func readsEverySpelling(text: String) throws {
        let fingerprint = try #require(CertificateFingerprint(hex: text))
        #expect(fingerprint.hex == Self.lower)
        #expect(fingerprint.bytes.prefix(4) == [0x00, 0xff, 0x10, 0xa9])
        #expect(fingerprint.bytes.count == 32)
    }

    @Test(arguments: [
        "", String(lower.dropLast()), String(lower.dropLast(2)), lower + "0", lower + "00", lower + ":", ":" + lower, " " + lower,
        lower.replacing("a9", with: "ag"), "0:0" + lower.dropFirst(2), colons.replacing("FF:10", with: "FF::10"), lower.replacing("a9", with: "é"),
        "0x" + lower.dropFirst(2),
    ])
    func refusesOtherText(text: String) {
        #expect(CertificateFingerprint(hex: text) == nil)
    }

    @Test func digestsTheEncoding() throws {
        #expect(try CertificateFingerprint(der: Array("abc".utf8)).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
