import CodexAppServer
import CodexRollouts
import EventLoop
import Relay
import RelayProtocol

/// Who pressed: a client of the relay, or the owner with a command on this computer.
enum Presser: Hashable, Sendable {
    case client(RelayClientID)
    case owner
}

extension NodeService {
    private static let autostartDelay = Duration.seconds(2)

    // MARK: Starting

    func startSources() async {
        let codexHome = environment.codexHome
        let loop = loop
        let rollouts = RolloutSource(codexHome: codexHome, loop: fileLoop, log: logger.category("rollouts"), now: environment.now) { [weak self] changes in
            loop.execute { [weak self] in self?.assumeIsolated { $0.apply(changes) } }
        }
        self.rollouts = rollouts
        await rollouts.start()
        // A task that was pinned or put on a key long ago is not among the newest.
        for identity in Set(deck.settings.pins + deck.settings.custom.compactMap(\.self)) { await rollouts.load(identity) }
        let appServer = AppServerSource(
            codexHome: codexHome, version: NodeProgram.version, loop: codexLoop, logger: logger.category("app-server"), now: environment.now
        ) { [weak self] changes in
            loop.execute { [weak self] in self?.assumeIsolated { $0.apply(changes) } }
        }
        self.appServer = appServer
        await appServer.start()
        startAgents()
        // A daemon that is there has answered by then.
        autostartTimer = loop.schedule(after: Self.autostartDelay) { [weak self] in self?.assumeIsolated { $0.startDaemonIfWished() } }
    }

    // MARK: Changes

    func apply(_ changes: [RolloutChange]) {
        for change in changes {
            switch change {
            case .session(let session):
                sessions[session.identity] = session
                join(session.identity)
            case .gone(let identity, _):
                sessions[identity] = nil
                join(identity)
            case .limits(let limits): take(limits)
            }
        }
        publishIfChanged()
    }

    func apply(_ changes: [AppServerChange]) {
        for change in changes {
            switch change {
            case .thread(let new): take(new)
            case .gone(let identity, let isRemoved):
                facts[identity] = nil
                // The file's own move is seen a moment later.
                if isRemoved { sessions[identity] = nil }
                join(identity)
            case .limits(let record): if record.isMain { take(RateLimits(record, observedAt: environment.now())) }
            case .credits(let count):
                resetCredits = count
                deck.usage = usage
                capabilitiesMayHaveChanged()
            case .condition(let new): follow(new)
            }
        }
        publishIfChanged()
    }

    private func take(_ new: ThreadFacts) {
        let timesRead = facts[new.identity]?.timesRead ?? 0
        facts[new.identity] = new
        join(new.identity)
        if new.timesRead > timesRead { deck.acknowledge(new.identity, now: environment.now()) }
    }

    private func follow(_ new: AppServerCondition) {
        let wasConnected = condition.isConnected
        condition = new
        capabilitiesMayHaveChanged()
        // Whether a task can be acted on depends on it.
        if wasConnected != new.isConnected { for identity in sessions.keys { join(identity) } }
        startDaemonIfWished()
    }

    /// Brings what the sources say of a task into the deck.
    private func join(_ identity: TaskIdentity) {
        // A thread of the agents has one source.
        guard agentTasks[identity] == nil else { return }
        let now = environment.now()
        let join = TaskJoin(titles: environment.settings.titles, isConnected: condition.isConnected, now: now)
        let result = join.task(facts: facts[identity], session: sessions[identity])
        revisits[identity] = result?.revisitAt
        if let task = result?.task { deck.update(task, now: now) } else { deck.remove(identity) }
    }

    /// Looks again at the tasks whose sources have not come to agree.
    func revisitDue(now: UnixMilliseconds) {
        for (identity, at) in revisits where at <= now { join(identity) }
    }

    /// Another setting shows every task differently.
    func joinAll() {
        for identity in Set(sessions.keys).union(facts.keys) { join(identity) }
        for task in agentTasks.values { deck.update(deckTask(task), now: environment.now()) }
        publishIfChanged()
    }

    // MARK: Usage

    private func take(_ new: RateLimits) {
        limits.merge(new)
        deck.usage = usage
    }

    private var usage: Usage? {
        var usage = RolloutTasks.usage(limits)
        if let resetCredits {
            usage = usage ?? Usage(windows: [], observedAt: environment.now())
            usage?.resetCreditsAvailable = resetCredits
            usage?.resetCreditsApplicable = resetCredits
        }
        return usage
    }

    func rolloutStatistics() async -> RolloutStatistics? { await rollouts?.statistics }
}

extension RateLimits {
    /// What the daemon reports; what is used beyond the limit counts as all of it.
    init(_ record: RateLimitRecord, observedAt: UnixMilliseconds) {
        func window(_ window: RateLimitRecord.Window?) -> Window? {
            window.map {
                Window(usedPercent: min($0.usedPercent, 100), durationMinutes: $0.durationMinutes, resetsAt: $0.resetsAt, observedAt: observedAt)
            }
        }
        self.init(primary: window(record.primary), secondary: window(record.secondary))
    }
}
