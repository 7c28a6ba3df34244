import JSON
import RelayProtocol

/// What the server tells without being asked, as far as it matters here.
public enum AppServerEvent: Equatable, Sendable {
    case threadStarted(ThreadRecord)
    case statusChanged(TaskIdentity, ThreadStatus)
    case nameUpdated(TaskIdentity, String?)
    case archived(TaskIdentity)
    case unarchived(TaskIdentity)
    case deleted(TaskIdentity)
    case closed(TaskIdentity)
    case tokenUsage(TaskIdentity, TokenUsage)
    case settingsUpdated(TaskIdentity, ThreadSettings)
    case readStateChanged(TaskIdentity, ReadState)
    case turnStarted(TaskIdentity, TurnRecord)
    case turnCompleted(TaskIdentity, TurnRecord)
    case itemStarted(TaskIdentity, ItemRecord)
    case itemCompleted(TaskIdentity, ItemRecord)
    /// The server asks something of its clients.
    case request(ServerRequest)
    /// A request was answered, by whomever, or came to nothing.
    case requestResolved(TaskIdentity, RequestID)
    case rateLimits(RateLimitRecord)

    /// The notifications that are read; all others are skipped.
    public static let methods: Set<String> = [
        "thread/started", "thread/status/changed", "thread/name/updated", "thread/archived", "thread/unarchived", "thread/deleted", "thread/closed",
        "thread/tokenUsage/updated", "thread/settings/updated", "thread/readState/changed", "turn/started", "turn/completed", "item/started",
        "item/completed", "serverRequest/resolved", "account/rateLimits/updated",
    ]

    /// Reads a notification; `nil` when it lacks what it must have.
    public init?(method: String, params: JSONValue) {
        if method == "thread/started" {
            guard let thread = ThreadRecord(params["thread"]) else { return nil }
            self = .threadStarted(thread)
            return
        }
        if method == "account/rateLimits/updated" {
            guard let limits = RateLimitRecord(params["rateLimits"]) else { return nil }
            self = .rateLimits(limits)
            return
        }
        guard let id = TaskIdentity(appServer: params["threadId"]), let event = Self.event(method, id, params) else { return nil }
        self = event
    }

    private static func event(_ method: String, _ id: TaskIdentity, _ params: JSONValue) -> Self? {
        switch method {
        case "thread/status/changed": .statusChanged(id, ThreadStatus(params["status"]))
        case "thread/name/updated": .nameUpdated(id, params["threadName"]?.string)
        case "thread/archived": .archived(id)
        case "thread/unarchived": .unarchived(id)
        case "thread/deleted": .deleted(id)
        case "thread/closed": .closed(id)
        case "thread/tokenUsage/updated": TokenUsage(params["tokenUsage"]).map { .tokenUsage(id, $0) }
        case "thread/settings/updated": ThreadSettings(params["threadSettings"]).map { .settingsUpdated(id, $0) }
        case "thread/readState/changed": ReadState(params["readState"]).map { .readStateChanged(id, $0) }
        case "turn/started": TurnRecord(params["turn"]).map { .turnStarted(id, $0) }
        case "turn/completed": TurnRecord(params["turn"]).map { .turnCompleted(id, $0) }
        case "item/started": ItemRecord(params).map { .itemStarted(id, $0) }
        case "item/completed": ItemRecord(params).map { .itemCompleted(id, $0) }
        case "serverRequest/resolved": RequestID(params["requestId"]).map { .requestResolved(id, $0) }
        default: nil
        }
    }
}

extension TaskIdentity {
    /// The identity of a thread the server names; `nil` when that is no UUID.
    init?(appServer value: JSONValue?) {
        guard let text = value?.string, let identity = TaskIdentity(text) else { return nil }
        self = identity
    }
}
