import RelayProtocol

/// What merging has to remember from one moment to the next: what was seen, which temporary keys are which tasks, and which task was
/// open where.
public struct MergeMemory: Sendable, Equatable {
    public private(set) var acknowledgements: Acknowledgements
    public private(set) var joins: TemporaryKeyJoins
    /// The task open on each computer when it was last heard live.
    private var open: [HostID: Open] = [:]

    /// As the computer names it: which task a temporary key is may be found out, and be taken back, while it stays open.
    private enum Open: Equatable {
        case task(TaskIdentity, isTemporary: Bool)
        case none

        init(_ key: TaskKey?) { self = key.map { .task($0.identity, isTemporary: $0.isTemporary) } ?? .none }
    }

    public init(acknowledgements: Acknowledgements = Acknowledgements(), joins: TemporaryKeyJoins = TemporaryKeyJoins()) {
        self.acknowledgements = acknowledgements
        self.joins = joins
    }

    /// Call with all views whenever one changed, before merging.
    ///
    /// Learns joins, acknowledges what a task shows that newly became the open one of a live host, and lets marks without a revision end
    /// with the state they were made for. What is open when a host is first heard is not new; a reconnect is no first time.
    ///
    /// - Returns: The tasks newly open, sorted.
    @discardableResult
    public mutating func observe(_ hosts: [HostView], now: UnixMilliseconds) -> [TaskIdentity] {
        joins.learn(from: hosts, now: now)
        let views = hosts.perComputer
        var opened: Set<TaskIdentity> = []
        for view in views where view.isLive {
            guard let report = view.report else { continue }
            let present = Open(DeckMerge.activeKey(report))
            guard let previous = open.updateValue(present, forKey: view.host.id), previous != present else { continue }
            if let task = task(present, now: now), task != self.task(previous, now: now) { opened.insert(task) }
        }
        let computers = views.map(MergeHost.init)
        settle(computers, now: now)
        for identity in opened { acknowledge(identity, computers, now: now) }
        return opened.sorted()
    }

    /// The user opened `task` from here: its completion and its error are seen.
    ///
    /// - Returns: Whether that was news, so that it has to be kept.
    @discardableResult
    public mutating func acknowledge(_ task: TaskIdentity, in hosts: [HostView], now: UnixMilliseconds) -> Bool {
        acknowledge(task, hosts.perComputer.map(MergeHost.init), now: now)
    }

    /// A computer was removed: heard again, it is heard for the first time.
    public mutating func forget(_ host: HostID) { open[host] = nil }

    /// A temporary key that has been joined since is the same task, not a newly opened one.
    private func task(_ state: Open, now: UnixMilliseconds) -> TaskIdentity? {
        guard case .task(let identity, let isTemporary) = state else { return nil }
        return isTemporary ? joins.task(behind: identity, now: now) ?? identity : identity
    }

    @discardableResult
    private mutating func acknowledge(_ identity: TaskIdentity, _ computers: [MergeHost], now: UnixMilliseconds) -> Bool {
        let task = TaskEvidence.one(identity, on: computers, joins: joins, now: now)
        guard let owner = OwnerRule.owner(of: task, on: computers) else { return false }
        return acknowledgements.record(identity, StatusRule.Facts(task, owner: owner, computers: computers).marks, at: now)
    }

    /// Only a live owner tells that an error or an unnumbered completion is over; silence does not.
    private mutating func settle(_ computers: [MergeHost], now: UnixMilliseconds) {
        for (code, identity) in acknowledgements.transient {
            let task = TaskEvidence.one(identity, on: computers, joins: joins, now: now)
            guard let owner = OwnerRule.owner(of: task, on: computers), computers[owner].isLive else { continue }
            let facts = StatusRule.Facts(task, owner: owner, computers: computers)
            guard facts.newest.value - computers[owner].receivedAt <= StatusRule.maximumLag else { continue }
            acknowledgements.settle(code, showing: facts.marks)
        }
    }
}
