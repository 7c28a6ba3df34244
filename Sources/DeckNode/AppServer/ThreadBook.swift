import CodexAppServer
import RelayProtocol

/// Everything one connection to the daemon has told about its threads. A value: events and answers come in, facts and wishes come out.
struct ThreadBook: Sendable {
    /// What the book would like to have asked of the daemon.
    enum Wish: Hashable, Sendable {
        /// Subscribe to a thread the daemon holds.
        case subscribe(TaskIdentity)
        /// Read a thread that nobody announced.
        case read(TaskIdentity)
    }

    /// A request that waits for an answer, and how many had come before it: a task and its helpers may wait at once.
    struct Pending: Sendable {
        var request: ServerRequest
        var arrival: Int
    }

    struct Entry: Sendable {
        var record: ThreadRecord
        var settings: ThreadSettings?
        var readState: ReadState?
        var timesRead = 0
        var statusSince: UnixMilliseconds?
        var activityAt: UnixMilliseconds?
        var contextUsedPercent: Int?
        /// Oldest first.
        var pending: [Pending] = []
        var runningTurn: String?
        var turnStart: DeckTask.WorkStart?
        var turnsStarted: Int64 = 0
        var turnsEnded: Int64 = 0
        var lastEnd: ThreadFacts.TurnEnd?
        /// The turn that was cut short last.
        var interruptedTurn: String?
        var isSubscribed = false
        var isSubscribing = false

        init(_ record: ThreadRecord) { self.record = record }

        /// The daemon holds the thread no more, and will load it with other settings.
        mutating func unload() {
            isSubscribed = false
            isSubscribing = false
            settings = nil
            pending = []
            runningTurn = nil
        }
    }

    private var arrivals = 0
    private(set) var entries: [TaskIdentity: Entry] = [:]
    /// Side chats that were made by this node, and the tasks they belong to; of all ephemeral threads only they are shown.
    private(set) var sideChats: [TaskIdentity: TaskIdentity]
    /// Threads whose facts may have changed since ``takeChanges()``.
    private var dirty: Set<TaskIdentity> = []
    private var removed: Set<TaskIdentity> = []
    private var wishes: [Wish] = []

    /// - Parameter sideChats: What an earlier connection made. The daemon does not tell a side chat from a helper once it has been announced.
    init(sideChats: [TaskIdentity: TaskIdentity] = [:]) { self.sideChats = sideChats }

    // MARK: Out

    mutating func takeWishes() -> [Wish] {
        defer { wishes = [] }
        return wishes
    }

    /// The threads that may have changed, and those that are gone for good.
    mutating func takeChanges() -> (changed: Set<TaskIdentity>, removed: Set<TaskIdentity>) {
        defer { (dirty, removed) = ([], []) }
        return (Set(dirty.map { root(of: $0) }), removed)
    }

    /// The task a thread works for: itself, or the one that started it as a helper.
    func root(of identity: TaskIdentity) -> TaskIdentity {
        var current = identity
        // A chain of helpers is short; a ring would be the daemon's fault.
        for _ in 0..<16 {
            guard let parent = entries[current]?.record.parent else { break }
            current = parent
        }
        return current
    }

    /// The facts of a task; `nil` for helpers, and for threads that are not known.
    func facts(_ identity: TaskIdentity) -> ThreadFacts? {
        guard let entry = entries[identity], isShown(entry) else { return nil }
        let sideChatOf = sideChats[identity]
        let family = entries.values.filter { isHelper($0, of: identity) } + [entry]
        return ThreadFacts(
            identity: identity, name: entry.record.name, preview: entry.record.preview, folder: entry.record.folder, status: entry.record.status,
            statusSince: entry.statusSince, waitsForApproval: family.contains(where: Self.waitsForApproval),
            waitsForResponse: family.contains(where: Self.waitsForResponse), contextUsedPercent: entry.contextUsedPercent,
            isUnread: entry.readState?.isUnread, timesRead: entry.timesRead, activityAt: entry.activityAt ?? entry.record.recency,
            turnStart: entry.turnStart, lastEnd: entry.lastEnd, sideChatOf: sideChatOf)
    }

