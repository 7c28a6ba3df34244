import JSON
import RelayProtocol

/// What a thread is doing, as the server sees it.
public enum ThreadStatus: Hashable, Sendable {
    /// The server does not hold the thread. It says nothing of what another process does with it.
    case notLoaded
    case idle
    case systemError
    case active(waitingOnApproval: Bool, waitingOnUserInput: Bool)
    /// A word of a later version.
    case unknown

    init(_ value: JSONValue?) {
        switch value?["type"]?.string {
        case "notLoaded": self = .notLoaded
        case "idle": self = .idle
        case "systemError": self = .systemError
        case "active":
            let flags = (value?["activeFlags"]?.array ?? []).compactMap(\.string)
            self = .active(waitingOnApproval: flags.contains("waitingOnApproval"), waitingOnUserInput: flags.contains("waitingOnUserInput"))
        default: self = .unknown
        }
    }

    /// Whether the server holds the thread. An unknown word does not say, and is taken for no.
    public var isLoaded: Bool {
        switch self {
        case .idle, .systemError, .active: true
        case .notLoaded, .unknown: false
        }
    }

    public var isActive: Bool { if case .active = self { true } else { false } }
}

/// A thread as lists and announcements describe it.
public struct ThreadRecord: Equatable, Sendable {
    public var identity: TaskIdentity
    /// The name its user gave it.
    public var name: String?
    /// The user's first words, of any length.
    public var preview: String?
    public var status: ThreadStatus
    /// Absolute path of the folder it works in.
    public var folder: String?
    /// Kept nowhere: a helper of a client, or a side chat.
    public var isEphemeral: Bool
    /// It works for another thread; older versions say so without naming that thread.
    public var isSubAgent: Bool
    /// The thread a sub-agent or a review works for.
    public var parent: TaskIdentity?
    public var forkedFrom: TaskIdentity?
    /// The latest activity, whole seconds.
    public var recency: UnixMilliseconds?
    public var model: String?

    /// Reads a thread; `nil` without a UUID for an id.
    public init?(_ value: JSONValue?) {
        guard let value, let identity = TaskIdentity(appServer: value["id"]) else { return nil }
        self.identity = identity
        name = value["name"]?.string
        preview = value["preview"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        status = ThreadStatus(value["status"])
        folder = value["cwd"]?.string.flatMap { $0.hasPrefix("/") ? $0 : nil }
        isEphemeral = value["ephemeral"]?.bool ?? false
        isSubAgent = value["source"]?["subAgent"] != nil
        parent = TaskIdentity(appServer: value["parentThreadId"])
        forkedFrom = TaskIdentity(appServer: value["forkedFromId"])
        let seconds = ["recencyAt", "updatedAt", "createdAt"].lazy.compactMap { value[$0]?.int }.first
        recency = seconds.flatMap { UnixMilliseconds(seconds: $0) }
        model = value["model"]?.string
    }

    /// Whether the user sees it as a task of their own: no helper and no part of another task.
    public var isTask: Bool { !isEphemeral && !isSubAgent && parent == nil }
}

/// A page of threads.
public struct ThreadPage: Equatable, Sendable {
    public var threads: [ThreadRecord]
    /// What is unread of them; empty for a version that keeps no marks.
    public var readStates: [TaskIdentity: ReadState]
    /// Whether the version keeps read marks.
    public var hasReadStates: Bool
    public var nextCursor: String?

    init?(_ value: JSONValue) {
        guard let data = value["data"]?.array else { return nil }
        threads = data.compactMap { ThreadRecord($0) }
        readStates = [:]
        hasReadStates = value["readStates"]?.object != nil
        for (key, state) in value["readStates"]?.object ?? [:] {
            if let identity = TaskIdentity(key), let state = ReadState(state) { readStates[identity] = state }
        }
        nextCursor = value["nextCursor"]?.string
    }
}

/// What of a thread its user has not read.
public struct ReadState: Hashable, Sendable {
    public var isUnread: Bool
    /// Names this state of the mark; a change of the mark must name the state it changes.
    public var revision: String

    init?(_ value: JSONValue?) {
        guard let value, let revision = value["revision"]?.string else { return nil }
        self.revision = revision
        isUnread = value["firstUnread"].map { !$0.isNull } ?? false
    }
}

/// How much of the model's context the latest answer used.
public struct TokenUsage: Hashable, Sendable {
    public var lastTotal: Int64
    public var contextWindow: Int64?

    init?(_ value: JSONValue?) {
        guard let total = value?["last"]?["totalTokens"]?.int, total >= 0 else { return nil }
        lastTotal = total
        contextWindow = value?["modelContextWindow"]?.int.flatMap { $0 > 0 ? $0 : nil }
    }

    /// 0 … 100; `nil` while the size of the window is not known.
    public var contextUsedPercent: Int? {
        guard let contextWindow, contextWindow > 0 else { return nil }
        return Int(min(max(Double(lastTotal) / Double(contextWindow) * 100, 0), 100).rounded())
    }
}
