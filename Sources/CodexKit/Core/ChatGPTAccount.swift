/// Whose session it is.
public struct ChatGPTAccount: Codable, Hashable, Sendable {
    /// The account that requests are billed to.
    public let id: String
    public let email: String
    public let plan: ChatGPTPlanType
    /// The name as the identity token has it; `nil` when it has none.
    public let name: String?

    public init(id: String, email: String, plan: ChatGPTPlanType) {
        self.init(id: id, email: email, plan: plan, name: nil)
    }

    public init(id: String, email: String, plan: ChatGPTPlanType, name: String?) {
        self.id = id
        self.email = email
        self.plan = plan
        self.name = name
    }

    /// What to call the account on a screen: its name without surrounding white space, else its email.
    public var displayName: String {
        guard let name else { return email }
        let trimmed = name.drop(while: \.isWhitespace)
        guard let last = trimmed.lastIndex(where: { !$0.isWhitespace }) else { return email }
        return String(trimmed[...last])
    }
}

/// The plan of an account, as the service names it; new ones may come.
public struct ChatGPTPlanType: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    public static let free = Self(rawValue: "free")
    public static let plus = Self(rawValue: "plus")
    public static let pro = Self(rawValue: "pro")
    public static let team = Self(rawValue: "team")
    public static let business = Self(rawValue: "business")
    public static let enterprise = Self(rawValue: "enterprise")
    public static let edu = Self(rawValue: "edu")
    public static let unknown = Self(rawValue: "unknown")
}