    /// Whether the user sees it as a task of their own. Older daemons call a thread a helper without naming the task it helps.
    private func isShown(_ entry: Entry) -> Bool { entry.record.isTask || sideChats[entry.record.identity] != nil }

    private static func waitsForApproval(_ entry: Entry) -> Bool {
        if case .active(true, _) = entry.record.status { return true }
        return entry.pending.contains(where: \.request.isApproval)
    }

    private static func waitsForResponse(_ entry: Entry) -> Bool {
        if case .active(_, true) = entry.record.status { return true }
        return entry.pending.contains { !$0.request.isApproval }
    }

    /// The requests that wait for an answer in a task and its helpers, the oldest first.
    func pending(of identity: TaskIdentity) -> [ServerRequest] {
        let family = entries.values.filter { $0.record.identity == identity || isHelper($0, of: identity) }
        return family.flatMap(\.pending).sorted { $0.arrival < $1.arrival }.map(\.request)
    }

    private func isHelper(_ entry: Entry, of identity: TaskIdentity) -> Bool {
        entry.record.parent != nil && root(of: entry.record.identity) == identity
    }

    func knows(_ identity: TaskIdentity) -> Bool { entries[identity] != nil }

    // MARK: Answers in

    /// Takes what a list, an answer or an announcement says of a thread.
    mutating func note(_ record: ThreadRecord, readState: ReadState? = nil) {
        var entry = entries[record.identity] ?? Entry(record)
        let old = entry.record
        entry.record = record
        // Lists leave out where a thread was forked from.
        entry.record.forkedFrom = record.forkedFrom ?? old.forkedFrom
        if record.status == .unknown, old.status.isLoaded { entry.record.status = old.status }
        if let readState { entry.readState = readState }
        if !entry.record.status.isLoaded { entry.unload() }
        entries[record.identity] = entry
        dirty.insert(record.identity)
        subscribeIfUseful(record.identity)
    }

    /// Takes the answer to starting, forking or taking up a thread, which subscribes its caller.
    mutating func noteOpened(_ opened: OpenedThread, sideChatOf parent: TaskIdentity? = nil) {
        let identity = opened.thread.identity
        if let parent { sideChats[identity] = parent }
        var record = opened.thread
        if record.isEphemeral, let known = entries[identity] { record.forkedFrom = record.forkedFrom ?? known.record.forkedFrom }
        var entry = entries[identity] ?? Entry(record)
        entry.record = record
        entry.settings = opened.settings ?? entry.settings
        entry.isSubscribed = true
        entry.isSubscribing = false
        entries[identity] = entry
        dirty.insert(identity)
    }

    /// A subscription did not come about.
    mutating func subscriptionFailed(_ identity: TaskIdentity) { entries[identity]?.isSubscribing = false }

    mutating func note(readState: ReadState, of identity: TaskIdentity) {
        update(identity) { entry in
            if entry.readState?.isUnread == true, !readState.isUnread { entry.timesRead += 1 }
            entry.readState = readState
        }
    }

    private mutating func update(_ identity: TaskIdentity, _ change: (inout Entry) -> Void) {
        guard var entry = entries[identity] else { return }
        change(&entry)
        entries[identity] = entry
        dirty.insert(identity)
    }

    /// A task is subscribed to while the daemon holds it; a helper of a task only when it waits for somebody; nothing else ever.
    private mutating func subscribeIfUseful(_ identity: TaskIdentity) {
        guard var entry = entries[identity], entry.record.status.isLoaded, !entry.isSubscribed, !entry.isSubscribing else { return }
        let isWaitingHelper = entry.record.parent != nil && (Self.waitsForApproval(entry) || Self.waitsForResponse(entry))
        guard isShown(entry) || isWaitingHelper else { return }
        entry.isSubscribing = true
        entries[identity] = entry
        wishes.append(.subscribe(identity))
    }

