/// The computer a message is about.
public struct Host: Hashable, Sendable {
    /// What older peers know: they refuse any other word.
    public enum Platform: String, Sendable, CaseIterable { case windows = "win32", mac = "darwin" }

    /// Stable for the life of the installation.
    public var id: HostID
    /// 1 … 128 characters.
    public var name: String
    /// The legacy value; a Linux node sends the one its owner chose and says the truth in ``os``.
    public var platform: Platform
    /// Additive: `linux` for our nodes; at most 32 characters.
    public var os: String?
    /// At most 64 characters.
    public var codexVersion: String?

    public init(id: HostID, name: String, platform: Platform, os: String? = nil, codexVersion: String? = nil) {
        self.id = id
        self.name = name
        self.platform = platform
        self.os = os
        self.codexVersion = codexVersion
    }
}

/// The UUID of an installation, lower case.
public struct HostID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let uuid: String

    /// Reads a UUID in any case; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard let identity = TaskIdentity(text) else { return nil }
        uuid = identity.uuid
    }

    public static func < (left: Self, right: Self) -> Bool { left.uuid < right.uuid }
    public var description: String { uuid }
}

/// What a node can really do now, as `ready` lists it.
public enum Capability: String, Sendable, CaseIterable {
    case agent, action, joystick, encoder, reasoning, keycap, usage
    case rateLimitReset = "rate-limit-reset"
}
