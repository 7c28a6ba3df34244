import Discovery
import EventLoop
import Log
import Relay
import RelayProtocol
import Secrets

/// The one writer of the client: it keeps the connections, merges what they say, and carries out commands. Any number of screens look at it.
public actor ClientEngine {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Called on the loop with each state that differs from the one before.
    public var onState: (@Sendable (ClientState) -> Void)?
    /// Called on the loop at each step of a command.
    public var onReceipt: (@Sendable (Receipt) -> Void)?

    public nonisolated let loop: EventLoop
    let environment: ClientEnvironment
    private let store: ClientStore
    private let fileLoop: EventLoop
    private let logger: Logger
    private var links: [NodeLink] = []
    private var memory = MergeMemory()
    private var savedMemory = MergeMemory()
    private(set) var state = ClientState.empty
    private var browser: ServiceBrowser?
    private var monitor: AddressMonitor?
    private var commands: [Int: RunningCommand] = [:]
    private var requests: [RequestKey: (command: Int, part: AnswerTransaction.Part?, phase: PressPhase)] = [:]
    private var presses = PressRegistry()
    private var lastCommand = 0
    private var isRefreshing = false
    private var cacheTimer: Timer?
    private var uncached: Set<String> = []
    private var settledWaiters: [CheckedContinuation<Void, Never>] = []

    private struct RequestKey: Hashable {
        var profileID: String
        var requestID: String
    }

    public init(environment: ClientEnvironment) throws {
        self.environment = environment
        store = ClientStore(environment)
        logger = environment.logger.category("client")
        loop = try EventLoop(name: "client")
        fileLoop = try EventLoop(name: "files")
    }

    // MARK: Life

    /// Reads what is kept and dials every node.
    ///
    /// - Parameter discovering: Whether to follow nodes whose address changes, for as long as the engine runs.
    public func start(discovering: Bool) async throws {
        let book = try store.profiles()
        memory = try store.memory()
        savedMemory = memory
        let secrets = book.profiles.isEmpty ? nil : try await store.secrets().store
        for profile in book.profiles {
            let token = try await token(of: profile, in: secrets)
            let link = NodeLink(profile, token: token ?? Secret(""), cached: store.cachedSnapshot(of: profile.id), loop: loop, now: environment.now) {
                [weak self] profileID, change in self?.assumeIsolated { $0.changed(profileID, change) }
            }
            links.append(link)
        }
        refresh()
        for link in links { link.start() }
        if discovering { startDiscovery() }
    }

    private func token(of profile: NodeProfile, in secrets: (any SecretStore)?) async throws -> Secret? {
        guard let key = ClientStore.tokenKey(profile.id), let token = try await secrets?.lookup(key) else {
            logger.warning("The token of \(profile.name) is missing; pair it again with `deckclient pair`.")
            return nil
        }
        return token
    }

    /// Ends all connections; what waits to be written is written.
    public func stop() {
        monitor?.cancel()
        for command in commands.values { end(command, with: .interrupted) }
        for link in links { link.stop() }
        writeCache()
    }

    /// Ends the threads; the engine cannot be used after this.
    public nonisolated func shutdownLoops() {
        fileLoop.shutdown()
        loop.shutdown()
    }

    public func observe(_ onState: @escaping @Sendable (ClientState) -> Void) {
        self.onState = onState
        onState(state)
    }

    public func observeReceipts(_ onReceipt: @escaping @Sendable (Receipt) -> Void) { self.onReceipt = onReceipt }

    /// Returns the state once every node has answered or failed, or after `limit`.
    public func settled(within limit: Duration) async -> ClientState {
        if !links.allSatisfy(\.isSettled) {
            await withCheckedContinuation { continuation in
                settledWaiters.append(continuation)
                loop.schedule(after: limit) { [weak self] in self?.assumeIsolated { $0.releaseWaiters() } }
            }
        }
        merge()
        return state
    }

    private func releaseWaiters() {
        let waiting = settledWaiters
        settledWaiters = []
        for continuation in waiting { continuation.resume() }
    }

    /// Tries everything at once that waits to be dialled again.
    public func reconnect() { for link in links { link.networkChanged() } }

    private func startDiscovery() {
        let browser = ServiceBrowser(loop: fileLoop, log: logger) { [weak self, loop] event in
            guard case .found(let record) = event else { return }
            loop.execute { [weak self] in self?.assumeIsolated { $0.heard(record) } }
        }
        self.browser = browser
        fileLoop.execute { browser.assumeIsolated { $0.start() } }
        do throws(SystemError) {
            monitor = try AddressMonitor(loop: loop) { [weak self] _ in self?.assumeIsolated { $0.reconnect() } }
        } catch {
            logger.info("Changes of the network are not noticed: \(error)")
        }
    }

    private func heard(_ record: ServiceRecord) {
        let address = NodeAddress(nearby: record.address, port: record.port)
        do {
            let (move, book) = try store.update { book in (book.heard(record.host, fingerprint: record.fingerprint, at: address), book) }
            switch move {
            case .moved(let profileID):
                guard let profile = book[profileID] else { return }
                logger.notice("\(profile.name) moved to \(address).")
                links.first { $0.profile.id == profileID }?.move(to: profile)
            case .otherFingerprint(let profileID):
                logger.logOnce("fingerprint-\(profileID)", .warning, "Somebody announces a paired computer with another certificate; that is ignored.")
            case .unchanged, .unknownHost, .unusable: break
            }
        } catch {
            logger.logOnce("profiles", .error, "\(error)")
        }
    }

    // MARK: Links

    private func changed(_ profileID: String, _ change: NodeLink.Change) {
        guard let link = links.first(where: { $0.profile.id == profileID }) else { return }
        switch change {
        case .health: break
        case .snapshot:
            uncached.insert(link.profile.id)
            armCacheTimer()
            refreshNow()
            if let view = link.view { for number in commands.keys.sorted() { step(number) { $0.handle(.snapshot(view), of: nil, in: $1, now: $2) } } }
        case .result(let requestID, let error):
            guard let request = requests.removeValue(forKey: RequestKey(profileID: link.profile.id, requestID: requestID)),
                let command = commands[request.command]
            else { return }
            step(command) { $0.handle(.result(request.phase, error: error), of: request.part, in: $1, now: $2) }
        case .lost:
            requests = requests.filter { $0.key.profileID != link.profile.id }
            if let host = link.view?.host.id {
                for number in commands.keys.sorted() { step(number) { $0.handle(.connectionLost(host), of: nil, in: $1, now: $2) } }
            }
        case .identified(let host): identified(link, host)
        case .refused(let reason):
            logger.notice("\(link.profile.name): re-pair required, \(reason).")
            updateProfiles { $0.requireRePairing(id: link.profile.id, reason: reason) }
        }
        if links.allSatisfy(\.isSettled) { releaseWaiters() }
        refresh()
    }

    private func identified(_ link: NodeLink, _ host: Host) {
        let live = Set(links.filter { $0.view?.health.isConnected == true }.map(\.profile.id))
        updateProfiles { book in
            _ = book.answered(id: link.profile.id, host: host)
            book.markDuplicates(live: live)
        }
    }

    private func updateProfiles(_ change: (inout ProfileBook) -> Void) {
        do {
            let book = try store.update { book in
                change(&book)
                return book
            }
            for link in links { if let profile = book[link.profile.id] { link.move(to: profile) } }
        } catch {
            logger.logOnce("profiles", .error, "\(error)")
        }
    }

    // MARK: Merging

    private var views: [HostView] { links.compactMap(\.view) }

    /// Merges after the handler that runs now, once however much changed.
    private func refresh() {
        guard !isRefreshing else { return }
        isRefreshing = true
        loop.later { [weak self] in self?.assumeIsolated { $0.refreshNow() } }
    }

    private func refreshNow() {
        isRefreshing = false
        merge()
    }

    private func merge() {
        let now = environment.now()
        let views = views
        memory.observe(views, now: now)
        let board = DeckMerge.merge(hosts: views, authority: nil, acknowledgements: memory.acknowledgements, joins: memory.joins, now: now)
        let new = ClientState(board: board, nodes: links.map(Self.node))
        saveMemory()
        guard new != state else { return }
        state = new
        onState?(new)
    }

    private static func node(_ link: NodeLink) -> ClientState.Node {
        ClientState.Node(
            profile: link.profile, health: link.health.health, host: link.view?.host, bridge: link.bridge,
            capabilities: link.view?.capabilities?.map(\.rawValue).sorted() ?? [], lastSnapshotAt: link.view?.report?.receivedAt)
    }

    private func saveMemory() {
        guard memory.acknowledgements != savedMemory.acknowledgements || memory.joins != savedMemory.joins else { return }
        savedMemory = memory
        fileLoop.execute { [store, memory, logger] in
            do { try store.save(memory) } catch { logger.logOnce("memory", .error, "What was seen is not kept: \(error)") }
        }
    }

    private func armCacheTimer() {
        guard cacheTimer?.isPending != true else { return }
        cacheTimer = loop.schedule(after: .seconds(2)) { [weak self] in self?.assumeIsolated { $0.writeCache() } }
    }

    private func writeCache() {
        cacheTimer?.cancel()
        let due = links.filter { uncached.contains($0.profile.id) }.compactMap(\.view)
        uncached = []
        fileLoop.execute { [store, logger] in
            for view in due {
                do { try store.cache(view) } catch { logger.logOnce("cache", .warning, "The last state of \(view.host.name) is not kept: \(error)") }
            }
        }
    }

    // MARK: Commands

    /// Carries out what the user asks for, to its end.
    public func perform(_ request: ClientRequest) async -> CommandOutcome {
        await withCheckedContinuation { continuation in
            begin(request) { continuation.resume(returning: $0) }
        }
    }

    /// Gives up waiting for all commands; releases that are due still leave.
    public func interruptCommands() {
        for number in commands.keys.sorted() { step(number) { $0.handle(.interrupted, of: nil, in: $1, now: $2) } }
    }

    private func begin(_ request: ClientRequest, completion: @escaping (CommandOutcome) -> Void) {
        merge()
        if let task = request.pressedTask, !presses.begin(task) { return completion(.alreadyUnderWay) }
        lastCommand += 1
        let number = lastCommand
        let finish: (CommandOutcome) -> Void = { [weak self] outcome in
            if let task = request.pressedTask { self?.assumeIsolated { $0.presses.end(task) } }
            completion(outcome)
        }
        guard let transaction = transaction(for: request) else { return finish(.missingTask) }
        let command = RunningCommand(number: number, request: request, transaction: transaction, completion: finish)
        commands[number] = command
        step(command) { $0.begin(in: $1, now: $2) }
    }

    private func transaction(for request: ClientRequest) -> RunningCommand.Transaction? {
        let board = state.board
        func plan(_ plan: CommandPlan, _ host: HostID?) -> RunningCommand.Transaction? {
            host.map { .press(PressTransaction(.execute(plan, host: $0))) }
        }
        switch request {
        case .open(let task): return .press(PressTransaction(.open(task)))
        case .approve(let task): return .answer(AnswerTransaction(.approve, task))
        case .decline(let task): return .answer(AnswerTransaction(.decline, task))
        case .keycap(let keycap, let task?):
            guard let target = board.task(task)?.target else { return nil }
            return plan(.keycap(keycap, task: target.key), target.host)
        case .keycap(let keycap, nil): return plan(.keycap(keycap), board.selectedHost)
        }
    }

    private func step(_ number: Int, _ body: (RunningCommand, CommandContext, ContinuousClock.Instant) -> [RunningCommand.Step]) {
        if let command = commands[number] { step(command, body) }
    }

    private func step(_ command: RunningCommand, _ body: (RunningCommand, CommandContext, ContinuousClock.Instant) -> [RunningCommand.Step]) {
        let before = command.stage
        let context = CommandContext(board: state.board, hosts: views, wall: environment.now())
        for step in body(command, context, .now) { perform(step, of: command) }
        if command.stage != before { onReceipt?(Receipt(number: command.number, request: command.request, stage: command.stage)) }
        armTimer(of: command)
    }

    private func perform(_ step: RunningCommand.Step, of command: RunningCommand) {
        switch step.action {
        case .finish(let outcome): end(command, with: outcome)
        case .send(let wire, let phase, let host):
            guard let link = link(to: host), let requestID = link.send(wire) else {
                // Not from inside the step that asked for it.
                let (number, part) = (command.number, step.part)
                return loop.later { [weak self] in
                    self?.assumeIsolated { engine in
                        engine.step(number) { $0.handle(.sendFailed(phase), of: part, in: $1, now: $2) }
                    }
                }
            }
            requests[RequestKey(profileID: link.profile.id, requestID: requestID)] = (command.number, step.part, phase)
        }
    }

    private func link(to host: HostID) -> NodeLink? {
        guard let best = views.best(for: host) else { return nil }
        return links.first { $0.profile.id == best.profileID }
    }

    private func end(_ command: RunningCommand, with outcome: CommandOutcome) {
        guard commands.removeValue(forKey: command.number) != nil else { return }
        requests = requests.filter { $0.value.command != command.number }
        if case .open(let task) = command.request, outcome == .stateConfirmed || outcome == .alreadyOpen {
            memory.acknowledge(task, in: views, now: environment.now())
            refresh()
        }
        command.finish(outcome)
    }

    private func armTimer(of command: RunningCommand) {
        command.timer?.cancel()
        guard commands[command.number] != nil, let deadline = command.nextDeadline else { return }
        let number = command.number
        command.timer = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { engine in engine.step(number) { $0.handleTimeout(in: $1, now: $2) } }
        }
    }
}

extension ClientRequest {
    /// The task whose agent key is pressed, so that a second press can be swallowed.
    fileprivate var pressedTask: TaskIdentity? {
        switch self {
        case .open(let task), .approve(let task), .decline(let task): task
        case .keycap: nil
        }
    }
}
