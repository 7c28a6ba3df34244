import FoundationEssentials

/// Keeps threads and what happened in them.
///
/// ``FileRuntimeStateStore`` and ``SQLiteRuntimeStateStore`` survive the program, ``InMemoryRuntimeStateStore`` does not.
public protocol RuntimeStateStoring: Sendable {
    /// Opens the state, on first use.
    ///
    /// - Throws: ``AgentRuntimeError`` `stateStoreInUse` or `stateStoreFailed`, as all functions here.
    func load() async throws -> RuntimeStateSummary

    /// Makes all changes, or none of them; they are kept when this returns.
    func apply(_ changes: [RuntimeStateChange]) async throws

    /// The records of a thread that fit, oldest first unless asked otherwise; none for an unknown thread.
    func history(of threadID: String, matching query: AgentHistoryQuery) async throws -> [AgentHistoryRecord]

    /// The turns of a thread, oldest first.
    func turns(of threadID: String) async throws -> [AgentTurn]

    /// What the model reads instead of a thread's early past; `nil` when it reads everything.
    func contextState(of threadID: String) async throws -> AgentContextState?
}

/// The state without its histories.
public struct RuntimeStateSummary: Sendable {
    public var threads: [AgentThread]
    /// The latest turn of each thread that has one, by the thread's id.
    public var lastTurns: [String: AgentTurn]
    /// What a person should know of the opening, such as a damaged file that was set aside.
    public var notices: [String]

    public init(threads: [AgentThread] = [], lastTurns: [String: AgentTurn] = [:], notices: [String] = []) {
        self.threads = threads
        self.lastTurns = lastTurns
        self.notices = notices
    }
}

/// One change of the state.
public enum RuntimeStateChange: Sendable {
    /// Adds or replaces a thread.
    case saveThread(AgentThread)
    /// Adds or replaces a turn of a thread that exists.
    case saveTurn(AgentTurn)
    /// Adds records at the end of their threads, which exist.
    case append([AgentHistoryRecord])
    case saveContextState(AgentContextState)
    /// Back to the whole past.
    case clearContextState(threadID: String)
    /// Removes records, and a summary made of them.
    case deleteRecords(threadID: String, ids: Set<String>)
    /// Removes a thread and everything in it.
    case deleteThread(id: String)
}

/// What the model reads instead of the early past of a thread.
public struct AgentContextState: Codable, Hashable, Sendable {
    public let threadID: String
    /// The past in the model's words.
    public let summary: String
    /// The last record that the summary stands for.
    public let coveredThrough: Int
    /// How often the thread was compacted, 1 or more.
    public let generation: Int
    public let createdAt: Date

    public init(threadID: String, summary: String, coveredThrough: Int, generation: Int, createdAt: Date) {
        self.threadID = threadID
        self.summary = summary
        self.coveredThrough = coveredThrough
        self.generation = generation
        self.createdAt = createdAt
    }
}

/// A compaction as the history shows it.
public struct AgentCompactionRecord: Codable, Hashable, Sendable {
    public let summary: String
    public let coveredThrough: Int
    public let generation: Int
}
