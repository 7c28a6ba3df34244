/// What the owner set for the node's own agents.
public struct AgentSettings: Hashable, Sendable {
    /// Whose session the agents use: the node's own, or the one of the Codex CLI.
    public enum Session: String, Sendable, CaseIterable { case own, codex }

    public var session = Session.own
    /// The server that signs people in; `nil` is OpenAI's.
    public var issuer: String?
    /// Whom the node signs in as; `nil` is the client that OpenAI gave the Codex CLI.
    public var clientID: String?
    /// Where the model answers, without `/responses`; `nil` is ChatGPT's.
    public var baseURL: String?
    /// `nil` is the usual one.
    public var model: String?
    /// How long the model thinks: `low`, `medium`, `high` or `xhigh`; `nil` is `medium`.
    public var effort: String?
    /// Whether the session may lie in a file when there is no keyring.
    public var allowsSessionFile = false

    public init() {}
}

/// Whether an address may be asked for sign-in or answers: they carry secrets, so that only this computer may be asked in clear text.
enum ServiceAddress {
    static let maximumBytes = 2_048

    static func isGood(_ text: String) -> Bool {
        guard text.utf8.count <= maximumBytes, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return false }
        if let rest = text.rest(after: "https://") { return host(rest).map { !$0.isEmpty } ?? false }
        guard let rest = text.rest(after: "http://"), let host = host(rest) else { return false }
        return host == "localhost" || host == "[::1]" || isLoopback(host)
    }

    /// The host of what follows the scheme; `nil` for user names, queries and other things that have no place in a base address.
    private static func host(_ rest: Substring) -> Substring? {
        guard !rest.contains(where: { "@?#\\".contains($0) }) else { return nil }
        let authority = rest.prefix { $0 != "/" }
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            return isPort(authority[authority.index(after: end)...]) ? authority[...end] : nil
        }
        let host = authority.prefix { $0 != ":" }
        return isPort(authority[host.endIndex...]) ? host : nil
    }

    private static func isPort(_ text: Substring) -> Bool {
        guard let first = text.first else { return true }
        return first == ":" && UInt16(text.dropFirst()).map { $0 > 0 } ?? false
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { !$0.isEmpty && $0.count <= 3 && UInt8($0) != nil }
    }
}

extension String {
    fileprivate func rest(after prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
