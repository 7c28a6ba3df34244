import CodexRollouts
import Discovery
import EventLoop
import Files
import Log
import Pairing
import Relay
import RelayProtocol

/// The running node: it gathers what the sources say into the deck, and serves the deck to the clients.
///
/// All of it lives on one loop that carries the connections; what may block (files, the Avahi daemon) has loops of its own.
public actor NodeService {
    /// How `decknode serve` was called.
    public struct Options: Sendable {
        /// Six made-up tasks instead of the sessions of this computer.
        public var demo = false

        public init(demo: Bool = false) { self.demo = demo }
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let loop: EventLoop
    let fileLoop: EventLoop
    let avahiLoop: EventLoop
    let environment: NodeEnvironment
    let options: Options
    let logger: Logger
    let relay: RelayServer
    let store: DeckStore
    let startedAt: UnixMilliseconds
    var deck = Deck()
    var listeners: NodeListeners?
    var control: ControlServer?
    var interpreters: [RelayClientID: CommandInterpreter] = [:]
    /// Stands for the owner's own commands on this computer.
    var localInterpreter = CommandInterpreter()
    var history = OpenHistory()
    var signals: SignalSource?
    var demo: DemoScript?
    private var rollouts: RolloutSource?
    private var deadline: Timer?
    private var published: Snapshot?
    private var savedSettings: DeckSettings?
    private var isStopping = false

    public init(environment: NodeEnvironment, options: Options) throws {
        self.environment = environment
        self.options = options
        logger = environment.logger
        loop = try EventLoop(name: "relay")
        fileLoop = try EventLoop(name: "files")
        avahiLoop = try EventLoop(name: "avahi")
        relay = RelayServer(loop: loop, logger: environment.logger.category("relay"), now: environment.now)
        store = DeckStore(path: environment.deckPath, loop: fileLoop, logger: environment.logger, now: environment.now)
        startedAt = environment.now()
    }

    // MARK: Life

    /// Starts everything; returns when the node is ready for clients.
    public func start() async throws {
        removeLeftovers()
        let settings = try store.load()
        deck = Deck(settings: settings)
        savedSettings = settings
        wireRelay()
        if options.demo { startDemo() } else { await startRollouts() }
        control = try ControlServer(path: environment.controlSocketPath, loop: loop, logger: logger) { [weak self] request, reply in
            guard let self else { return reply(.failure("The node is stopping.")) }
            assumeIsolated { $0.answer(request, reply) }
        }
        listeners = try NodeListeners(service: self)
        listeners?.apply()
        publishIfChanged()
    }

    /// Says goodbye to the clients and stops within a second.
    public func stop() async {
        guard !isStopping else { return }
        isStopping = true
        deadline?.cancel()
        control?.close()
        listeners?.stop()
        relay.shutdown()
        if let rollouts { await rollouts.stop() }
    }

    /// Ends the threads; the node cannot be used after this.
    public nonisolated func shutdownLoops() {
        // What waits to be written is written first. Avahi's loop is not waited for: a daemon that hangs would hold up the end.
        fileLoop.shutdown()
        loop.shutdown()
    }

    /// Removes the unfinished files of writers that were killed.
    private func removeLeftovers() {
        AtomicFile.removeLeftovers(of: environment.deckPath)
        for name in NodeStateDirectory.watchedFiles { AtomicFile.removeLeftovers(of: environment.directories.stateHome + "/" + name) }
    }

    private func wireRelay() {
        relay.describe(capabilities: capabilities.map(\.rawValue), bridge: "codex-deck-linux")
        relay.onCommand = { [weak self] client, command, reply in
            guard let self else { return reply(Refusal.stopping) }
            reply(assumeIsolated { $0.perform(command, of: client) })
        }
        relay.onClientLeft = { [weak self] client in self?.assumeIsolated { $0.interpreters[client] = nil } }
    }

    // MARK: Sources

    private func startRollouts() async {
        let source = RolloutSource(codexHome: environment.codexHome, loop: fileLoop, log: logger.category("rollouts"), now: environment.now) {
            [weak self, loop] changes in
            loop.execute { [weak self] in self?.assumeIsolated { $0.apply(changes) } }
        }
        rollouts = source
        await source.start()
        // A task that was pinned or put on a key long ago is not among the newest.
        for identity in Set(deck.settings.pins + deck.settings.custom.compactMap(\.self)) { await source.load(identity) }
    }

    private func apply(_ changes: [RolloutChange]) {
        let now = environment.now()
        let tasks = RolloutTasks(titles: environment.settings.titles)
        for change in changes {
            switch change {
            case .session(let session): deck.update(tasks.task(session), now: now)
            case .gone(let identity, _): deck.remove(identity)
            case .limits(let limits): deck.usage = RolloutTasks.usage(limits)
            }
        }
        publishIfChanged()
    }

    func rolloutStatistics() async -> RolloutStatistics? { await rollouts?.statistics }

    private func startDemo() {
        let now = environment.now()
        let script = DemoScript(seed: UInt64(bitPattern: now.value), now: now)
        demo = script
        for task in script.tasks { deck.update(task, now: now) }
        deck.usage = script.usage(now: now)
    }

    func take(_ task: DeckTask) {
        deck.update(task, now: environment.now())
        if let demo { deck.usage = demo.usage(now: environment.now()) }
    }

    // MARK: Publishing

    /// Whom the node says it is.
    var host: Host? { listeners?.host }

    /// What clients may ask for here and now.
    var capabilities: [Capability] { options.demo ? [.agent, .action, .keycap, .encoder, .usage] : [.agent, .usage] }

    /// Publishes the deck if it differs from what was published, saves it if its settings changed, and sees to the next deadline.
    func publishIfChanged() {
        guard !isStopping else { return }
        let now = environment.now()
        let snapshot = deck.snapshot(now: now)
        if let host, snapshot != published {
            published = snapshot
            relay.publish(host: host, snapshot: snapshot)
        }
        if deck.settings != savedSettings {
            savedSettings = deck.settings
            store.save(deck.settings)
        }
        armDeadline(now: now)
    }

    /// The identity changed: everything is published under the new one.
    func republish() {
        published = nil
        publishIfChanged()
    }

    private func armDeadline(now: UnixMilliseconds) {
        deadline?.cancel()
        guard let due = [deck.nextDeadline(now: now), demo?.nextDeadline].compactMap(\.self).min() else { return }
        let wait = max(due.milliseconds(since: now), 1)
        deadline = loop.schedule(after: .milliseconds(wait)) { [weak self] in self?.assumeIsolated { $0.handleDeadline() } }
    }

    private func handleDeadline() {
        let now = environment.now()
        deck.handleTimeout(now: now)
        if let changed = demo?.handleTimeout(now: now) { for task in changed { take(task) } }
        publishIfChanged()
    }
}
