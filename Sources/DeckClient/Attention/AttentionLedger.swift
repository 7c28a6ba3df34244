import RelayProtocol

/// The events of the last days, and what is needed to make each of them once.
///
/// Fed with every board, it compares what tasks need now with what was counted before. What a computer shows when it is first heard is
/// a baseline and makes no events; a reconnect is no new baseline. Copies of a task on several computers are one task.
public struct AttentionLedger: Sendable, Equatable {
    /// The oldest events go beyond this many.
    public static let capacity = 100
    /// Milliseconds an event is kept: seven days.
    public static let lifetime: Int64 = 7 * 24 * 60 * 60 * 1000
    /// Tasks remembered; those not heard of for the longest time go beyond this many.
    static let tracksKept = 1024

    /// Newest first, at most ``capacity``.
    public private(set) var events: [AttentionEvent] = []
    private var tracks: [TaskIdentity: TaskTrack] = [:]
    /// Computers heard live since the engine started.
    private var known: Set<HostID> = []
    private var lastID: Int64 = 0

    /// - Parameters:
    ///   - kept: Events of earlier runs, in any order.
    ///   - lastID: The highest id ever given, also to events that are gone.
    public init(_ kept: [AttentionEvent] = [], lastID: Int64 = 0) {
        let sorted = kept.sorted { $0.id < $1.id }
        self.lastID = max(lastID, sorted.last?.id ?? 0)
        for event in sorted { tracks[event.task, default: TaskTrack(heardAt: event.at)].remember(event) }
        events = sorted.suffix(Self.capacity).reversed()
    }

    /// Events that are neither read here nor settled elsewhere.
    public var unreadCount: Int { events.lazy.filter(\.isUnread).count }

    public subscript(id: Int64) -> AttentionEvent? { events.first { $0.id == id } }

    public func events(_ filter: AttentionFilter) -> [AttentionEvent] { events.filter(filter.admits) }

    // MARK: - Observing

    /// Call whenever the board changed.
    ///
    /// - Parameters:
    ///   - board: All of `hosts` merged.
    ///   - joins: Which temporary keys are which tasks.
    ///   - merge: Merges some of the hosts; called only when one is heard for the first time while others are known already.
    /// - Returns: The new events, oldest first.
    public mutating func observe(
        _ board: Board, hosts: [HostView], joins: TemporaryKeyJoins, now: UnixMilliseconds, merge: ([HostView]) -> Board
    ) -> [AttentionEvent] {
        expire(now: now)
        rename(joins)
        let live = Set(board.computers.lazy.filter(\.isLive).map(\.id))
        let unheard = live.subtracting(known)
        var new: [AttentionEvent] = []
        if unheard.isEmpty {
            new = compare(board, live: live, isBaseline: false, now: now)
        } else {
            let former = live.subtracting(unheard)
            if !former.isEmpty {
                new = compare(merge(hosts.filter { !unheard.contains($0.host.id) }), live: former, isBaseline: false, now: now)
            }
            _ = compare(board, live: live, isBaseline: true, now: now)
            known.formUnion(unheard)
        }
        bound()
        return new
    }

    /// A computer was removed: heard again, it is heard for the first time.
    public mutating func forget(_ host: HostID) { known.remove(host) }

    private mutating func compare(_ board: Board, live: Set<HostID>, isBaseline: Bool, now: UnixMilliseconds) -> [AttentionEvent] {
        var new: [AttentionEvent] = []
        var heard: Set<TaskIdentity> = []
        // Not in the order of the board, which is another one on every authority: what happened first comes first.
        for index in Self.order(board.tasks) {
            let task = board.tasks[index]
            guard let identity = task.identity, !task.offline || task.mirrors.contains(where: live.contains) else { continue }
            heard.insert(identity)
            var track = tracks[identity] ?? TaskTrack(heardAt: now)
            let former = TaskTrack.Need.allCases.compactMap { track.event(of: $0)?.id }
            if let need = track.see(TaskTrack.Sight(task), now: now), !isBaseline, let kind = AttentionEvent.Kind(task.status) {
                let event = make(kind, task, identity, now: now)
                track.link(need, to: event.id)
                new.append(event)
            }
            tracks[identity] = track
            settle(former, track, now: now)
        }
        for (identity, track) in tracks where !track.isAbsent && !heard.contains(identity) { tracks[identity]?.isAbsent = true }
        return new
    }

