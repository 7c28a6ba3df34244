import COpenSSL

/// Random numbers fit for keys and tokens.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    public init() {}

    /// `count` unpredictable bytes.
    ///
    /// - Parameter count: 0 to `Int32.max`.
    /// - Throws: ``TLSError/randomUnavailable`` when the generator cannot be seeded; ``TLSError/invalidParameter(reason:)`` for another count.
    public static func bytes(_ count: Int) throws(TLSError) -> [UInt8] {
        guard let size = CInt(exactly: count), size >= 0 else {
            throw .invalidParameter(reason: "a count of random bytes must be between 0 and 2147483647")
        }
        guard size > 0 else { return [] }
        ErrorQueue.clear()
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, size) == 1 else {
            ErrorQueue.clear()
            throw .randomUnavailable
        }
        return bytes
    }

    /// Eight unpredictable bytes. This protocol cannot report an error, so the kernel's generator stands in if the library's fails.
    public mutating func next() -> UInt64 {
        var value: UInt64 = 0
        ErrorQueue.clear()
        let filled = withUnsafeMutableBytes(of: &value) { raw in
            RAND_bytes(raw.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(raw.count)) == 1
        }
        guard !filled else { return value }
        ErrorQueue.clear()
        var system = SystemRandomNumberGenerator()
        return system.next()
    }
}
