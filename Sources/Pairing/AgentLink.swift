import RelayProtocol

/// A link to one task: opening it shows that task's detail and does nothing else.
public struct AgentLink: Equatable, Sendable {
    public var task: TaskIdentity
    /// A title to show until the task is found: at most ``maximumTitleLength`` characters, without controls.
    public var title: String?
    /// The platform its maker said, when it is a known one.
    public var platform: Host.Platform?

    /// Longer titles are cut.
    public static let maximumTitleLength = 240

    public init(task: TaskIdentity, title: String? = nil, platform: Host.Platform? = nil) {
        self.task = task
        self.title = title
        self.platform = platform
    }

    /// Reads `codexdeck://agent/<uuid>?title=…&platform=…`; both parameters may be missing, others are skipped.
    public init(_ text: String) throws(AgentLinkError) {
        let url: CodexDeckURL
        do { url = try CodexDeckURL(text) } catch { throw AgentLinkError(error) }
        try self.init(url)
    }

    init(_ url: CodexDeckURL) throws(AgentLinkError) {
        guard url.host == "agent", url.path.first == "/" else { throw .notATaskLink }
        guard let task = TaskIdentity(url.path.dropFirst()) else { throw .noIdentity }
        guard url.repeatedName == nil else { throw .malformed }
        let title = url.value("title").map { DisplayText.sanitized($0, maximumCharacters: Self.maximumTitleLength) }
        self.init(task: task, title: title?.isEmpty == true ? nil : title, platform: url.value("platform").flatMap(Host.Platform.init))
    }

    /// The link as text.
    public var text: String {
        var fields: [String] = []
        if let title { fields.append("title=" + CodexDeckURL.encoded(title)) }
        if let platform { fields.append("platform=" + platform.rawValue) }
        return "codexdeck://agent/\(task)" + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))
    }
}

/// Why a text is not a link to a task.
public enum AgentLinkError: Error, Equatable, Sendable, CustomStringConvertible {
    case tooLong, notATaskLink, malformed
    /// What follows `agent/` is not a UUID.
    case noIdentity

    init(_ problem: CodexDeckURL.Problem) {
        switch problem {
        case .tooLong: self = .tooLong
        case .notCodexDeck: self = .notATaskLink
        case .malformed: self = .malformed
        }
    }

    public var description: String {
        switch self {
        case .tooLong: "This is too long for a link to a task; copy only the line that starts with codexdeck://agent."
        case .notATaskLink: "This is not a link to a task; such a link starts with codexdeck://agent/."
        case .malformed: "This link to a task is damaged; copy it again, in one line."
        case .noIdentity: "This link names no task; copy all of it."
        }
    }
}

/// Any link that the `codexdeck` scheme can hold, for the program that the desktop calls with one.
public enum DeckLink: Equatable, Sendable {
    case pair(PairingLink)
    case agent(AgentLink)

    /// - Throws: ``PairingLinkError`` or ``AgentLinkError``; the first for a link that is of neither kind.
    public init(_ text: String) throws {
        if let url = try? CodexDeckURL(text), url.host == "agent" {
            self = .agent(try AgentLink(url))
        } else {
            self = .pair(try PairingLink(text))
        }
    }
}
