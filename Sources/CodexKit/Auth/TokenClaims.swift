import FoundationEssentials
import JSON

/// What a JSON web token says. Its signature is not checked: it came from the server itself, or from this user's own files.
struct TokenClaims: Equatable, Sendable {
    let accountID: String?
    let email: String?
    let name: String?
    let plan: String?
    let issuedAt: Date?
    let expiresAt: Date?

    private static let longest = 65_536

    /// `nil` when it is no JSON web token.
    init?(token: String) {
        guard token.utf8.count <= Self.longest else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
            let claims = try? JSONParser(duplicateKeys: .lastWins).parse(bytes), claims.object != nil
        else { return nil }
        let auth = claims["https://api.openai.com/auth"]
        accountID = Self.text(auth?["chatgpt_account_id"])
        email = Self.text(claims["email"]) ?? Self.text(claims["https://api.openai.com/profile"]?["email"])
        // Kept as it is: an empty or blank name is a name, which `displayName` then passes over.
        name = claims["name"]?.string
        plan = Self.text(auth?["chatgpt_plan_type"])
        issuedAt = Self.date(claims["iat"])
        expiresAt = Self.date(claims["exp"])
    }

    private static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { (1...1024).contains($0.utf8.count) ? $0 : nil }
    }

    private static func date(_ value: JSONValue?) -> Date? {
        guard let seconds = value?.number, (0...253_402_300_799).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }
}
