import TLS

/// The proof that whoever redeems an authorization code is whoever asked for it (RFC 7636, method S256).
struct PKCE: Sendable {
    let verifier: String
    let challenge: String

    /// - Parameter random: Gives that many unpredictable bytes.
    init(random: (Int) throws -> [UInt8]) throws {
        verifier = Base64URL.encode(try random(64))
        challenge = Base64URL.encode(try Digest.sha256(Array(verifier.utf8)))
    }
}
