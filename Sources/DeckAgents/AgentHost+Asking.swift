import CodexKit
import FoundationEssentials
import Glibc
import RelayProtocol

extension AgentHost {
    /// Asks, and tells what happens until the turn ends. The first event is the thread.
    ///
    /// Letting go of the events, or cancelling the task that reads them, stops the turn unless the ask is detached.
    /// - Throws: ``AgentHostError``: `invalid_request`, `still_working`, `thread_not_found`, `thread_unclear`, `no_folder`, what is wrong with the
    ///   session (``AgentHostError/needsSignIn``) or with the threads (``AgentHostError/isInUse``).
    public func ask(_ ask: AgentAsk) async throws(AgentHostError) -> AsyncStream<AgentAskEvent> {
        try ask.check()
        var ask = ask
        if let folder = ask.folder { ask.folder = try Self.realFolder(folder) }
        let wish = ask
        return try await keepingRuntime { () async throws(AgentHostError) in try await askNow(wish) }
    }

    private func askNow(_ ask: AgentAsk) async throws(AgentHostError) -> AsyncStream<AgentAskEvent> {
        let runtime = try await open()
        guard let wanted = ask.thread else {
            guard !ask.isEmpty else { throw .invalid("Nothing is asked.") }
            try await requireSession(runtime)
            let folder = if let folder = ask.folder { folder } else { try Self.realFolder(configuration.home) }
            let identity = try await create(in: folder, title: Self.title(of: ask), runtime)
            do {
                return try await begin(ask, in: identity, isNew: true, runtime)
            } catch {
                await discard(identity, runtime)
                throw error
            }
        }
        return try await begin(ask, in: try await resolve(wanted), isNew: false, runtime)
    }

    /// Asks in a thread without anybody who listens, as keys of the deck do.
    ///
    /// - Throws: As ``ask(_:)``.
    public func send(_ text: String, to identity: TaskIdentity) async throws(AgentHostError) {
        _ = try await ask(AgentAsk(text: text, thread: identity.uuid, isDetached: true))
    }

    /// Stops the turn of a thread; it is kept as stopped by its owner. Nothing happens when there is none.
    ///
    /// - Parameter turn: The turn that is meant; `nil` for any. Another one goes on.
    public func stop(_ identity: TaskIdentity, turn: String? = nil) async {
        guard turn == nil || entries[identity]?.turnID == turn else { return }
        await stopRunning(identity)
    }

    /// Stops the turn that began as this one did, for whoever has gone since.
    private func stop(_ identity: TaskIdentity, start: Int64) async {
        guard entries[identity]?.start?.revision == start else { return }
        await stopRunning(identity)
    }

    private func stopRunning(_ identity: TaskIdentity) async {
        guard let runtime, let entry = entries[identity], entry.isRunning else { return }
        entries[identity]?.isStopping = true
        await runtime.interruptTurn(in: entry.thread.id)
    }

    /// The thread that an owner means: by its id, the beginning of it (4 letters or more), or words of its title. Archived ones count.
    ///
    /// - Throws: ``AgentHostError`` `thread_not_found` or `thread_unclear`.
    public func resolve(_ text: String) async throws(AgentHostError) -> TaskIdentity {
        guard runtime != nil || statePath == nil || hasThreads else { throw Self.noMatch }
        let runtime = try await open()
        do {
            let wanted = text.lowercased()
            let threads = try await runtime.threads()
            let byID = threads.filter { wanted.utf8.count >= 4 && $0.id.lowercased().hasPrefix(wanted) }
            let found = byID.isEmpty && !wanted.isEmpty ? threads.filter { $0.title?.lowercased().contains(wanted) == true } : byID
            guard let thread = found.first else { throw Self.noMatch }
            guard found.count == 1 else {
                throw AgentHostError(code: "thread_unclear", "\(found.count) agent tasks match that; give more of the id or the title.")
            }
            guard let identity = try await enter(thread, from: runtime) else {
                throw AgentHostError(code: AgentRuntimeError.Code.threadNotFound.rawValue, "That thread cannot be named on a deck.")
            }
            return identity
        } catch {
            throw .wrapping(error)
        }
    }

    private static let noMatch = AgentHostError(
        code: AgentRuntimeError.Code.threadNotFound.rawValue, "No agent task matches that; see `decknode threads --archived`.")

    // MARK: Beginning

    private func begin(
        _ ask: AgentAsk, in identity: TaskIdentity, isNew: Bool, _ runtime: AgentRuntime
    ) async throws(AgentHostError) -> AsyncStream<AgentAskEvent> {
        guard let entry = entries[identity] else { throw AgentHostError(AgentRuntimeError(code: .threadNotFound, message: "That task is gone.")) }
        // Entered before anything is waited for: the next one to ask is refused.
        guard !entry.isRunning else { throw Self.stillWorking }
        entries[identity]?.isRunning = true
        do {
            try await requireSession(runtime)
            return try await start(ask, entry, identity, isNew: isNew, runtime)
        } catch {
            entries[identity]?.isRunning = false
            throw .wrapping(error)
        }
    }

