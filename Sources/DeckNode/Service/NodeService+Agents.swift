import DeckAgents
import EventLoop
import RelayProtocol

/// The node's own agents as a source of tasks, beside the daemon and the session files.
extension NodeService {
    /// How the node stands with the threads of its agents.
    enum AgentsState: Equatable, Sendable {
        /// Nobody has asked anything yet, so nothing is open.
        case unused
        case open
        /// Another process has them: a `decknode ask` that runs alone.
        case inUse
        case failing(String)
    }

    private static let agentsRetry = Duration.seconds(5)

    // MARK: Starting

    /// Makes the host; the threads are opened only if there are any.
    func startAgents() {
        let host = makeHost(options.agents(environment))
        serve(host)
        if host.hasThreads { Task { await openAgents() } }
    }

    /// Six made-up tasks; returns when they are on the deck.
    func startDemo() async throws {
        let now = environment.now()
        let new = DemoNode(
            seed: UInt64(bitPattern: now.value), variables: environment.variables, home: environment.directories.home, now: environment.now)
        demo = new
        let host = makeHost(new.configuration) { new.follow($0) }
        serve(host)
        try await new.start(host)
        agentsState = .open
        // What the host told meanwhile waits on the loop.
        apply(await host.tasks().map { .task($0) })
    }

    private func makeHost(_ configuration: AgentHost.Configuration, also tell: @escaping @Sendable ([AgentChange]) -> Void = { _ in }) -> AgentHost {
        let loop = loop
        return AgentHost(configuration: configuration) { [weak self] changes in
            tell(changes)
            loop.execute { [weak self] in self?.assumeIsolated { $0.apply(changes) } }
        }
    }

    private func serve(_ host: AgentHost) {
        agents = host
        let pretended = demo?.configuration, real = options.agents
        let make: @Sendable (NodeEnvironment) -> AgentHost.Configuration = { pretended ?? real($0) }
        agentsSeemUsable = host.seemsUsable(make(environment))
        capabilitiesMayHaveChanged()
        agentControl = AgentControl(host: host, loop: loop, logger: logger) { [weak self, environment] in
            let configuration = make(await self?.environment ?? environment)
            await self?.agentsMayBeUsable(configuration)
            return configuration
        }
    }

    /// Somebody has signed in or out.
    private func agentsMayBeUsable(_ configuration: AgentHost.Configuration) {
        agentsSeemUsable = agents?.seemsUsable(configuration) ?? false
        capabilitiesMayHaveChanged()
    }

    /// Opens the threads of earlier runs; again later while another process has them.
    private func openAgents() async {
        guard let agents, !isStopping else { return }
        do throws(AgentHostError) {
            try await agents.openIfUsed()
            agentsState = .open
            logger.recovered("agents", "The threads of the agents are open now.")
        } catch {
            agentsState = error.isInUse ? .inUse : .failing(error.description)
            let reason = error.isInUse ? "a `decknode ask` that runs alone has them; their tasks appear when it ends." : error.description
            logger.logOnce("agents", .notice, "The threads of the agents cannot be opened yet: \(reason)")
            agentsTimer = loop.schedule(after: Self.agentsRetry) { [weak self] in
                guard let self else { return }
                Task { await self.openAgents() }
            }
        }
    }

    func stopAgents() async {
        agentsTimer?.cancel()
        demo?.stop()
        await agents?.close()
        agents?.shutdown()
    }

    // MARK: Changes

    func apply(_ changes: [AgentChange]) {
        let now = environment.now()
        for change in changes {
            switch change {
            case .task(let task):
                agentTasks[task.identity] = task
                deck.update(deckTask(task), now: now)
                // Only an open host tells of tasks.
                if agentsState != .open { agentsState = .open }
            case .gone(let identity):
                agentTasks[identity] = nil
                deck.remove(identity)
            }
        }
        if let demo { deck.usage = demo.usage(now: now) }
        capabilitiesMayHaveChanged()
        publishIfChanged()
    }

    func deckTask(_ task: AgentTask) -> DeckTask {
        let titles = RolloutTasks(titles: environment.settings.titles)
        let title = titles.title(identity: task.identity, name: demo == nil ? task.title : DemoNode.title(of: task), preview: nil)
        return DeckTask(
            identity: task.identity, title: title, phase: Self.phase(task.phase), activityAt: min(task.activityAt, environment.now()),
            workStart: task.start.map { .init(at: $0.at, revision: $0.revision) }, contextUsedPercent: task.contextUsedPercent,
            origin: demo == nil ? .agent : .demo)
    }

    private static func phase(_ phase: AgentTask.Phase) -> DeckTask.Phase {
        switch phase {
        case .idle: .idle
        case .working: .working
        case .awaitingApproval: .awaitingApproval
        case .awaitingResponse: .awaitingResponse
        case .finished(let revision): .finished(revision: revision)
        case .failed(let revision): .failed(revision: revision)
        }
    }
}
