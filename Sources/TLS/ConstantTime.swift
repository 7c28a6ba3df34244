import COpenSSL

/// Whether two secrets are equal, in a time that depends on their lengths only and not on where they differ.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    // CRYPTO_memcmp is opaque to the optimiser, so no compiler can shorten the comparison.
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
