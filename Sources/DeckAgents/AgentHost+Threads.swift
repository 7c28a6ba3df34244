import CodexKit
import FoundationEssentials
import JSON
import RelayProtocol

extension AgentHost {
    /// Every thread, archived ones too, the latest first.
    ///
    /// - Throws: ``AgentHostError`` when the threads cannot be opened.
    public func allTasks() async throws(AgentHostError) -> [AgentTask] {
        // A list makes no file.
        guard runtime != nil || statePath == nil || hasThreads else { return [] }
        let runtime = try await open()
        do {
            var tasks: [AgentTask] = []
            for thread in try await runtime.threads() {
                if let identity = try await enter(thread, from: runtime), let task = task(identity) { tasks.append(task) }
            }
            return tasks
        } catch {
            throw .wrapping(error)
        }
    }

    /// Begins an empty thread in a folder.
    ///
    /// - Throws: ``AgentHostError`` `no_folder`, or as opening and signing in do: a thread that nobody can ask is of no use.
    public func newThread(in folder: String) async throws(AgentHostError) -> AgentTask {
        let real = try Self.realFolder(folder)
        return try await keepingRuntime { () async throws(AgentHostError) in
            let runtime = try await open()
            try await requireSession(runtime)
            return try finished(try await create(in: real, title: nil, runtime))
        }
    }

    /// Copies a thread with everything up to its last complete message.
    ///
    /// - Parameter asSideChat: Whether the copy is called one.
    public func fork(_ identity: TaskIdentity, asSideChat: Bool = false) async throws(AgentHostError) -> AgentTask {
        try await keepingRuntime { () async throws(AgentHostError) in try await forkNow(identity, asSideChat) }
    }

    private func forkNow(_ identity: TaskIdentity, _ asSideChat: Bool) async throws(AgentHostError) -> AgentTask {
        let (runtime, entry) = try await known(identity)
        do {
            // A call that has no result yet means nothing in a copy.
            let last = entry.isRunning ? try await runtime.messages(for: entry.thread.id).last?.id : nil
            let name = entry.thread.title.map { asSideChat ? "Side chat: " + $0 : $0 + " (fork)" }
            let copy = try await runtime.forkThread(id: entry.thread.id, through: last, title: name)
            guard let new = Self.identity(of: copy.id) else { throw Self.gone }
            let folder = book.note(of: identity).folder
            let tokens = book.note(of: identity).contextTokens
            book.change(new) {
                $0.folder = folder
                $0.contextTokens = tokens
            }
            saveBook()
            entries[new] = Entry(thread: copy)
            return try finished(new)
        } catch {
            throw .wrapping(error)
        }
    }

    /// Takes a task off the deck. Its thread stays, and comes back when it is asked something.
    ///
    /// - Throws: ``AgentHostError`` `still_working`.
    public func archive(_ identity: TaskIdentity) async throws(AgentHostError) {
        let (_, entry) = try await known(identity)
        guard !entry.isRunning, entry.approvals.isEmpty else { throw AgentHostError(code: "still_working", RelayError.stillWorking) }
        book.change(identity) { $0.isArchived = true }
        saveBook()
        tell(identity)
    }

    /// Puts an archived task on the deck again.
    public func unarchive(_ identity: TaskIdentity) async throws(AgentHostError) {
        _ = try await known(identity)
        bringBack(identity)
        tell(identity)
    }

    func bringBack(_ identity: TaskIdentity) {
        guard book.note(of: identity).isArchived else { return }
        book.change(identity) { $0.isArchived = false }
        saveBook()
    }

    /// Names a task.
    ///
    /// - Throws: ``AgentHostError`` `invalid_request` for a title of nothing but blanks.
    public func rename(_ identity: TaskIdentity, to title: String) async throws(AgentHostError) {
        let clean = DisplayText.sanitized(title, maximumCharacters: RelayLimits.maximumTitleCharacters)
        guard !clean.isEmpty else { throw .invalid("A title needs at least one visible character.") }
        let (runtime, entry) = try await known(identity)
        do { try await runtime.setTitle(clean, for: entry.thread.id) } catch { throw .wrapping(error) }
        try await refresh(identity, runtime)
    }

