import FoundationEssentials

/// Keeps the state in an SQLite file, and pictures in a folder beside it.
///
/// A change costs what it changes, however long the threads are. All stores of one file in a process are one; a second process is
/// refused.
public actor SQLiteRuntimeStateStore: RuntimeStateStoring {
    private let path: String
    private var opened: SQLiteStateCore?

    /// - Parameter url: The file; it and its folder are made when missing, readable by their owner only.
    public init(url: URL) { path = url.path }

    private func core() async throws -> SQLiteStateCore {
        if let opened { return opened }
        let core = try await StateCoreRegistry.shared.core(path) { try SQLiteStateCore(path: $0) }
        opened = core
        return core
    }

    public func load() async throws -> RuntimeStateSummary { try await core().summary() }

    public func apply(_ changes: [RuntimeStateChange]) async throws { try await core().apply(changes) }

    public func history(of threadID: String, matching query: AgentHistoryQuery) async throws -> [AgentHistoryRecord] {
        try await core().history(of: threadID, matching: query)
    }

    public func turns(of threadID: String) async throws -> [AgentTurn] { try await core().turns(of: threadID) }

    public func contextState(of threadID: String) async throws -> AgentContextState? { try await core().contextState(of: threadID) }
}
