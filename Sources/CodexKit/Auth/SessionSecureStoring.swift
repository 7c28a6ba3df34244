/// Keeps the session between runs of the program.
public protocol SessionSecureStoring: Sendable {
    /// The session that was saved last; `nil` when there is none.
    ///
    /// - Throws: ``AgentRuntimeError`` `sessionStoreFailed` or `sessionDamaged`.
    func loadSession() async throws -> ChatGPTSession?
    func saveSession(_ session: ChatGPTSession) async throws
    /// Deletes the session; no error when there is none.
    func deleteSession() async throws
    /// The file whose lock orders the processes that share this store; `nil` when no other process can.
    var lockPath: String? { get }
}

extension SessionSecureStoring {
    public var lockPath: String? { nil }
}

/// Keeps the session in memory only: it ends with the program.
public actor InMemorySessionStore: SessionSecureStoring {
    private var session: ChatGPTSession?

    public init(session: ChatGPTSession? = nil) { self.session = session }

    public func loadSession() -> ChatGPTSession? { session }
    public func saveSession(_ session: ChatGPTSession) { self.session = session }
    public func deleteSession() { session = nil }
}
