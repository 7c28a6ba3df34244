import COpenSSL

/// The SHA-256 of a certificate's DER encoding: what a pairing remembers of a computer.
public struct CertificateFingerprint: Hashable, Sendable {
    /// The 32 bytes of the digest.
    public let bytes: [UInt8]

    /// The fingerprint of an encoded certificate, which is not parsed.
    ///
    /// - Throws: ``TLSError/other(reason:)`` when the digest is unavailable.
    public init(der: [UInt8]) throws(TLSError) {
        bytes = try Digest.sha256(der)
    }

    /// Reads 64 hexadecimal digits in either case; colons between whole bytes are skipped. Anything else gives nil.
    public init?(hex: some StringProtocol) {
        var bytes: [UInt8] = []
        var high: UInt8?
        var mayTakeColon = false
        for unit in hex.utf8 {
            if unit == UInt8(ascii: ":") {
                guard mayTakeColon else { return nil }
                mayTakeColon = false
                continue
            }
            guard bytes.count < 32, let digit = Self.value(of: unit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
                mayTakeColon = bytes.count < 32
            } else {
                high = digit
                mayTakeColon = false
            }
        }
        guard bytes.count == 32, high == nil else { return nil }
        self.bytes = bytes
    }

    /// The digest of a certificate inside OpenSSL; nil when the library cannot compute it.
    init?(x509: OpaquePointer) {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        var length: CUnsignedInt = 0
        guard X509_digest(x509, EVP_sha256(), &digest, &length) == 1, Int(length) == digest.count else { return nil }
        bytes = digest
    }

    /// 64 lower-case hexadecimal digits without separators.
    public var hex: String {
        let digits: [UInt8] = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of unit: UInt8) -> UInt8? {
        switch unit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): unit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): unit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension CertificateFingerprint: CustomStringConvertible {
    public var description: String { hex }
}
