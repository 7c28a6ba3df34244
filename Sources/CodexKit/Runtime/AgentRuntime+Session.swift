extension AgentRuntime {
    /// What ``restore()`` found.
    public struct Restoration: Sendable {
        /// The session of an earlier run, if one was stored.
        public let session: ChatGPTSession?
        public let threads: [AgentThread]
        /// The threads whose last turn was cut off.
        public let interruptedThreadIDs: [String]
        /// What a person should know, such as a damaged file that was set aside.
        public let notices: [String]
    }

    /// Loads the session and the threads of earlier runs. Turns that were under way when the program ended are marked interrupted.
    ///
    /// Everything but the session is loaded by itself with the first use of a thread.
    @discardableResult
    public func restore() async throws -> Restoration {
        let session = try await sessionManager.restore()
        let (notices, interrupted) = try await load()
        return Restoration(
            session: session, threads: AgentThreadQuery().select(from: threads.values), interruptedThreadIDs: interrupted, notices: notices)
    }

    /// Asks a person to sign in and stores the session.
    @discardableResult
    public func signIn() async throws -> ChatGPTSession {
        let session = try await sessionManager.signIn()
        logging.log(.notice, .auth, "signed in")
        return session
    }

    /// Interrupts all turns, forgets the session and deletes it from the store. Threads stay.
    public func signOut() async throws {
        for turn in Array(activeTurns.values) + Array(ephemeralTurns.values) { turn.task?.cancel() }
        try await sessionManager.signOut()
        logging.log(.notice, .auth, "signed out")
    }

    /// Who is signed in; `nil` for nobody.
    public func currentSession() async -> ChatGPTSession? { await sessionManager.currentSession() }

    /// Uses a session that the program manages; it is neither stored nor renewed.
    public func useSession(_ session: ChatGPTSession) async { await sessionManager.useSession(session) }

    /// Uses a session that another program manages, such as ``CodexCLISession``.
    public func useSession(_ source: any ExternalSessionProviding) async { await sessionManager.useSession(source) }

    // MARK: Loading

    /// Loads the threads once. Turns of this process that another runtime runs on the same store are left alone.
    @discardableResult
    func load() async throws -> (notices: [String], interrupted: [String]) {
        if isLoaded { return ([], lastTurns.values.filter { $0.status == .interrupted }.map(\.threadID)) }
        let summary = try await store { try await $0.load() }
        let living = await LiveTurns.shared.ids
        // Somebody else may have been here meanwhile.
        if isLoaded { return ([], lastTurns.values.filter { $0.status == .interrupted }.map(\.threadID)) }
        isLoaded = true
        var changes: [RuntimeStateChange] = []
        for var thread in summary.threads {
            if var turn = summary.lastTurns[thread.id] {
                if turn.status == .running, !living.contains(turn.id) {
                    turn.status = .interrupted
                    turn.endedAt = now
                    thread.status = .interrupted
                    changes += [.saveTurn(turn), .saveThread(thread)]
                }
                lastTurns[thread.id] = turn
            } else if thread.status.isBusy {
                thread.status = .idle
                changes.append(.saveThread(thread))
            }
            threads[thread.id] = thread
        }
        for notice in summary.notices { logging.log(.warning, .persistence, notice) }
        if !changes.isEmpty {
            let changes = changes
            try await store { try await $0.apply(changes) }
        }
        return (summary.notices, lastTurns.values.filter { $0.status == .interrupted }.map(\.threadID))
    }

    /// Uses the store and makes its failures this library's.
    func store<Result: Sendable>(_ body: @Sendable (any RuntimeStateStoring) async throws -> Result) async throws(AgentRuntimeError) -> Result {
        do {
            return try await body(configuration.stateStore)
        } catch {
            let error = AgentRuntimeError.wrapping(error, as: .stateStoreFailed, "The threads cannot be read or kept.")
            logging.log(.error, .persistence, error.message)
            throw error
        }
    }
}

/// The turns that run in this process, so that a second runtime on the same store does not take them for leftovers of a crash.
actor LiveTurns {
    static let shared = LiveTurns()
    private(set) var ids: Set<String> = []

    func begin(_ id: String) { ids.insert(id) }
    func end(_ id: String) { ids.remove(id) }
}
