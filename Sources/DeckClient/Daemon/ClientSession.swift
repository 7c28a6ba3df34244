import EventLoop
import Files
import Log
import RelayProtocol
import Synchronization

/// The way of every command and dashboard to the engine: the one that runs already, or its own when there is none.
///
/// Never do two engines write: whoever holds the lock is the engine, everybody else looks at it through its socket. When it ends while
/// a lasting session looks at it, the session finds the next one or becomes it.
public actor ClientSession {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How the session is used.
    public enum Kind: Sendable {
        /// A command that looks or acts once.
        case once
        /// A view that stays open.
        case lasting
        /// A view that stays open and can show a task.
        case dashboard
        /// The background engine: it insists on being the one that writes, and waits for another one to end.
        case daemon
    }

    private enum Backend {
        case none
        case local(ClientEngine, EngineServer?)
        case remote(RemoteEngine)
    }

    public nonisolated let loop: EventLoop
    /// What was known last.
    public private(set) var state = ClientState.empty
    /// Called on the loop with each state that differs from the one before.
    private var onState: (@Sendable (ClientState) -> Void)?
    /// Called on the loop at each step of a command, of any screen.
    private var onReceipt: (@Sendable (ReceiptRecord) -> Void)?
    /// Called on the loop with a task that the user wants to see.
    private var onShow: (@Sendable (TaskIdentity) -> Void)?

    private let environment: ClientEnvironment
    private let kind: Kind
    private let store: ClientStore
    private let logger: Logger
    private var backend = Backend.none
    private var commands: Set<Int> = []
    private var isStopped = false
    private var clock: Timer?
    /// For ``shutdownLoops()``, which is called from anywhere.
    private nonisolated let engine = Mutex<ClientEngine?>(nil)

    /// How long a command waits for another one that does not share its engine.
    private static let patience = Duration.seconds(15)
    private static let pause = Duration.milliseconds(50)

    public init(_ kind: Kind, environment: ClientEnvironment) throws {
        self.kind = kind
        self.environment = environment
        store = ClientStore(environment)
        logger = environment.logger.category("client")
        loop = try EventLoop(name: "client")
    }

    // MARK: - Life

    /// Finds the running engine or starts one.
    ///
    /// - Throws: ``EngineError``, and what reading profiles, memory and tokens may throw.
    public func start() async throws {
        let deadline = ContinuousClock.now + Self.patience
        while !isStopped {
            if try await attach() { return }
            guard kind == .daemon || ContinuousClock.now < deadline else { throw EngineError.busy }
            await wait(kind == .daemon ? .seconds(1) : Self.pause)
        }
    }

    /// Whether this process runs the engine itself.
    public var isEngine: Bool { if case .local = backend { true } else { false } }

    /// Ends this session; what it carries out is given up, except that releases still leave.
    public func stop() async {
        isStopped = true
        clock?.cancel()
        switch backend {
        case .none: break
        case .local(let engine, let server):
            server?.stopAccepting()
            await engine.stop()
            server?.close()
        case .remote(let remote):
            remote.onLost = nil
            remote.close()
        }
        backend = .none
    }

    /// Waits until what is known by now is on disk.
    package func settleFiles() async {
        guard case .local(let engine, _) = backend else { return }
        await engine.fileLoop.value { () throws(Never) in }
    }

    /// Waits for what is being written and ends the threads; the session cannot be used after this. Not on its loop.
    public nonisolated func shutdownLoops() {
        engine.withLock { $0 }?.shutdownFiles()
        loop.shutdown()
    }

    /// - Returns: Whether there is an engine now.
    private func attach() async throws -> Bool {
        let isDashboard = if case .dashboard = kind { true } else { false }
        if kind != .daemon, let remote = try await RemoteEngine.connect(to: store.socketPath, shows: isDashboard, on: loop) {
            adopt(remote)
            return true
        }
        let lock: AdvisoryLock
        do {
            lock = try store.engineLock()
        } catch {
            guard case .heldBy(let process, _)? = error as? LockError else { throw error }
            if kind == .daemon {
                logger.logOnce(
                    "waiting", .notice, "Another deckclient is the engine\(process.map { " (process \($0))" } ?? ""); waiting for it to end.")
            }
            return false
        }
        let isResident = if case .once = kind { false } else { true }
        let local = try ClientEngine(environment: environment, lock: lock, isResident: isResident, loop: loop)
        engine.withLock { $0 = local }
        do {
            try await local.start()
        } catch {
            // The place of the engine is free again.
            engine.withLock { $0 = nil }
            await local.stop()
            local.shutdownFiles()
            throw error
        }
        adopt(local, isResident: isResident, isDashboard: isDashboard)
        return true
    }

    private func adopt(_ local: ClientEngine, isResident: Bool, isDashboard: Bool) {
        var server: EngineServer?
        if isResident {
            do {
                server = try EngineServer(path: store.socketPath, manager: environment.manager, engine: local, loop: loop, logger: logger)
            } catch {
                logger.warning("Other commands cannot share this engine: \(error)")
            }
        }
        backend = .local(local, server)
        local.assumeIsolated { engine in
            _ = engine.observe { [weak self] _, state in self?.assumeIsolated { $0.take(state) } }
            if isDashboard { _ = engine.addShower { [weak self] task in self?.assumeIsolated { $0.onShow?(task) } } }
        }
    }

    private func adopt(_ remote: RemoteEngine) {
        backend = .remote(remote)
        remote.onFrame = { [weak self] frame in self?.assumeIsolated { $0.merge(frame) } }
        remote.onShow = { [weak self] task in self?.assumeIsolated { $0.onShow?(task) } }
        remote.onLost = { [weak self] in self?.assumeIsolated { $0.lost() } }
        merge(remote.frame)
    }

    private func wait(_ duration: Duration) async {
        await withCheckedContinuation { continuation in _ = loop.schedule(after: duration) { continuation.resume() } }
    }

    /// The engine ended: a view that stays open finds the next one, or becomes it.
    private func lost() {
        backend = .none
        clock?.cancel()
        if case .once = kind { return }
        logger.info("The engine ended; looking for the next one.")
        Task { await self.findNext() }
    }

    private func findNext() async {
        while !isStopped {
            do {
                if try await attach() { return }
            } catch {
                logger.logOnce("engine", .warning, "\(error)")
            }
            await wait(.milliseconds(200))
        }
    }

    // MARK: - Looking

    private func merge(_ frame: EngineFrame) {
        let now = environment.now()
        take(ClientState(frame, board: frame.board(now: now), now: now))
        clock?.cancel()
        guard let next = state.follow?.nextChange(receivedAt: frame.follow?.known?.receivedAt) else { return }
        clock = loop.schedule(after: .milliseconds(max(next.milliseconds(since: now), 10))) { [weak self] in
            self?.assumeIsolated { if case .remote(let remote) = $0.backend { $0.merge(remote.frame) } }
        }
    }

    private func take(_ new: ClientState) {
        guard new != state else { return }
        let former = state
        state = new
        onState?(new)
        guard let onReceipt, former.receipts != new.receipts else { return }
        let known = Dictionary(former.receipts.map { ($0.id, $0.step) }) { first, _ in first }
        for record in new.receipts.reversed() where known[record.id] != record.step { onReceipt(record) }
    }

    public func observe(_ onState: @escaping @Sendable (ClientState) -> Void) {
        self.onState = onState
        onState(state)
    }

    public func observeReceipts(_ onReceipt: @escaping @Sendable (ReceiptRecord) -> Void) { self.onReceipt = onReceipt }
    public func observeShow(_ onShow: @escaping @Sendable (TaskIdentity) -> Void) { self.onShow = onShow }

    /// Returns the state once every node has answered or failed, or after `limit`.
    public func settled(within limit: Duration) async -> ClientState {
        switch backend {
        case .none: return state
        case .local(let engine, _): return await engine.settled(within: limit)
        case .remote(let remote):
            await remote.settle(within: limit)
            return state
        }
    }

    // MARK: - Acting

    /// Carries out what the user asks for, to its end.
    public func perform(_ request: ClientRequest) async -> CommandOutcome {
        switch backend {
        case .none: return .notSent(name: "the engine")
        case .remote(let remote): return await remote.perform(request)
        case .local(let engine, _):
            return await withCheckedContinuation { continuation in
                let number = engine.assumeIsolated { $0.begin(request) { continuation.resume(returning: $0) } }
                commands.insert(number)
            }
        }
    }

    /// Gives up waiting for the commands of this session; releases that are due still leave.
    public func interruptCommands() {
        switch backend {
        case .none: break
        case .local(let engine, _): engine.assumeIsolated { [commands] in $0.interruptCommands(commands) }
        case .remote(let remote): remote.interrupt()
        }
    }

    /// Makes a change and returns when it is made.
    public func apply(_ change: ClientChange) async {
        switch backend {
        case .none: break
        case .local(let engine, _): await engine.apply(change)
        case .remote(let remote): await remote.apply(change)
        }
    }

    /// Tries everything at once that waits to be dialled again.
    public func reconnect() { Task { await self.apply(.reconnect) } }

    /// Changes the file of the settings and lets the engine read it.
    ///
    /// - Throws: ``SettingsError``, ``FileError`` or ``LockError``.
    public func change(_ change: (inout SettingsDocument) throws -> Void) async throws {
        try store.updateSettings(change)
        await apply(.settings)
    }
}

extension ClientSession {
    /// Tells the running engine of a change that a command made to a file; without one there is nobody to tell.
    public static func tell(_ change: ClientChange, environment: ClientEnvironment) async {
        do {
            let loop = try EventLoop(name: "tell")
            defer { loop.shutdown() }
            guard let remote = try await RemoteEngine.connect(to: ClientStore(environment).socketPath, shows: false, on: loop) else { return }
            await remote.apply(change)
            loop.execute { remote.close() }
        } catch {
            environment.logger.warning("The running engine was not told of the change: \(error)")
        }
    }
}
