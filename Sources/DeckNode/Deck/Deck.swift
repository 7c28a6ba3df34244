import RelayProtocol

/// The deck of this computer: its tasks, the six keys, what is selected and what was seen. A value: time comes in, snapshots go out.
public struct Deck: Sendable {
    /// A selection lapses this long after the last press on its task.
    public static let selectionLifetimeMilliseconds: Int64 = 15 * 60_000
    /// A completion is told among the host's sessions for this long, as older peers expect.
    public static let completionLifetimeMilliseconds: Int64 = 5 * 60_000

    public private(set) var settings: DeckSettings
    public private(set) var tasks: [TaskIdentity: DeckTask] = [:]
    public var usage: Usage?
    public var theme: Snapshot.Theme = .dark
    private var arrangement = SlotArrangement()

    public init(settings: DeckSettings = DeckSettings()) { self.settings = settings }

    // MARK: Tasks

    /// Takes what a source says of a task.
    ///
    /// A selected task whose turn ends loses the selection: peers read a selected task's completion as seen, and nobody has seen this one.
    public mutating func update(_ task: DeckTask, now: UnixMilliseconds) {
        let old = tasks.updateValue(task, forKey: task.identity)
        guard settings.selection?.identity == task.identity, let revision = task.endRevision, let old, old.endRevision != revision else { return }
        settings.selection = nil
    }

    /// Forgets a task: it was archived, deleted, or its source is gone.
    public mutating func remove(_ identity: TaskIdentity) {
        tasks[identity] = nil
        if settings.selection?.identity == identity { settings.selection = nil }
    }

    // MARK: What the owner and the clients do

    /// Selects the task and acknowledges the end of its latest turn.
    ///
    /// - Returns: `false` when there is no such task.
    public mutating func open(_ identity: TaskIdentity, now: UnixMilliseconds) -> Bool {
        guard let task = tasks[identity] else { return false }
        settings.selection = DeckSettings.Selection(identity: identity, pressedAt: now)
        if let revision = task.endRevision { settings.acknowledge(identity, revision: revision, at: now) }
        return true
    }

    /// Notes that the end of the task's latest turn was seen somewhere else.
    public mutating func acknowledge(_ identity: TaskIdentity, now: UnixMilliseconds) {
        guard let revision = tasks[identity]?.endRevision else { return }
        settings.acknowledge(identity, revision: revision, at: now)
    }

    /// Pins the task, or unpins one that is pinned.
    ///
    /// - Returns: Whether it is pinned now; `nil` when the task is unknown or ``DeckSettings/maximumPins`` are pinned already.
    public mutating func togglePin(_ identity: TaskIdentity) -> Bool? {
        if let index = settings.pins.firstIndex(of: identity) {
            settings.pins.remove(at: index)
            return false
        }
        guard tasks[identity] != nil, settings.pins.count < DeckSettings.maximumPins else { return nil }
        settings.pins.append(identity)
        return true
    }

    public mutating func setMode(_ mode: Snapshot.AgentSource) { settings.mode = mode }

    /// Puts a task on a key in the mode `custom`; `nil` empties it. A task lies on one key only.
    ///
    /// - Parameter slot: 0 … 5.
    public mutating func assign(_ identity: TaskIdentity?, toSlot slot: Int) {
        guard settings.custom.indices.contains(slot) else { return }
        if let identity, let old = settings.custom.firstIndex(of: identity) { settings.custom[old] = nil }
        settings.custom[slot] = identity
    }

    public mutating func assign(_ keycap: Keycap, to slot: ActionSlot) { settings.layout.slots[slot] = KeyLayout.Assignment(keycap) }

    public mutating func resetLayout() { settings.layout = .standard }

    /// The task a press without a target acts on; `nil` when none is selected or the selection has lapsed.
    public func selectedTask(now: UnixMilliseconds) -> DeckTask? {
        guard let selection = settings.selection, !isLapsed(selection, now: now) else { return nil }
        return tasks[selection.identity]
    }

    private func isLapsed(_ selection: DeckSettings.Selection, now: UnixMilliseconds) -> Bool {
        let age = now.milliseconds(since: selection.pressedAt)
        // A clock that jumped back must not keep a selection for ever.
        return age >= Self.selectionLifetimeMilliseconds || age < -Self.selectionLifetimeMilliseconds
    }

    // MARK: Time

