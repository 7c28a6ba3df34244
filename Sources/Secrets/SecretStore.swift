import Log

/// A place that keeps secrets, such as tokens, under names.
public protocol SecretStore: Sendable {
    /// Keeps a secret, in place of the one that was there.
    func store(_ secret: Secret, for key: SecretKey) async throws(SecretStoreError)
    /// The secret, or `nil` when there is none of that name.
    func lookup(_ key: SecretKey) async throws(SecretStoreError) -> Secret?
    /// Deletes a secret; whether there was one.
    @discardableResult
    func remove(_ key: SecretKey) async throws(SecretStoreError) -> Bool
}

/// The name of a secret.
public struct SecretKey: Hashable, Sendable {
    /// What it is for, such as `relay-token`.
    public let service: String
    /// Whose it is, such as the id of a node profile.
    public let account: String

    /// The longest name in UTF-8 bytes.
    public static let maximumLength = 64

    /// `nil` unless both names are 1 to 64 bytes long and without control characters.
    public init?(service: String, account: String) {
        guard Self.isName(service), Self.isName(account) else { return nil }
        self.service = service
        self.account = account
    }

    private static func isName(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// The limits of what a store keeps.
public enum SecretLimits {
    /// The largest secret in UTF-8 bytes.
    public static let maximumLength = 32_768

    static func check(_ secret: Secret) throws(SecretStoreError) {
        let text = secret.reveal()
        guard (1...maximumLength).contains(text.utf8.count), !text.utf8.contains(0) else { throw .unfitting }
    }
}
