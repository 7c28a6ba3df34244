import FoundationEssentials

/// Something worth knowing in later threads.
public struct MemoryRecord: Codable, Hashable, Identifiable, Sendable {
    public let id: String
    /// Whose memory it is; nothing is ever recalled from another namespace.
    public let namespace: String
    /// A part of the namespace, such as a project.
    public let scope: String
    /// Such as `preference`, `fact` or `decision`.
    public let kind: String
    /// The thing itself, in a sentence or two.
    public let summary: String
    public let tags: [String]
    /// 0 … 1.
    public let importance: Double
    public let createdAt: Date
    public let updatedAt: Date
    /// When it stops being true; `nil` for never.
    public let expiresAt: Date?
    /// Kept, and not recalled any more.
    public let isArchived: Bool

    public init(
        id: String = UUID().uuidString, namespace: String, scope: String = "general", kind: String = "fact", summary: String, tags: [String] = [],
        importance: Double = 0.5, createdAt: Date = Date(), updatedAt: Date? = nil, expiresAt: Date? = nil, isArchived: Bool = false
    ) {
        self.id = id
        self.namespace = namespace
        self.scope = scope
        self.kind = kind
        self.summary = summary
        self.tags = tags
        self.importance = importance.isFinite ? min(max(importance, 0), 1) : 0.5
        self.createdAt = createdAt
        self.updatedAt = updatedAt ?? createdAt
        self.expiresAt = expiresAt
        self.isArchived = isArchived
    }
}

/// Which records are wanted.
public struct MemoryQuery: Hashable, Sendable {
    public var namespace: String
    /// Empty for all.
    public var scopes: [String]
    public var kinds: [String]
    /// Records must have one of these; empty for any.
    public var tags: [String]
    /// Words to look for, in any order and form; `nil` for no search. Never a query language: every character is text.
    public var text: String?
    public var minimumImportance: Double
    /// The most records, 0 or more.
    public var limit: Int
    public var includesArchived: Bool

    public init(
        namespace: String, scopes: [String] = [], kinds: [String] = [], tags: [String] = [], text: String? = nil, minimumImportance: Double = 0,
        limit: Int = 20, includesArchived: Bool = false
    ) {
        self.namespace = namespace
        self.scopes = scopes
        self.kinds = kinds
        self.tags = tags
        self.text = text
        self.minimumImportance = minimumImportance
        self.limit = limit
        self.includesArchived = includesArchived
    }

    func admits(_ record: MemoryRecord, at now: Date) -> Bool {
        record.namespace == namespace && (scopes.isEmpty || scopes.contains(record.scope)) && (kinds.isEmpty || kinds.contains(record.kind))
            && (tags.isEmpty || !Set(tags).isDisjoint(with: record.tags)) && record.importance >= minimumImportance
            && (includesArchived || !record.isArchived) && record.expiresAt.map { $0 > now } ?? true
    }

    /// The words of a text, folded, each once; at most 32, which is plenty for a match.
    static func words(of text: String) -> [String] {
        var seen: Set<String> = []
        var words: [String] = []
        for word in text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }) where words.count < 32 {
            if word.count > 1 || word.first?.isASCII == false, seen.insert(String(word)).inserted { words.append(String(word)) }
        }
        return words
    }
}

/// What a thread has to do with the memory.
public struct AgentThreadMemory: Codable, Hashable, Sendable {
    public var namespace: String
    /// The scopes to recall from; empty for all. The first is where captured records go.
    public var scopes: [String]
    /// The most records in one turn.
    public var maximumRecords: Int
    /// The most characters of them in one turn.
    public var maximumCharacters: Int
    /// Whether finished turns are looked through for what is worth remembering, when the runtime captures at all.
    public var captures: Bool

    public init(namespace: String, scopes: [String] = [], maximumRecords: Int = 8, maximumCharacters: Int = 4_000, captures: Bool = true) {
        self.namespace = namespace
        self.scopes = scopes
        self.maximumRecords = maximumRecords
        self.maximumCharacters = maximumCharacters
        self.captures = captures
    }
}

/// What the memory contributes to one turn.
public enum MemorySelection: Codable, Hashable, Sendable {
    /// Nothing is recalled and nothing captured.
    case disabled
    /// These scopes instead of the thread's.
    case scopes([String])
}
