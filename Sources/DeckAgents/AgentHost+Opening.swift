import CodexKit
import Files
import FoundationEssentials
import Glibc
import RelayProtocol

extension AgentHost {
    /// Whether threads were kept by an earlier run; costs one system call.
    public nonisolated var hasThreads: Bool {
        statePath.map { access($0, F_OK) == 0 } ?? false
    }

    /// Whether somebody has asked or signed in before, as far as that costs next to nothing to tell: nothing is opened, and no keyring asked.
    public nonisolated func seemsUsable(_ configuration: Configuration) -> Bool {
        // Signing in leaves the lock of the session's store behind.
        hasThreads || configuration.externalSession != nil || configuration.secureStore.lockPath.map { access($0, F_OK) == 0 } == true
    }

    /// Opens the threads if there are any, so that their tasks are told.
    ///
    /// - Throws: ``AgentHostError``; one with ``AgentHostError/isInUse`` when another process has them.
    public func openIfUsed() async throws(AgentHostError) {
        guard hasThreads, runtime == nil else { return }
        _ = try await open()
    }

    /// Opens the threads and makes the file when it is missing.
    @discardableResult
    func open() async throws(AgentHostError) -> AgentRuntime {
        if let runtime { return runtime }
        let task = opening ?? Task { try await self.load() }
        opening = task
        do {
            return try await task.value
        } catch {
            if opening == task { opening = nil }
            throw .wrapping(error)
        }
    }

    /// Whether the threads are open in this process.
    public var isOpen: Bool { runtime != nil }

    private func load() async throws -> AgentRuntime {
        let new = try makeRuntime()
        let threads = try await new.threads()
        // Read under the lock that the open threads hold.
        try loadBook(of: threads)
        let told = threads.filter { thread in Self.identity(of: thread.id).map { !book.note(of: $0).isArchived } ?? false }
        for thread in told.prefix(Self.maximumTasks) { try await enter(thread, from: new) }
        try await takePending(of: new)
        runtime = new
        for identity in entries.keys.sorted() { tell(identity) }
        return new
    }

    private func makeRuntime() throws -> AgentRuntime {
        var parts = AgentRuntime.Configuration(
            authProvider: configuration.authProvider, secureStore: configuration.secureStore,
            backend: MeteredBackend(base: configuration.backend, meter: meter), approvalPresenter: WaitingApprovalPresenter(),
            stateStore: configuration.makeStore())
        parts.baseInstructions = configuration.instructions
        parts.backgroundActivityProvider = configuration.activity
        parts.logging = configuration.logging
        let now = configuration.now
        parts.now = { Date(timeIntervalSince1970: Double(now().value) / 1_000) }
        parts.tools = (configuration.tools ?? hostTools) + (configuration.questions.map { [$0.registration] } ?? [])
        configuration.questions?.follow { [weak self] threadID in Task { await self?.questionChanged(in: threadID) } }
        return try AgentRuntime(configuration: parts)
    }

    private var hostTools: [AgentRuntime.ToolRegistration] {
        // Also what was seen with another configuration: a command may have renamed it.
        hiddenFiles.formUnion(configuration.hidden.identities)
        var hidden = configuration.hidden
        hidden.known = hiddenFiles
        let runner = CommandRunner(commands: commands, variables: configuration.variables, hidden: hidden)
        return HostTools(sandbox: sandbox, runner: runner) { [weak self] in
            guard let identity = Self.identity(of: $0) else { return nil }
            return await self?.folder(of: identity)
        }.registrations
    }

    private func loadBook(of threads: [AgentThread]) throws {
        guard let path = configuration.bookPath else { return }
        let (loaded, notice) = try AgentBook.load(path, now: configuration.now())
        book = loaded
        book.keep(only: Set(threads.compactMap { Self.identity(of: $0.id) }))
        if let notice { configuration.logging.log(.warning, .persistence, notice) }
    }

    /// Takes up a thread of the store.
    @discardableResult
    func enter(_ thread: AgentThread, from runtime: AgentRuntime) async throws -> TaskIdentity? {
        guard let identity = Self.identity(of: thread.id) else { return nil }
        if entries[identity] != nil { return identity }
        let turns = try await runtime.turns(of: thread.id)
        // Somebody else may have been quicker.
        if entries[identity] != nil { return identity }
        let note = book.note(of: identity)
        var entry = Entry(thread: thread)
        entry.ended = Int64(turns.count { $0.status != .running }) + note.resumptions
        if let last = turns.last {
            entry.start = AgentTask.Start(at: Self.milliseconds(last.startedAt), revision: Int64(turns.count))
            entry.end = switch last.status {
            case .completed: .completed
            case .failed: .failed
            case .interrupted, .running: note.stoppedTurn == last.id ? .stopped : .cut
            }
        }
        entries[identity] = entry
        return identity
    }

    /// The questions of turns that were cut off; an answer lets the turn go on.
    private func takePending(of runtime: AgentRuntime) async throws {
        for request in try await runtime.pendingApprovals() {
            guard let identity = Self.identity(of: request.threadID), entries[identity]?.end == .cut else { continue }
            let approval = await approval(request, identity)
            if entries[identity]?.approvals.contains(where: { $0.id == approval.id }) == false { entries[identity]?.approvals.append(approval) }
        }
    }

    // MARK: Session

    /// Looks up who is signed in, once; again after ``reconfigure(_:)``.
    ///
    /// - Throws: ``AgentHostError`` whose ``AgentHostError/needsSignIn`` is set when nobody is.
    func requireSession(_ runtime: AgentRuntime) async throws(AgentHostError) {
        do {
            if let external = configuration.externalSession { await runtime.useSession(external) }
            if await runtime.currentSession() == nil { try await runtime.sessionManager.restore() }
            let found = await runtime.currentSession() != nil
            setSession(found)
            guard found else {
                // An external session says itself what is wrong with it.
                _ = try await runtime.sessionManager.validSession()
                throw Self.signedOut
            }
        } catch {
            setSession(false)
            let error = AgentHostError.wrapping(error)
            guard error.needsSignIn, configuration.externalSession == nil else { throw error }
            throw AgentHostError(code: error.code, Self.signInHint)
        }
    }

    private static let signInHint = "Nobody is signed in; run `decknode login`."
    static let signedOut = AgentHostError(code: AgentRuntimeError.Code.missingSession.rawValue, signInHint)

    // MARK: The book

    private func questionChanged(in threadID: String) { Self.identity(of: threadID).map { tell($0) } }

    /// Where a thread's tools work. A book that was lost moves no thread anywhere, least of all into the whole home folder.
    func folder(of identity: TaskIdentity) -> String? {
        // Tools of somebody else run nothing in it.
        book.note(of: identity).folder ?? (configuration.tools == nil ? nil : configuration.home)
    }

    /// Writes the book. What cannot be written is told in the log: the threads themselves are safe.
    func saveBook() {
        guard let path = configuration.bookPath else { return }
        do throws(FileError) {
            try AtomicFile.write(book.json.encoded(), to: path)
        } catch {
            configuration.logging.log(.error, .persistence, "The folders of agent tasks are not saved: \(error)")
        }
    }

    // MARK: The end

    /// Stops all turns, which are kept as cut off, and waits for them at most as long as the runtime needs.
    public func close() async {
        guard let runtime else { return }
        for entry in entries.values where entry.isRunning { await runtime.interruptTurn(in: entry.thread.id) }
    }

    /// Ends the thread that commands run on, and the commands.
    public nonisolated func shutdown() { commands.shutdown() }
}