    /// By activity, then identity. Numbers are sorted, not tasks, which are large.
    private static func order(_ tasks: [BoardTask]) -> [Int] {
        let keys = tasks.indices.map { (at: tasks[$0].activityAt?.value ?? 0, index: $0) }
        return keys.sorted { left, right in
            if left.at != right.at { return left.at < right.at }
            return (tasks[left.index].identity?.uuid ?? "") < (tasks[right.index].identity?.uuid ?? "")
        }.map(\.index)
    }

    private mutating func make(_ kind: AttentionEvent.Kind, _ task: BoardTask, _ identity: TaskIdentity, now: UnixMilliseconds) -> AttentionEvent {
        lastID += 1
        let event = AttentionEvent(
            id: lastID, kind: kind, task: identity, revision: TaskTrack.Sight(task).revision, title: task.title ?? "", host: task.owner,
            hostName: task.ownerName, badge: task.badge, at: now, activityAt: task.activityAt)
        events.insert(event, at: 0)
        if events.count > Self.capacity { events.removeLast(events.count - Self.capacity) }
        return event
    }

    /// Ends the events of states that the task has left, and takes back the end of those it has come back to.
    private mutating func settle(_ ids: [Int64], _ track: TaskTrack, now: UnixMilliseconds) {
        guard !ids.isEmpty else { return }
        let present = TaskTrack.Need.allCases.compactMap { track.event(of: $0) }
        for id in ids {
            guard let index = events.firstIndex(where: { $0.id == id }) else { continue }
            if let link = present.first(where: { $0.id == id }) {
                events[index].endedAt = link.endedAt
            } else if events[index].endedAt == nil {
                events[index].endedAt = now
            }
        }
    }

    /// A temporary key that has been joined is the same task: nothing of it is told again under its real identity.
    private mutating func rename(_ joins: TemporaryKeyJoins) {
        guard !joins.isEmpty else { return }
        for join in joins.all {
            guard let track = tracks.removeValue(forKey: join.temporary) else { continue }
            if tracks[join.task] == nil { tracks[join.task] = track }
            for index in events.indices where events[index].task == join.temporary { events[index].task = join.task }
        }
    }

    // MARK: - Bounds

    private mutating func expire(now: UnixMilliseconds) {
        guard let oldest = events.last, now.milliseconds(since: oldest.at) > Self.lifetime else { return }
        events.removeAll { now.milliseconds(since: $0.at) > Self.lifetime }
    }

    private mutating func bound() {
        guard tracks.count > Self.tracksKept else { return }
        let newest = tracks.sorted { left, right in
            left.value.heardAt != right.value.heardAt ? left.value.heardAt > right.value.heardAt : left.key < right.key
        }
        tracks = Dictionary(uniqueKeysWithValues: newest.prefix(Self.tracksKept * 3 / 4).map { ($0.key, $0.value) })
    }

    // MARK: - The user

    /// - Returns: Whether anything changed.
    @discardableResult
    public mutating func mark(_ ids: some Sequence<Int64>, read: Bool) -> Bool {
        let wanted = Set(ids)
        var changed = false
        for index in events.indices where wanted.contains(events[index].id) && events[index].isRead != read {
            events[index].isRead = read
            changed = true
        }
        return changed
    }

    /// The user looked at the task itself, so that its events are seen.
    @discardableResult
    public mutating func markRead(_ task: TaskIdentity) -> Bool { mark(events.lazy.filter { $0.task == task }.map(\.id), read: true) }

    /// Removes events; what they told is not told again.
    @discardableResult
    public mutating func remove(_ ids: some Sequence<Int64>) -> Bool {
        let wanted = Set(ids)
        let before = events.count
        events.removeAll { wanted.contains($0.id) }
        return events.count != before
    }
}

extension AttentionEvent {
    /// What has become of the task.
    public enum Resolution: Sendable, Equatable {
        /// Where it is now: another slot or another computer may show it.
        case present(BoardTask)
        /// No computer shows it any more; the event stays as a record.
        case gone
    }

    /// Looks the task up at the moment the event is opened.
    public func resolve(on board: Board) -> Resolution { board.task(task).map { .present($0) } ?? .gone }
}
