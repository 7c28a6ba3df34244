import FoundationEssentials
import JSON

/// The tokens in an answer of `/oauth/token`.
struct TokenAnswer: Sendable {
    let accessToken: String
    let refreshToken: String?
    let idToken: String?
    let lifetime: TimeInterval?

    /// `nil` without an access token that can stand in a header.
    init?(_ json: JSONValue?) {
        guard let json, let access = json["access_token"]?.string, Self.isToken(access) else { return nil }
        accessToken = access
        refreshToken = json["refresh_token"]?.string.flatMap { Self.isToken($0) ? $0 : nil }
        idToken = json["id_token"]?.string.flatMap { Self.isToken($0) ? $0 : nil }
        lifetime = json["expires_in"]?.number.flatMap { $0 > 0 && $0 < 1e9 ? $0 : nil }
    }

    static func isToken(_ text: String) -> Bool {
        (1...16_384).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// The session of these tokens; what they leave out is taken from the session they renew.
    ///
    /// - Returns: `nil` when nothing names the account.
    func session(replacing old: ChatGPTSession?, now: Date) -> ChatGPTSession? {
        let idClaims = idToken.flatMap { TokenClaims(token: $0) }, accessClaims = TokenClaims(token: accessToken)
        guard let id = idClaims?.accountID ?? accessClaims?.accountID ?? old?.account.id else { return nil }
        let plan = idClaims?.plan ?? accessClaims?.plan
        let account = ChatGPTAccount(
            id: id, email: idClaims?.email ?? accessClaims?.email ?? old?.account.email ?? "",
            plan: plan.map { ChatGPTPlanType(rawValue: $0) } ?? old?.account.plan ?? .unknown,
            // A new identity token without a name means that there is none now.
            name: idClaims != nil ? idClaims?.name : old?.account.name)
        return ChatGPTSession(
            accessToken: accessToken, refreshToken: refreshToken ?? old?.refreshToken, idToken: idToken ?? old?.idToken, account: account,
            acquiredAt: accessClaims?.issuedAt ?? now,
            expiresAt: accessClaims?.expiresAt ?? lifetime.map { now.addingTimeInterval($0) })
    }
}
