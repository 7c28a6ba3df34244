import CodexKit
import Observation

/// A runtime as a screen shows it: who is signed in, the threads, and the one that is open.
@MainActor
@Observable
public final class AgentRuntimeStore {
    public let runtime: AgentRuntime
    /// `nil` when nobody is signed in.
    public private(set) var session: ChatGPTSession?
    /// The latest first.
    public private(set) var threads: [AgentThread] = []
    /// The open thread, its messages and what is being written.
    public private(set) var current: AgentThreadSnapshot?
    /// What went wrong last, to be shown; a new action takes it away.
    public private(set) var lastError: AgentRuntimeError?
    /// Whether the open thread is answering.
    public var isAnswering: Bool { current?.thread.status.isBusy ?? false }

    @ObservationIgnored private var listTask: Task<Void, Never>?
    @ObservationIgnored private var threadTask: Task<Void, Never>?
    @ObservationIgnored private var turnTasks: [String: Task<Void, Never>] = [:]

    public init(runtime: AgentRuntime) { self.runtime = runtime }

    deinit {
        listTask?.cancel()
        threadTask?.cancel()
    }

    /// Loads session and threads, and follows them from then on.
    public func restore() async {
        await attempt {
            let restoration = try await self.runtime.restore()
            self.session = restoration.session
            self.threads = restoration.threads
        }
        await followThreads()
    }

    public func signIn() async {
        await attempt { self.session = try await self.runtime.signIn() }
    }

    public func signOut() async {
        await attempt { try await self.runtime.signOut() }
        session = await runtime.currentSession()
    }

    /// Uses a session that the program manages.
    public func useSession(_ session: ChatGPTSession) async {
        await runtime.useSession(session)
        self.session = await runtime.currentSession()
    }

    /// Begins a thread and opens it.
    public func createThread(title: String? = nil, personaStack: AgentPersonaStack? = nil, skillIDs: [String] = []) async {
        await attempt {
            let thread = try await self.runtime.createThread(title: title, personaStack: personaStack, skillIDs: skillIDs)
            try await self.refreshThreads()
            try await self.follow(thread.id)
        }
    }

    /// Opens a thread; `nil` closes the open one.
    public func open(_ threadID: String?) async {
        threadTask?.cancel()
        threadTask = nil
        current = nil
        guard let threadID else { return }
        await attempt { try await self.follow(threadID) }
    }

    /// Deletes a thread, and closes it if it is open.
    public func deleteThread(_ threadID: String) async {
        await attempt {
            try await self.runtime.deleteThread(id: threadID)
            try await self.refreshThreads()
        }
        if current?.thread.id == threadID, lastError == nil { await open(nil) }
    }

    /// Asks in the open thread. Returns when the question is kept; the answer shows in ``current``, a failure in ``lastError``.
    public func send(_ request: Request) async {
        await answer { runtime, id in try await runtime.stream(request, in: id) }
    }

    /// Goes on with the open thread's turn, which was cut off.
    public func resume() async {
        await answer { runtime, id in try await runtime.resumeTurn(in: id) }
    }

    /// Interrupts the answer in the open thread.
    public func interrupt() async {
        guard let id = current?.thread.id else { return }
        await runtime.interruptTurn(in: id)
    }

    /// Answers a question that waits, also one of a turn that was cut off.
    public func resolveApproval(_ request: ApprovalRequest, _ decision: ApprovalDecision) async {
        await attempt { try await self.runtime.resolveApproval(request.id, decision) }
    }

    // MARK: Following

    private func attempt(_ body: @MainActor () async throws -> Void) async {
        lastError = nil
        do {
            try await body()
        } catch {
            show(error)
        }
    }

    private func show(_ error: any Error) {
        lastError = error as? AgentRuntimeError ?? AgentRuntimeError(code: .serverFailed, message: "Something went wrong.")
    }

    private func answer(_ begin: @MainActor (AgentRuntime, String) async throws -> AgentEventStream) async {
        guard let id = current?.thread.id else { return }
        await attempt {
            let events = try await begin(self.runtime, id)
            self.turnTasks[id] = Task { [weak self] in
                do {
                    for try await _ in events {}
                } catch let error as AgentRuntimeError where error.code == .turnInterrupted {
                    // The status of the thread says so.
                } catch {
                    self?.show(error)
                }
                self?.turnTasks[id] = nil
            }
        }
    }

    private func refreshThreads() async throws { threads = try await runtime.threads() }

    private func followThreads() async {
        listTask?.cancel()
        let events = await runtime.observeEvents()
        listTask = Task { [weak self] in
            for await event in events {
                switch event.event {
                case .threadStatusChanged, .threadUpdated, .threadDeleted, .turnCompleted, .turnFailed: break
                default: continue
                }
                await self?.attemptQuietly { try await $0.refreshThreads() }
            }
        }
    }

    /// A list that could not be read again keeps what it shows; the next event tries again.
    private func attemptQuietly(_ body: @MainActor (AgentRuntimeStore) async throws -> Void) async {
        do { try await body(self) } catch { show(error) }
    }

    private func follow(_ id: String) async throws {
        threadTask?.cancel()
        let snapshots = try await runtime.observeThread(id: id)
        current = try await runtime.snapshot(of: id)
        threadTask = Task { [weak self] in
            for await snapshot in snapshots {
                guard !Task.isCancelled else { return }
                self?.current = snapshot.isDeleted ? nil : snapshot
            }
        }
    }
}
