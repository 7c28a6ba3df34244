import FoundationEssentials

/// One thing that happened in a thread.
public enum AgentHistoryItem: Codable, Hashable, Sendable {
    case message(AgentMessage)
    /// The model called a tool; `arguments` is the JSON text as received.
    case toolCall(ToolInvocation, arguments: String)
    case toolResult(ToolResultEnvelope)
    case approval(ApprovalResolution)
    /// The context was compacted: from here on the model reads a summary of what came before. Nothing was removed.
    case compaction(AgentCompactionRecord)

    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case message, toolCall, toolResult, approval, compaction
    }

    public var kind: Kind {
        switch self {
        case .message: .message
        case .toolCall: .toolCall
        case .toolResult: .toolResult
        case .approval: .approval
        case .compaction: .compaction
        }
    }

    /// The message, if it is one.
    public var message: AgentMessage? { if case .message(let message) = self { message } else { nil } }

    /// What a search looks at.
    var searchableText: String {
        switch self {
        case .message(let message): message.text
        case .toolCall(let invocation, let arguments): invocation.toolName + " " + arguments
        case .toolResult(let result): result.toolName + " " + (result.primaryText ?? "")
        case .approval(let resolution): resolution.toolName
        case .compaction(let record): record.summary
        }
    }
}

/// An item with its place in the thread.
public struct AgentHistoryRecord: Codable, Hashable, Identifiable, Sendable {
    public let id: String
    public let threadID: String
    /// The turn that it belongs to, if any.
    public let turnID: String?
    /// Grows along the thread, with gaps where records were deleted; given by the store, 0 before.
    public internal(set) var sequence: Int
    public let createdAt: Date
    public internal(set) var item: AgentHistoryItem

    public init(id: String = UUID().uuidString, threadID: String, turnID: String? = nil, sequence: Int = 0, createdAt: Date, item: AgentHistoryItem) {
        self.id = id
        self.threadID = threadID
        self.turnID = turnID
        self.sequence = sequence
        self.createdAt = createdAt
        self.item = item
    }
}

/// Which records of a thread are wanted. All that is given must hold.
public struct AgentHistoryQuery: Hashable, Sendable {
    /// `nil` for all.
    public var kinds: Set<AgentHistoryItem.Kind>?
    public var role: AgentRole?
    public var turnID: String?
    /// Text that occurs in the record, upper and lower case alike.
    public var text: String?
    /// Only records with a greater, or a smaller, ``AgentHistoryRecord/sequence``.
    public var after: Int?
    public var before: Int?
    public var since: Date?
    /// The most records, 0 or more; `nil` for all.
    public var limit: Int?
    public var newestFirst: Bool

    public init(
        kinds: Set<AgentHistoryItem.Kind>? = nil, role: AgentRole? = nil, turnID: String? = nil, text: String? = nil, after: Int? = nil,
        before: Int? = nil, since: Date? = nil, limit: Int? = nil, newestFirst: Bool = false
    ) {
        self.kinds = kinds
        self.role = role
        self.turnID = turnID
        self.text = text
        self.after = after
        self.before = before
        self.since = since
        self.limit = limit
        self.newestFirst = newestFirst
    }

    func matches(_ record: AgentHistoryRecord) -> Bool {
        if let kinds, !kinds.contains(record.item.kind) { return false }
        if let role, record.item.message?.role != role { return false }
        if let turnID, record.turnID != turnID { return false }
        if let after, record.sequence <= after { return false }
        if let before, record.sequence >= before { return false }
        if let since, record.createdAt < since { return false }
        return text.map { record.item.searchableText.lowercased().contains($0.lowercased()) } ?? true
    }
}

/// Which threads are wanted.
public struct AgentThreadQuery: Hashable, Sendable {
    public enum Order: Hashable, Sendable { case lastUpdated, created, title }

    /// Text in the title, upper and lower case alike.
    public var title: String?
    public var statuses: Set<AgentThreadStatus>?
    public var updatedSince: Date?
    public var limit: Int?
    public var order: Order

    public init(
        title: String? = nil, statuses: Set<AgentThreadStatus>? = nil, updatedSince: Date? = nil, limit: Int? = nil, order: Order = .lastUpdated
    ) {
        self.title = title
        self.statuses = statuses
        self.updatedSince = updatedSince
        self.limit = limit
        self.order = order
    }

    /// The threads that fit, in the order asked for: the latest first, or the title's.
    func select(from threads: some Sequence<AgentThread>) -> [AgentThread] {
        let found = threads.filter { thread in
            if let title, thread.title?.lowercased().contains(title.lowercased()) != true { return false }
            if let statuses, !statuses.contains(thread.status) { return false }
            if let updatedSince, thread.updatedAt < updatedSince { return false }
            return true
        }
        let sorted = found.sorted { left, right in
            switch order {
            case .lastUpdated: (right.updatedAt, left.id) < (left.updatedAt, right.id)
            case .created: (right.createdAt, left.id) < (left.createdAt, right.id)
            case .title: (left.title ?? "", left.id) < (right.title ?? "", right.id)
            }
        }
        return limit.map { Array(sorted.prefix(max(0, $0))) } ?? sorted
    }
}
