import FoundationEssentials

/// A signed-in account and the tokens that prove it. Printing it never shows a token.
public struct ChatGPTSession: Codable, Hashable, Sendable {
    /// What requests carry.
    public let accessToken: String
    /// What renews the session; `nil` for sessions that others manage.
    public let refreshToken: String?
    public let idToken: String?
    public let account: ChatGPTAccount
    /// When the tokens were made.
    public let acquiredAt: Date
    /// When the access token ends; `nil` when it does not say.
    public let expiresAt: Date?
    /// Whether somebody else renews it: it is neither stored nor renewed here.
    public let isExternallyManaged: Bool

    public init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil, account: ChatGPTAccount, acquiredAt: Date = Date(),
        expiresAt: Date? = nil, isExternallyManaged: Bool = false
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.account = account
        self.acquiredAt = acquiredAt
        self.expiresAt = expiresAt
        self.isExternallyManaged = isExternallyManaged
    }

    /// Whether the access token ends within `margin` of `now`.
    public func needsRefresh(at now: Date, margin: TimeInterval) -> Bool {
        expiresAt.map { $0.timeIntervalSince(now) <= margin } ?? false
    }
}

extension ChatGPTSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "session of \(account.displayName)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["account": account, "acquiredAt": acquiredAt, "expiresAt": expiresAt as Any])
    }
}
