/// Keeps the state for as long as the object lives: for tests and for programs that want to leave nothing behind.
public actor InMemoryRuntimeStateStore: RuntimeStateStoring {
    private var document = RuntimeStateDocument()

    public init() {}

    public func load() -> RuntimeStateSummary { document.summary }

    public func apply(_ changes: [RuntimeStateChange]) throws { _ = try document.apply(changes) }

    public func history(of threadID: String, matching query: AgentHistoryQuery) -> [AgentHistoryRecord] {
        document.history(of: threadID, matching: query)
    }

    public func turns(of threadID: String) -> [AgentTurn] { document.threads[threadID]?.turns ?? [] }

    public func contextState(of threadID: String) -> AgentContextState? { document.threads[threadID]?.context }
}