    /// Takes the next effort up or down for the turns to come; at the end nothing changes.
    public func changeEffort(_ identity: TaskIdentity, upwards: Bool) async throws(AgentHostError) {
        let (runtime, entry) = try await known(identity)
        let all = ReasoningEffort.allCases
        let now = entry.thread.configuration.reasoningEffort ?? configuration.effort
        guard let index = all.firstIndex(of: now), all.indices.contains(index + (upwards ? 1 : -1)) else { return }
        var settings = entry.thread.configuration
        settings.reasoningEffort = all[index + (upwards ? 1 : -1)]
        do { try await runtime.setConfiguration(settings, for: entry.thread.id) } catch { throw .wrapping(error) }
        try await refresh(identity, runtime)
    }

    /// Removes a task with everything in it, for good.
    ///
    /// - Throws: ``AgentHostError`` `still_working`.
    public func delete(_ identity: TaskIdentity) async throws(AgentHostError) {
        let (runtime, entry) = try await known(identity)
        guard !entry.isRunning else { throw Self.stillWorking }
        do { try await runtime.deleteThread(id: entry.thread.id) } catch { throw .wrapping(error) }
        entries[identity] = nil
        meter.forget(entry.thread.id)
        book.forget(identity)
        saveBook()
        tell(identity)
    }

    /// Everything in a thread, for documents.
    public func conversation(of identity: TaskIdentity) async throws(AgentHostError) -> AgentConversation {
        let (runtime, entry) = try await known(identity)
        do {
            let id = entry.thread.id
            return AgentConversation(
                entry.thread, folder: folder(of: identity),
                model: entry.thread.configuration.model ?? configuration.backend.defaultModel, turns: try await runtime.turns(of: id),
                records: try await runtime.history(of: id))
        } catch {
            throw .wrapping(error)
        }
    }

    /// Runs a command that the owner has set up, in the sandbox and without the network; nobody is asked.
    ///
    /// - Throws: ``AgentHostError`` `no_sandbox` where there is none, `no_folder`, `command_failed`.
    public func run(_ words: [String], in folder: String) async throws(AgentHostError) {
        guard !folder.isEmpty else { throw AgentHostError(code: "no_folder", Self.noFolder) }
        let finding = await sandbox.finding()
        if case .missing(let reason) = finding {
            throw AgentHostError(code: "no_sandbox", "The command of this key runs in a sandbox only, and \(reason).")
        }
        let runner = CommandRunner(commands: commands, variables: configuration.variables, hidden: configuration.hidden)
        let call: CommandCall
        do throws(CommandCall.Malformed) {
            call = try CommandCall(["argv": .array(words.map { .string($0) }), "timeout_seconds": .number(Double(CommandCall.longestSeconds))])
        } catch {
            throw .invalid(error.description)
        }
        do {
            let report = try await runner.run(call, in: folder, sandbox: finding)
            guard report.succeeded else {
                throw AgentHostError(code: "command_failed", "The command failed: \(report.text.prefix { !$0.isNewline }).")
            }
        } catch let error as CommandRunner.Failure {
            throw AgentHostError(code: "command_failed", error.description)
        } catch {
            throw .wrapping(error)
        }
    }

    // MARK: Helpers

    private func known(_ identity: TaskIdentity) async throws(AgentHostError) -> (AgentRuntime, Entry) {
        guard entries[identity] != nil else { throw Self.gone }
        let runtime = try await open()
        guard let entry = entries[identity] else { throw Self.gone }
        return (runtime, entry)
    }

    private func refresh(_ identity: TaskIdentity, _ runtime: AgentRuntime) async throws(AgentHostError) {
        guard let id = entries[identity]?.thread.id else { throw Self.gone }
        do {
            let thread = try await runtime.thread(id: id)
            entries[identity]?.thread = thread
        } catch {
            throw .wrapping(error)
        }
        tell(identity)
    }

    private func finished(_ identity: TaskIdentity) throws(AgentHostError) -> AgentTask {
        tell(identity)
        guard let task = task(identity) else { throw Self.gone }
        return task
    }

    static let gone = AgentHostError(code: AgentRuntimeError.Code.threadNotFound.rawValue, RelayError.unknownTask)

    var date: Date { Date(timeIntervalSince1970: Double(configuration.now().value) / 1_000) }
}
