import Discovery
import EventLoop
import Files
import Log
import Notifications
import RelayProtocol
import Synchronization

/// The one writer of the client: it keeps the connections, merges what they say, notices what needs attention, and carries out commands.
///
/// There is one of them for a user at any time, which ``ClientSession`` sees to; any number of screens look at it.
actor ClientEngine {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let loop: EventLoop
    let environment: ClientEnvironment
    let store: ClientStore
    let fileLoop: EventLoop
    let logger: Logger
    let database: ClientDatabase
    /// Stays for as long as the process may need it: notifications, widgets and discovery are its business.
    let isResident: Bool
    /// Held until everything is written.
    private nonisolated let lock: Mutex<AdvisoryLock?>

    var links: [NodeLink] = []
    var memory = MergeMemory()
    var settings = ClientSettings()
    var ledger = AttentionLedger()
    var receipts = ReceiptLog()
    var follow: Follow?
    private(set) var frame = EngineFrame()
    private(set) var state = ClientState.empty

    var commands: [Int: RunningCommand] = [:]
    var requests: [RequestKey: PendingResult] = [:]
    var unansweredReleases: Set<RequestKey> = []
    var presses = PressRegistry()
    var lastCommand = 0

    var browser: ServiceBrowser?
    var monitor: AddressMonitor?
    var notifier: AttentionNotifier?
    var widgets: WidgetWriter?
    /// Dashboards that can show a task.
    var showers: [Int: (TaskIdentity) -> Void] = [:]
    var lastShower = 0
    var uncached: Set<String> = []
    var cacheTimer: Timer?
    var trials = DuplicateTrials()
    var trialTimer: Timer?
    var areTrialsDue = false
    private var saved = SavedState()
    private var observers: [Int: (EngineFrame, ClientState) -> Void] = [:]
    private var lastObserver = 0
    private var isRefreshing = false
    private var clock: Timer?
    private var settledWaiters: [CheckedContinuation<Void, Never>] = []
    private(set) var isStopping = false
    private var isStopped = false
    private var stopWaiters: [CheckedContinuation<Void, Never>] = []
    /// How long the end may wait for keys that are held to be let go.
    private static let goodbye = Duration.seconds(1)

    /// What is on disk, or on its way there.
    private struct SavedState {
        var memory = MergeMemory()
        var events: [AttentionEvent] = []
        var receipts: [ReceiptRecord] = []
        var follow: Follow?
    }

    /// - Parameters:
    ///   - lock: From ``ClientStore/engineLock(waiting:)``.
    ///   - loop: Where it lives, and whoever looks at it.
    init(environment: ClientEnvironment, lock: AdvisoryLock, isResident: Bool, loop: EventLoop) throws {
        self.environment = environment
        self.lock = Mutex(lock)
        self.isResident = isResident
        self.loop = loop
        store = ClientStore(environment)
        logger = environment.logger.category("client")
        fileLoop = try EventLoop(name: "files")
        database = ClientDatabase(path: store.databasePath, loop: fileLoop, logger: logger, now: environment.now)
    }

    // MARK: - Life

    /// Reads what is kept and dials every node.
    func start() async throws {
        let book = try store.profiles()
        memory = try store.memory()
        saved.memory = memory
        settings = store.settings()
        await restore()
        let secrets = book.profiles.isEmpty ? nil : try await store.secrets().store
        for profile in book.profiles { links.append(try await link(to: profile, secrets)) }
        if isResident {
            startNotifier()
            widgets = WidgetWriter(path: store.widgetPath, loop: loop, fileLoop: fileLoop, logger: logger, now: environment.now)
        }
        refresh()
        for link in links { link.start() }
        reviewTrials()
        if isResident { startDiscovery() }
    }

    /// Events, receipts and the followed task of the runs before. Without them the client works, and says that it will not remember.
    private func restore() async {
        do {
            let kept = try await database.open()
            ledger = AttentionLedger(kept.events, lastID: kept.lastEvent)
            receipts = ReceiptLog(kept.receipts)
            follow = kept.follow
            (saved.events, saved.receipts, saved.follow) = (ledger.events, receipts.records, follow)
            receipts.abandonOpen(at: environment.now())
        } catch {
            logger.error("Events are not kept across restarts: \(error)")
        }
    }

    /// Ends all connections, once the keys that are held are let go, which takes ``goodbye`` at most; what waits to be written is written.
    func stop() async {
        if !isStopping {
            isStopping = true
            interruptCommands()
            loop.schedule(after: Self.goodbye) { [weak self] in self?.assumeIsolated { $0.finish() } }
            finishWhenQuiet()
        }
        if !isStopped { await withCheckedContinuation { stopWaiters.append($0) } }
    }

    /// Ends when nothing is under way any more; a release counts until the node has answered it, for a connection that is closed with
    /// unread bytes in it may lose the last ones sent.
    func finishWhenQuiet() {
        guard isStopping, commands.isEmpty, unansweredReleases.isEmpty else { return }
        // Not from inside the step of a command.
        loop.later { [weak self] in self?.assumeIsolated { $0.finish() } }
    }

    private func finish() {
        guard !isStopped else { return }
        for command in commands.values { abandon(command) }
        // Whoever looks sees how it ended.
        merge()
        isStopped = true
        monitor?.cancel()
        for link in links { link.stop() }
        trialTimer?.cancel()
        clock?.cancel()
        notifier?.stop()
        widgets?.stop()
        save()
        writeCache()
        releaseWaiters()
        for waiter in stopWaiters { waiter.resume() }
        stopWaiters = []
    }

    /// Waits for the files and ends their thread; the engine cannot be used after this. Not on its loop.
    nonisolated func shutdownFiles() {
        fileLoop.execute { [database] in database.assumeIsolated { $0.close() } }
        fileLoop.shutdown()
        lock.withLock { $0 = nil }
    }

    // MARK: - Looking

    /// Calls `body` on the loop with what is known now, and again whenever it changed.
    ///
    /// - Returns: The number for ``stopObserving(_:)``.
    func observe(_ body: @escaping (EngineFrame, ClientState) -> Void) -> Int {
        lastObserver += 1
        observers[lastObserver] = body
        body(frame, state)
        return lastObserver
    }

    func stopObserving(_ number: Int) { observers[number] = nil }

    /// Returns the state once every node has answered or failed, or after `limit`.
    func settled(within limit: Duration) async -> ClientState {
        if !links.allSatisfy(\.isSettled), !isStopped {
            await withCheckedContinuation { continuation in
                settledWaiters.append(continuation)
                loop.schedule(after: limit) { [weak self] in self?.assumeIsolated { $0.releaseWaiters() } }
            }
        }
        merge()
        return state
    }

    func releaseWaiters() {
        let waiting = settledWaiters
        settledWaiters = []
        for continuation in waiting { continuation.resume() }
    }

    // MARK: - Merging

    var views: [HostView] { links.compactMap(\.view) }

    /// Merges after the handler that runs now, once however much changed.
    func refresh() {
        guard !isRefreshing else { return }
        isRefreshing = true
        loop.later { [weak self] in self?.assumeIsolated { $0.refreshNow() } }
    }

    func refreshNow() {
        isRefreshing = false
        merge()
    }

    func merge() {
        guard !isStopped else { return }
        let now = environment.now()
        let opened = memory.observe(views, now: now)
        var new = frame
        new.nodes = links.map(\.frame)
        new.memory = memory
        new.settings = settings
        let board = new.board(now: now)
        for task in opened { ledger.markRead(task) }
        let events = ledger.observe(board, hosts: new.views, joins: memory.joins, now: now) { new.board(of: $0, now: now) }
        if follow?.observe(board, joins: memory.joins, now: now) == false { follow = nil }
        (new.events, new.receipts, new.follow) = (ledger.events, receipts.records, follow)
        publish(new, board: board, now: now)
        tell(events)
    }

    private func publish(_ new: EngineFrame, board: Board, now: UnixMilliseconds) {
        let newState = ClientState(new, board: board, now: now)
        let isChanged = new != frame || newState != state
        (frame, state) = (new, newState)
        save()
        armClock(now)
        guard isChanged else { return }
        for number in observers.keys.sorted() { observers[number]?(new, newState) }
        notifier?.update(newState)
        widgets?.update(newState)
    }

    /// Following ends, and what is shown of it grows old, without anything coming in.
    private func armClock(_ now: UnixMilliseconds) {
        clock?.cancel()
        guard let next = state.follow?.nextChange(receivedAt: follow?.known?.receivedAt) else { return }
        clock = loop.schedule(after: .milliseconds(max(next.milliseconds(since: now), 10))) { [weak self] in self?.assumeIsolated { $0.merge() } }
    }

    // MARK: - Keeping

    private func save() {
        if memory.acknowledgements != saved.memory.acknowledgements || memory.joins != saved.memory.joins {
            saved.memory = memory
            fileLoop.execute { [store, memory, logger] in
                do { try store.save(memory) } catch { logger.logOnce("memory", .error, "What was seen is not kept: \(error)") }
            }
        }
        var change = ClientDatabase.Change(from: saved.events, to: ledger.events)
        if saved.receipts != receipts.records {
            let known = Set(saved.receipts.map { ReceiptKey($0) })
            change.receipts = receipts.records.filter { !known.contains(ReceiptKey($0)) }
        }
        if saved.follow?.withoutTimes != follow?.withoutTimes { change.follow = .some(follow) }
        guard !change.isEmpty else { return }
        (saved.events, saved.receipts, saved.follow) = (ledger.events, receipts.records, follow)
        fileLoop.execute { [database, logger, change] in
            do {
                try database.assumeIsolated { try $0.apply(change) }
            } catch {
                logger.logOnce("events", .error, "What happened is not kept: \(error)")
            }
        }
    }

    private struct ReceiptKey: Hashable {
        let id: Int64
        let step: ReceiptRecord.Step

        init(_ record: ReceiptRecord) { (id, step) = (record.id, record.step) }
    }

    /// Tells new events, once each, after they are on disk.
    private func tell(_ events: [AttentionEvent]) {
        guard let notifier, settings.notifications, !events.isEmpty else { return }
        let ids = events.map(\.id)
        fileLoop.execute { [database, logger, loop] in
            do {
                let claimed = try database.assumeIsolated { try $0.claim(ids) }
                loop.execute { notifier.tell(events.filter { claimed.contains($0.id) }) }
            } catch {
                logger.logOnce("events", .error, "What happened is not kept: \(error)")
            }
        }
    }
}
