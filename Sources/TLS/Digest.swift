import COpenSSL

/// Message digests over bytes in memory.
public enum Digest {
    /// The 20 bytes of SHA-1 (RFC 3174); only for protocols that demand it, never for security.
    ///
    /// - Throws: ``TLSError/other(reason:)`` when the library is configured without the algorithm.
    public static func sha1(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        try digest(bytes, length: Int(SHA_DIGEST_LENGTH), SHA1)
    }

    /// The 32 bytes of SHA-256 (FIPS 180-4).
    ///
    /// - Throws: ``TLSError/other(reason:)`` when the library is configured without the algorithm.
    public static func sha256(_ bytes: [UInt8]) throws(TLSError) -> [UInt8] {
        try digest(bytes, length: Int(SHA256_DIGEST_LENGTH), SHA256)
    }

    private typealias OneShot = (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?

    private static func digest(_ bytes: [UInt8], length: Int, _ function: OneShot) throws(TLSError) -> [UInt8] {
        ErrorQueue.clear()
        var output = [UInt8](repeating: 0, count: length)
        guard function(bytes, bytes.count, &output) != nil else { throw ErrorQueue.takeOther("digest unavailable") }
        return output
    }
}
