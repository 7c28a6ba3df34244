import JSON
import RelayProtocol

/// What the first line of a rollout says about its session.
public struct SessionMeta: Equatable, Sendable {
    /// What started the session.
    public enum Source: Equatable, Sendable {
        /// A terminal with an embedded server.
        case terminal
        /// `codex exec`.
        case exec
        /// A thread of an app-server, whichever client asked for it.
        case appServer
        /// A word this version does not know, at most 64 characters.
        case other(String)
    }

    /// The thread's own `id`. `session_id` names a tree of threads and is not it. `nil` when the line has none.
    public var id: TaskIdentity?
    public var source: Source?
    /// The client's name for itself, at most 64 characters.
    public var originator: String?
    /// At most 64 characters.
    public var cliVersion: String?
    /// Whether the session is a sub-agent, a review or a title helper: no task of the user.
    public var isHelper: Bool
    /// Whether the session began as a copy of another.
    public var isFork: Bool

    public init(
        id: TaskIdentity?, source: Source? = nil, originator: String? = nil, cliVersion: String? = nil, isHelper: Bool = false, isFork: Bool = false
    ) {
        self.id = id
        self.source = source
        self.originator = originator
        self.cliVersion = cliVersion
        self.isHelper = isHelper
        self.isFork = isFork
    }
}

extension SessionMeta {
    /// The members that are read, from the payload or, in old files, from the line itself.
    static let keys = ["id", "source", "originator", "cli_version", "parent_thread_id", "thread_source", "ephemeral", "forked_from_id"]

    /// - Parameter values: One for each of ``keys``, in their order.
    init(values: [JSONValue?]) {
        func text(_ value: JSONValue?) -> String? { value?.string.map { String($0.prefix(64)) } }
        var values = values[...]
        func next() -> JSONValue? { values.popFirst() ?? nil }
        id = next()?.string.flatMap { TaskIdentity($0) }
        let source = next()
        originator = text(next())
        cliVersion = text(next())
        let parent = next()
        let threadSource = text(next())
        let ephemeral = next()?.bool ?? false
        isFork = next()?.string?.isEmpty == false
        self.source = text(source).map(Source.init(word:))
        isHelper =
            ephemeral || parent?.string?.isEmpty == false || Self.isHelper(source: source)
            || threadSource.map(Self.isHelper(word:)) ?? false
    }

    /// `source` is a word, or an object whose key is one: `{"subagent":"review"}`.
    private static func isHelper(source: JSONValue?) -> Bool {
        switch source {
        case .string(let word): isHelper(word: word)
        case .object(let members): members.keys.contains(where: isHelper(word:))
        default: false
        }
    }

    private static func isHelper(word: String) -> Bool {
        let plain = word.lowercased().filter { $0 != "_" && $0 != "-" }
        return helperWords.contains { plain.contains($0) }
    }

    private static let helperWords = ["subagent", "review", "title", "internal", "memory"]
}

extension SessionMeta.Source {
    init(word: String) {
        switch word {
        case "cli": self = .terminal
        case "exec": self = .exec
        case "vscode", "appServer", "app_server", "mcp": self = .appServer
        default: self = .other(word)
        }
    }
}
