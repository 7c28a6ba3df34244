import CodexKit
import FoundationEssentials
import RelayProtocol

/// The threads of this node's own agents as tasks: asks, answers, forks and archives them, and tells what changes.
///
/// Nothing is opened before ``openIfUsed()`` finds threads of earlier runs, or somebody asks something. The threads belong to one process at a
/// time; a second one gets an error whose ``AgentHostError/isInUse`` is set.
public actor AgentHost {
    /// A thread and what its turns have come to.
    struct Entry {
        enum End: Equatable { case completed, failed, stopped, cut }

        var thread: AgentThread
        /// Turns that have ended in one way or another, each going-on counted anew: it only grows.
        var ended: Int64 = 0
        var end: End?
        var start: AgentTask.Start?
        var isRunning = false
        /// Calls that wait for a person, the oldest first.
        var approvals: [AgentApproval] = []
        /// When the oldest question took the place of another one of the turn: a key that is pressed soon after was meant for that one.
        var followedAt: UnixMilliseconds?
        /// Whether a question of the turn was answered.
        var hasAnswered = false
        var asker: AsyncStream<AgentAskEvent>.Continuation?
        /// The turn that runs, or ran last.
        var turnID: String?
        /// Whoever asked has gone, or asked for the end of the turn.
        var isStopping = false
    }

    private(set) var configuration: Configuration
    /// Waits for the end of the turns that run.
    private var nextConfiguration: Configuration?
    /// Calls under way that began with the present runtime and go on with it.
    private var runtimeUses = 0
    /// Whether the configuration that waits is of somebody else, or of nobody, so that nothing begins before it is taken.
    private(set) var isLeaving = false
    nonisolated let statePath: String?
    let onChange: @Sendable ([AgentChange]) -> Void
    let meter = UsageMeter()
    let commands = CommandLoop()
    let sandbox: SandboxProbe
    var runtime: AgentRuntime?
    var opening: Task<AgentRuntime, any Error>?
    var book = AgentBook()
    var entries: [TaskIdentity: Entry] = [:]
    /// Questions that were answered here, and by whom.
    var answerers: [String: AgentAnswerer] = [:]
    /// What was hidden when the threads were opened, whatever it is called since.
    var hiddenFiles: Set<FileIdentity> = []
    var published: [TaskIdentity: AgentTask] = [:]
    private var hasSession = false

    /// - Parameter onChange: Called for each change, in order, on no particular thread; must return soon.
    public init(configuration: Configuration, onChange: @escaping @Sendable ([AgentChange]) -> Void) {
        self.configuration = configuration
        statePath = configuration.statePath
        self.onChange = onChange
        sandbox = SandboxProbe(variables: configuration.variables, commands: commands)
    }

    /// Takes other settings, another backend or another session as soon as no turn runs or is about to; until then everything goes on with the
    /// former ones. The place of the threads stays.
    public func reconfigure(_ new: Configuration) async {
        nextConfiguration = new
        await takeConfiguration()
    }

    /// As ``reconfigure(_:)`` for somebody who has signed out: what runs with the former session is stopped, and kept as cut off, and nothing
    /// begins with it any more.
    public func endSession(_ new: Configuration) async {
        isLeaving = true
        nextConfiguration = new
        await close()
        await takeConfiguration()
    }

    private var isQuiet: Bool { runtimeUses == 0 && !entries.values.contains(where: \.isRunning) }

    /// Does something with the runtime that must not be exchanged meanwhile.
    ///
    /// - Throws: What `body` throws, and ``AgentHostError`` whose ``AgentHostError/needsSignIn`` is set while the session ends.
    func keepingRuntime<Value: Sendable>(_ body: () async throws(AgentHostError) -> Value) async throws(AgentHostError) -> Value {
        guard !isLeaving else { throw Self.signedOut }
        runtimeUses += 1
        defer {
            runtimeUses -= 1
            if nextConfiguration != nil { Task { await self.takeConfiguration() } }
        }
        return try await body()
    }


    func takeConfiguration() async {
        guard nextConfiguration != nil, isQuiet else { return }
        // Somebody opens the threads just now, of the former configuration.
        if let opening { _ = await opening.result }
        // Something may have begun meanwhile; its end comes here again.
        guard let next = nextConfiguration, isQuiet else { return }
        nextConfiguration = nil
        isLeaving = false
        configuration = next
        runtime = nil
        opening = nil
        hasSession = false
        // Only a runtime tells of the questions that turns wait with.
        for identity in entries.keys where entries[identity]?.isRunning == false { entries[identity]?.approvals = [] }
        if hasThreads { do { try await open() } catch { configuration.logging.log(.warning, .persistence, "\(error)") } }
    }

    // MARK: Tasks

    /// The tasks of the deck: threads that are not archived, at most ``maximumTasks`` of them.
    public func tasks() -> [AgentTask] { entries.keys.compactMap(task).filter { !$0.isArchived } }

    /// The threads that are told at most; older ones are found by their ids.
    public static let maximumTasks = 100

    /// A task by its identity, archived ones included; `nil` when it is not known or nothing has been opened.
    public func task(_ identity: TaskIdentity) -> AgentTask? {
        guard let entry = entries[identity] else { return nil }
        let thread = entry.thread
        let note = book.note(of: identity)
        let effort = thread.configuration.reasoningEffort ?? configuration.effort
        return AgentTask(
            identity: identity, title: thread.title, phase: phase(of: entry), activityAt: Self.milliseconds(thread.updatedAt), start: entry.start,
            contextUsedPercent: contextUsed(identity, entry), folder: folder(of: identity) ?? "", effort: effort,
            model: thread.configuration.model, isArchived: note.isArchived)
    }

    private func phase(of entry: Entry) -> AgentTask.Phase {
        if !entry.approvals.isEmpty { return .awaitingApproval }
        if configuration.questions?.pending(in: entry.thread.id) != nil { return .awaitingResponse }
        if entry.isRunning { return .working }
        return switch entry.end {
        case nil, .stopped: .idle
        case .completed: .finished(revision: entry.ended)
        case .failed, .cut: .failed(revision: entry.ended)
        }
    }

    private func contextUsed(_ identity: TaskIdentity, _ entry: Entry) -> Int? {
        let measured = meter.latest(entry.thread.id)
        guard let tokens = measured?.tokens ?? book.note(of: identity).contextTokens else { return nil }
        let model = measured?.model ?? entry.thread.configuration.model ?? configuration.backend.defaultModel
        guard let window = configuration.contextWindow(model), window > 0 else { return nil }
        return Int(min(max(Double(tokens) / Double(window) * 100, 0), 100).rounded())
    }

    /// Tells of a task if it differs from what was told.
    func tell(_ identity: TaskIdentity) {
        guard let task = task(identity), !task.isArchived else {
            if published.removeValue(forKey: identity) != nil { onChange([.gone(identity)]) }
            return
        }
        guard published.updateValue(task, forKey: identity) != task else { return }
        onChange([.task(task)])
    }

    // MARK: Helpers

    static func identity(of threadID: String) -> TaskIdentity? { TaskIdentity(threadID) }
    static func milliseconds(_ date: Date) -> UnixMilliseconds { UnixMilliseconds(clamping: Int64(clamping: date)) }

    func setSession(_ found: Bool) { hasSession = found }

    /// Whether somebody is signed in as far as that was looked up; without a word from the keyring before the first ask.
    public var isSignedIn: Bool { hasSession }
}

extension Int64 {
    /// Milliseconds since 1970; what is beyond the range is cut to it.
    fileprivate init(clamping date: Date) {
        let value = (date.timeIntervalSince1970 * 1_000).rounded()
        self = value.isFinite && abs(value) < 9e15 ? Int64(value) : 0
    }
}
