import CodexAppServer
import CodexRollouts
import DeckAgents
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
        /// What the node's own agents are made of.
        var agents: @Sendable (NodeEnvironment) -> AgentHost.Configuration = { AgentParts.configuration($0) }

        public init(demo: Bool = false) { self.demo = demo }
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let loop: EventLoop
    let fileLoop: EventLoop
    let avahiLoop: EventLoop
    let codexLoop: EventLoop
    var environment: NodeEnvironment
    let options: Options
    let logger: Logger
    let relay: RelayServer
    let store: DeckStore
    let startedAt: UnixMilliseconds
    var deck = Deck()
    var listeners: NodeListeners?
    var control: ControlServer?
    var interpreters: [Presser: CommandInterpreter] = [:]
    /// Keys that are being carried out and have not been answered yet.
    var underWay: Set<KeyPress> = []
    var history = OpenHistory()
    var signals: SignalSource?
    var demo: DemoNode?
    var agents: AgentHost?
    var agentControl: AgentControl?
    var agentTasks: [TaskIdentity: AgentTask] = [:]
    var agentsState = AgentsState.unused
    var agentsSeemUsable = false
    var agentsTimer: Timer?
    var rollouts: RolloutSource?
    var appServer: AppServerSource?
    /// What each source says of each task; ``TaskJoin`` makes one task of it.
    var sessions: [TaskIdentity: RolloutSession] = [:]
    var facts: [TaskIdentity: ThreadFacts] = [:]
    var revisits: [TaskIdentity: UnixMilliseconds] = [:]
    var condition = AppServerCondition()
    var limits = RateLimits()
    var resetCredits: Int?
    var autostart: Autostart?
    var autostartTimer: Timer?
    /// What clients were told that they may ask for.
    private(set) var announced: [Capability] = []
    private var shrinking: Timer?
    private var deadline: Timer?
    private var published: Snapshot?
    private var savedSettings: DeckSettings?
    private var settingsRemark: String?
    private(set) var isStopping = false

    public init(environment: NodeEnvironment, options: Options) throws {
        self.environment = environment
        self.options = options
        logger = environment.logger
        loop = try EventLoop(name: "relay")
        fileLoop = try EventLoop(name: "files")
        avahiLoop = try EventLoop(name: "avahi")
        codexLoop = try EventLoop(name: "codex")
        relay = RelayServer(loop: loop, logger: environment.logger.category("relay"), now: environment.now)
        store = DeckStore(path: environment.deckPath, loop: fileLoop, logger: environment.logger, now: environment.now)
        startedAt = environment.now()
    }

    // MARK: Life

    /// Starts everything; returns when the node is ready for clients.
    public func start() async throws {
        removeLeftovers()
        warnOfSettings()
        let settings = try store.load()
        deck = Deck(settings: settings)
        savedSettings = settings
        wireRelay()
        if options.demo { try await startDemo() } else { await startSources() }
        let path = environment.controlSocketPath
        control = try ControlServer(
            path: path, manager: environment.manager, loop: loop, logger: logger,
            handler: { [weak self] request, reply in
                guard let self else { return reply(.failure("The node is stopping.")) }
                assumeIsolated { $0.answer(request, reply) }
            }, streams: { [weak self] request, exchange in self?.assumeIsolated { $0.agentControl?.handle(request, exchange) } ?? false })
        listeners = try NodeListeners(service: self)
        listeners?.apply()
        publishIfChanged()
    }

    /// Says goodbye to the clients and stops within a second.
    public func stop() async {
        guard !isStopping else { return }
        isStopping = true
        environment.manager?.stopping()
        for timer in [deadline, autostartTimer, shrinking] { timer?.cancel() }
        control?.close()
        listeners?.stop()
        relay.shutdown()
        await stopAgents()
        if let rollouts { await rollouts.stop() }
        if let appServer { await appServer.stop() }
    }

    /// Ends the threads; the node cannot be used after this.
    public nonisolated func shutdownLoops() {
        // What waits to be written is written first. Avahi's loop is not waited for: a daemon that hangs would hold up the end.
        fileLoop.shutdown()
        codexLoop.shutdown()
        loop.shutdown()
    }

    /// Removes the unfinished files of writers that were killed.
    private func removeLeftovers() {
        AtomicFile.removeLeftovers(of: environment.deckPath)
        for name in NodeStateDirectory.watchedFiles { AtomicFile.removeLeftovers(of: environment.directories.stateHome + "/" + name) }
    }

    /// Once for each text: settings are read again whenever a command changes one.
    func warnOfSettings() {
        guard let remark = SettingsFile(path: environment.settingsPath).remark(on: environment.settings) else {
            return logger.recovered("settings", "All settings are known now.")
        }
        guard remark != settingsRemark else { return }
        settingsRemark = remark
        logger.logOnce("settings", .warning, remark)
    }

    private func wireRelay() {
        describe(capabilities)
        relay.onCommand = { [weak self] client, command, reply in
            guard let self else { return reply(Refusal.stopping) }
            assumeIsolated { $0.perform(command, of: .client(client)) { reply($0.refusal) } }
        }
        relay.onClientLeft = { [weak self] client in self?.assumeIsolated { $0.interpreters[.client(client)] = nil } }
    }

    // MARK: Publishing

    /// Whom the node says it is.
    var host: Host? { listeners?.host }

    /// What clients may ask for here and now.
    var capabilities: [Capability] {
        // The agents' tasks can be acted on without a daemon. Told before there is one: screens connect anew to learn of it.
        guard condition.isConnected || agentsSeemUsable || !agentTasks.isEmpty else { return [.agent, .usage] }
        let all: [Capability] = [.agent, .action, .joystick, .encoder, .reasoning, .keycap, .usage]
        return (resetCredits ?? 0) > 0 ? all + [.rateLimitReset] : all
    }

    /// What can be done more is told at once; what cannot be done any more is told when that lasts, for a daemon restarts within seconds.
    func capabilitiesMayHaveChanged() {
        shrinking?.cancel()
        guard capabilities != announced else { return }
        if Set(capabilities).isSuperset(of: announced) { return describe(capabilities) }
        shrinking = loop.schedule(after: Self.capabilityPatience) { [weak self] in self?.assumeIsolated { $0.describe($0.capabilities) } }
    }

    private static let capabilityPatience = Duration.seconds(10)

    private func describe(_ capabilities: [Capability]) {
        announced = capabilities
        relay.describe(capabilities: capabilities.map(\.rawValue), bridge: "codex-deck-linux")
    }

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
        guard let due = [deck.nextDeadline(now: now), revisits.values.min()].compactMap(\.self).min() else { return }
        let wait = max(due.milliseconds(since: now), 1)
        deadline = loop.schedule(after: .milliseconds(wait)) { [weak self] in self?.assumeIsolated { $0.handleDeadline() } }
    }

    private func handleDeadline() {
        let now = environment.now()
        deck.handleTimeout(now: now)
        revisitDue(now: now)
        publishIfChanged()
    }
}
