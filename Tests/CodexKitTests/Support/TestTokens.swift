import FoundationEssentials
import JSON

@testable import CodexKit

/// Tokens as the service makes them, without a real signature.
enum TestTokens {
    static func jwt(_ claims: JSONValue) -> String {
        [["alg": "none"], claims].map { Base64URL.encode($0.encoded()) }.joined(separator: ".") + ".c2lnbmF0dXJl"
    }

    /// An access token; `serial` makes it unlike others.
    static func access(account: String = "acc-1", serial: Int = 0, expires: Double? = 4_000_000_000) -> String {
        var claims: [String: JSONValue] = [
            "iat": 1_700_000_000, "jti": .number(Double(serial)),
            "https://api.openai.com/auth": ["chatgpt_account_id": .string(account), "chatgpt_plan_type": "plus"],
            "https://api.openai.com/profile": ["email": "ada@example.org"],
        ]
        if let expires { claims["exp"] = .number(expires) }
        return jwt(.object(claims))
    }

    static func id(name: JSONValue? = "Ada Lovelace", account: String = "acc-1", plan: String = "plus") -> String {
        var claims: [String: JSONValue] = [
            "email": "ada@example.org",
            "https://api.openai.com/auth": ["chatgpt_account_id": .string(account), "chatgpt_plan_type": .string(plan)],
        ]
        if let name { claims["name"] = name }
        return jwt(.object(claims))
    }

    static func session(serial: Int = 0, refresh: String? = "refresh-0", expires: Double? = 4_000_000_000) -> ChatGPTSession {
        ChatGPTSession(
            accessToken: access(serial: serial, expires: expires), refreshToken: refresh, idToken: id(),
            account: ChatGPTAccount(id: "acc-1", email: "ada@example.org", plan: .plus, name: "Ada Lovelace"),
            acquiredAt: Date(timeIntervalSince1970: 1_700_000_000), expiresAt: expires.map { Date(timeIntervalSince1970: $0) })
    }
}