    // MARK: Events in

    mutating func apply(_ event: AppServerEvent, now: UnixMilliseconds) {
        switch event {
        case .threadStarted(let record): note(record)
        case .statusChanged(let id, let status): apply(status, to: id, now: now)
        case .nameUpdated(let id, let name): update(id) { $0.record.name = name }
        case .archived(let id), .deleted(let id): forget(id)
        case .unarchived(let id): wishes.append(.read(id))
        case .closed(let id): apply(.notLoaded, to: id, now: now)
        case .tokenUsage(let id, let usage): update(id) { $0.contextUsedPercent = usage.contextUsedPercent ?? $0.contextUsedPercent }
        case .settingsUpdated(let id, let settings): update(id) { $0.settings = settings }
        case .readStateChanged(let id, let state): note(readState: state, of: id)
        case .turnStarted(let id, let turn): begin(turn, of: id, now: now)
        case .turnCompleted(let id, let turn): end(turn, of: id, now: now)
        case .request(let request): take(request, now: now)
        case .requestResolved(let id, let requestID): update(id) { $0.pending.removeAll { $0.request.id == requestID } }
        case .itemStarted, .itemCompleted, .rateLimits: break
        }
    }

    private mutating func apply(_ status: ThreadStatus, to id: TaskIdentity, now: UnixMilliseconds) {
        guard let known = entries[id] else {
            if status.isLoaded { wishes.append(.read(id)) }
            return
        }
        // A word of a later version says nothing, least of all that the daemon has let go of the thread.
        if status == .unknown, known.record.status.isLoaded { return }
        // Helpers are many, and nobody will ask for one that is over; a side chat that is over is nowhere.
        if !status.isLoaded, known.record.isEphemeral || !isShown(known) { return forget(id) }
        update(id) { entry in
            if entry.record.status != status { entry.statusSince = now }
            if status.isActive || entry.record.status.isActive { entry.activityAt = now }
            entry.record.status = status
            if !status.isLoaded { entry.unload() }
        }
        subscribeIfUseful(id)
    }

    private mutating func begin(_ turn: TurnRecord, of id: TaskIdentity, now: UnixMilliseconds) {
        update(id) { entry in
            entry.runningTurn = turn.id
            entry.turnsStarted += 1
            entry.turnStart = DeckTask.WorkStart(at: now, revision: entry.turnsStarted)
            entry.activityAt = now
        }
    }

    private mutating func end(_ turn: TurnRecord, of id: TaskIdentity, now: UnixMilliseconds) {
        update(id) { entry in
            entry.runningTurn = nil
            entry.activityAt = now
            switch turn.status {
            case .completed:
                entry.turnsEnded += 1
                entry.lastEnd = .finished(count: entry.turnsEnded)
            case .failed:
                entry.turnsEnded += 1
                entry.lastEnd = .failed(count: entry.turnsEnded)
            case .interrupted:
                entry.lastEnd = .interrupted
                entry.interruptedTurn = turn.id
            case .inProgress, .unknown: break
            }
        }
    }

    private mutating func take(_ request: ServerRequest, now: UnixMilliseconds) {
        guard let id = request.thread else { return }
        if entries[id] == nil { wishes.append(.read(id)) }
        arrivals += 1
        let arrival = arrivals
        update(id) { entry in
            // A late subscription repeats what is pending.
            guard !entry.pending.contains(where: { $0.request.id == request.id }) else { return }
            entry.pending.append(Pending(request: request, arrival: arrival))
            entry.activityAt = now
        }
    }

    private mutating func forget(_ id: TaskIdentity) {
        guard let entry = entries[id] else { return }
        // What it waited for, its task waited for.
        dirty.insert(root(of: id))
        dirty.remove(id)
        if isShown(entry) { removed.insert(id) }
        entries[id] = nil
        sideChats[id] = nil
    }
}