    private func start(
        _ ask: AgentAsk, _ entry: Entry, _ identity: TaskIdentity, isNew: Bool, _ runtime: AgentRuntime
    ) async throws -> AsyncStream<AgentAskEvent> {
        let turn: AgentEventStream
        if ask.isEmpty {
            noteResumption(identity)
            turn = try await runtime.resumeTurn(in: entry.thread.id)
        } else {
            if let folder = ask.folder, !isNew { try await move(identity, to: folder, entry, runtime) }
            if entry.thread.title == nil, let title = Self.title(of: ask) { try await runtime.setTitle(title, for: entry.thread.id) }
            let images = ask.images.compactMap { AgentImageAttachment($0) }
            let options = RequestOptions(model: ask.model, reasoningEffort: ask.effort)
            turn = try await runtime.stream(Request(text: ask.message, images: images, options: options), in: entry.thread.id)
        }
        await noteThread(identity, entry, runtime)
        let (events, continuation) = AsyncStream<AgentAskEvent>.makeStream()
        continuation.yield(
            .thread(identity, title: entries[identity]?.thread.title, folder: folder(of: identity) ?? "", isNew: isNew))
        let start = enterTurn(identity, after: entry, asker: continuation)
        if !ask.isDetached {
            continuation.onTermination = { [weak self] reason in
                guard case .cancelled = reason else { return }
                Task { await self?.stop(identity, start: start) }
            }
        }
        bringBack(identity)
        tell(identity)
        Task { await self.follow(turn, identity) }
        // Whoever signed out while it began wants nothing of it.
        if isLeaving { await runtime.interruptTurn(in: entry.thread.id) }
        return events
    }

    /// Looks up what the beginning of a turn changed in its thread.
    private func noteThread(_ identity: TaskIdentity, _ entry: Entry, _ runtime: AgentRuntime) async {
        do {
            let thread = try await runtime.thread(id: entry.thread.id)
            entries[identity]?.thread = thread
        } catch {
            configuration.logging.log(.warning, .persistence, "An agent task cannot be looked up: \(AgentHostError.wrapping(error))")
        }
    }

    /// - Returns: The number of the turn's beginning.
    private func enterTurn(_ identity: TaskIdentity, after entry: Entry, asker: AsyncStream<AgentAskEvent>.Continuation) -> Int64 {
        // Before anybody hears that it works: the work of the turn before began at another time.
        let start = AgentTask.Start(at: Self.milliseconds(date), revision: (entry.start?.revision ?? 0) + 1)
        entries[identity]?.asker = asker
        entries[identity]?.isStopping = false
        entries[identity]?.turnID = nil
        entries[identity]?.start = start
        // What the cut-off turn waited with is asked for again, or given up.
        entries[identity]?.approvals = []
        entries[identity]?.hasAnswered = false
        entries[identity]?.followedAt = nil
        return start.revision
    }

    private func noteResumption(_ identity: TaskIdentity) {
        guard entries[identity]?.end == .cut || entries[identity]?.end == .stopped else { return }
        book.change(identity) { $0.resumptions += 1 }
        saveBook()
    }

    // MARK: Threads

    /// - Parameter folder: As ``realFolder(_:)`` returns it: the folder that is shown is the one that tools work in.
    func create(in folder: String, title: String?, _ runtime: AgentRuntime) async throws(AgentHostError) -> TaskIdentity {
        do {
            let thread = try await runtime.createThread(title: title, configuration: Self.settings(folder: folder))
            guard let identity = Self.identity(of: thread.id) else {
                throw AgentHostError(code: AgentRuntimeError.Code.threadNotFound.rawValue, "The new thread cannot be named on a deck.")
            }
            book.change(identity) { $0.folder = folder }
            saveBook()
            entries[identity] = Entry(thread: thread)
            return identity
        } catch {
            throw .wrapping(error)
        }
    }

    /// A thread whose first turn could not begin is none.
    private func discard(_ identity: TaskIdentity, _ runtime: AgentRuntime) async {
        guard let entry = entries.removeValue(forKey: identity) else { return }
        book.forget(identity)
        saveBook()
        do {
            try await runtime.deleteThread(id: entry.thread.id)
        } catch {
            configuration.logging.log(.warning, .persistence, "An empty thread could not be removed: \(AgentHostError.wrapping(error))")
        }
    }

    private func move(_ identity: TaskIdentity, to folder: String, _ entry: Entry, _ runtime: AgentRuntime) async throws {
        guard book.note(of: identity).folder != folder else { return }
        book.change(identity) { $0.folder = folder }
        saveBook()
        var settings = entry.thread.configuration
        settings.instructions = Self.settings(folder: folder).instructions
        try await runtime.setConfiguration(settings, for: entry.thread.id)
    }

    static func settings(folder: String) -> AgentThreadConfiguration {
        AgentThreadConfiguration(instructions: "The working folder is \(folder).")
    }

    static let stillWorking = AgentHostError(code: "still_working", "This task is still working; wait for the end of its turn, or stop it.")

    /// The folder without links.
    ///
    /// - Throws: ``AgentHostError`` `no_folder`.
    static func realFolder(_ path: String) throws(AgentHostError) -> String {
        guard !path.isEmpty else { throw AgentHostError(code: "no_folder", noFolder) }
        var status = stat()
        guard path.hasPrefix("/"), let real = RealPath.of(path), stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw AgentHostError(code: "no_folder", "There is no folder \(DisplayText.sanitized(path, maximumCharacters: 200)).")
        }
        return real
    }

    static let noFolder = "The thread has no working folder; give it one with `decknode ask --folder`."

    /// The first line of what was asked first.
    static func title(of ask: AgentAsk) -> String? {
        let source = ask.text.allSatisfy(\.isWhitespace) ? ask.files.first?.name ?? ask.urls.first ?? "" : ask.text
        let line = source.drop(while: \.isWhitespace).prefix { !$0.isNewline }
        let title = DisplayText.sanitized(String(line), maximumCharacters: 80)
        return title.isEmpty ? nil : title
    }
}