    /// When the snapshot changes though nothing happens: a selection lapses or a completion grows old.
    public func nextDeadline(now: UnixMilliseconds) -> UnixMilliseconds? {
        var deadlines: [UnixMilliseconds] = []
        if let selection = settings.selection { deadlines.append(selection.pressedAt.advanced(byMilliseconds: Self.selectionLifetimeMilliseconds)) }
        for task in tasks.values where isFreshCompletion(task, now: now) {
            deadlines.append(task.activityAt.advanced(byMilliseconds: Self.completionLifetimeMilliseconds))
        }
        return deadlines.min()
    }

    /// Lets lapse what is due.
    public mutating func handleTimeout(now: UnixMilliseconds) {
        if let selection = settings.selection, isLapsed(selection, now: now) { settings.selection = nil }
    }

    // MARK: Snapshot

    /// Whether somebody has seen the end of the task's latest turn.
    public func isAcknowledged(_ task: DeckTask) -> Bool {
        guard let revision = task.endRevision else { return false }
        return settings.acknowledged[task.identity]?.revision == revision
    }

    /// The word the wire carries for the task.
    public func status(of task: DeckTask) -> TaskStatus {
        switch task.phase {
        case .awaitingApproval: .awaitingApproval
        case .awaitingResponse: .awaitingResponse
        case .working: task.stalled ? .idle : .working
        case .failed: isAcknowledged(task) ? .idle : .error
        case .finished: isAcknowledged(task) ? .idle : .complete
        case .unread: .unread
        case .idle: .idle
        }
    }

    /// Arranges the keys and describes the deck.
    public mutating func snapshot(now: UnixMilliseconds) -> Snapshot {
        handleTimeout(now: now)
        arrangement.arrange(
            tasks.values.map { .init(identity: $0.identity, rankClass: rankClass(of: $0), rankedAt: $0.rankedAt) }, settings: settings)
        let slots = arrangement.places.enumerated().map { index, place -> Slot in
            guard let place, let task = tasks[place.identity] else { return .empty(id: index) }
            return slot(index, task, now: now)
        }
        let active = selectedTask(now: now)
        return Snapshot(
            slots: slots, activeThreadKey: active?.key.rawValue, activeThreadTitle: active?.title, layout: settings.layout,
            agentSource: settings.mode, theme: theme, usage: usage, hostSessions: hostSessions(now: now))
    }

    /// All tasks, the most urgent first, for listings.
    public func rankedTasks() -> [DeckTask] {
        tasks.values.sorted { left, right in
            let (leftClass, rightClass) = (rankClass(of: left), rankClass(of: right))
            if leftClass != rightClass { return leftClass < rightClass }
            if left.rankedAt != right.rankedAt { return left.rankedAt > right.rankedAt }
            return left.identity < right.identity
        }
    }

    private func rankClass(of task: DeckTask) -> SlotArrangement.RankClass {
        switch status(of: task).meaning {
        case .waiting: .needsYou
        case .failed, .finished: .ended
        case .working: .working
        case .idle, .off: .idle
        }
    }

    private func slot(_ index: Int, _ task: DeckTask, now: UnixMilliseconds) -> Slot {
        let start = task.workStart.flatMap { $0.at <= now ? $0 : nil }
        return Slot(
            id: index, threadKey: task.key.rawValue, title: task.title, status: status(of: task),
            selected: settings.selection?.identity == task.identity, activityAt: task.activityAt, ownedByHost: task.ownedByHost,
            contextUsedPercent: task.contextUsedPercent, workStartedAt: start?.at, workStartRevision: start?.revision)
    }

    private func isFreshCompletion(_ task: DeckTask, now: UnixMilliseconds) -> Bool {
        guard case .finished = task.phase, !isAcknowledged(task) else { return false }
        return now.milliseconds(since: task.activityAt) < Self.completionLifetimeMilliseconds
    }

    private func hostSessions(now: UnixMilliseconds) -> [HostSession] {
        let owned = tasks.values.filter(\.ownedByHost).sorted { ($0.activityAt, $0.identity) > ($1.activityAt, $1.identity) }
        return owned.prefix(Snapshot.maximumSessions).map { task in
            let start = task.workStart.flatMap { $0.at <= now ? $0 : nil }
            return HostSession(
                threadID: task.identity, activityAt: task.activityAt, status: sessionStatus(of: task, now: now),
                completionRevision: task.endRevision, contextUsedPercent: task.contextUsedPercent,
                workStartedAt: start?.at, workStartRevision: start?.revision)
        }
    }

    private func sessionStatus(of task: DeckTask, now: UnixMilliseconds) -> HostSession.Status {
        switch task.phase {
        case .working: task.stalled ? .idle : .working
        case .awaitingApproval, .awaitingResponse: .working
        case .finished: isFreshCompletion(task, now: now) ? .complete : .idle
        case .idle, .failed, .unread: .idle
        }
    }
}
