import RelayProtocol

@testable import DeckClient

/// Short words for boards in tests. Tasks and hosts are numbers, times are seconds before ``now``.
enum Lab {
    static let now = UnixMilliseconds(clamping: 1_800_000_000_000)

    /// Made once: reading thousands of identities is slow without optimisation.
    private static let tasks = (0..<256).map { identity($0, family: "aaaa") }

    static func task(_ number: Int) -> TaskIdentity { tasks.indices.contains(number) ? tasks[number] : identity(number, family: "aaaa") }
    static func hostID(_ number: Int) -> HostID { HostID(identity(number, family: "bbbb").uuid)! }

    private static func identity(_ number: Int, family: String) -> TaskIdentity {
        let digits = String(number, radix: 16)
        return TaskIdentity(String(repeating: "0", count: 8 - digits.count) + digits + "-\(family)-4000-8000-000000000000")!
    }

    static func key(_ number: Int) -> String { "local:" + task(number).uuid }
    static func temporaryKey(_ number: Int) -> String { "local:client-new-thread:" + task(number).uuid }

    /// The time `seconds` before now.
    static func ago(_ seconds: Double) -> UnixMilliseconds { now.advanced(byMilliseconds: Int64((-seconds * 1000).rounded())) }

    static func slot(
        _ id: Int, _ task: Int, _ status: TaskStatus = .idle, key: String? = nil, title: String? = nil, selected: Bool = false,
        ago: Double? = nil, owned: Bool? = nil, context: Int? = nil, workRevision: Int64? = nil
    ) -> Slot {
        Slot(
            id: id, threadKey: key ?? Lab.key(task), title: title ?? "Task \(task)", status: status, selected: selected, activityAt: ago.map(Lab.ago),
            ownedByHost: owned, contextUsedPercent: context, workStartRevision: workRevision)
    }

    static func session(
        _ task: Int, _ status: HostSession.Status = .idle, ago: Double = 100, revision: Int64? = nil, context: Int? = nil
    ) -> HostSession {
        HostSession(threadID: Lab.task(task), activityAt: Lab.ago(ago), status: status, completionRevision: revision, contextUsedPercent: context)
    }

    /// - Parameters:
    ///   - heard: Seconds since the snapshot came.
    ///   - clock: Seconds by which the host's clock is ahead; all its times are given by ours.
    static func view(
        _ number: Int, _ slots: [Slot] = [], sessions: [HostSession]? = nil, active: String? = nil, activeTitle: String? = nil,
        mode: Snapshot.AgentSource = .priority, live: Bool = true, heard: Double = 0, clock: Double = 0, paired: Int? = nil,
        os: String? = "linux", route: RouteKind = .nearby, usage: Usage? = nil, capabilities: Set<Capability>? = nil
    ) -> HostView {
        var view = HostView(
            host: Host(id: hostID(number), name: "Host \(number)", platform: .mac, os: os), profileID: "profile-\(number)-\(route.rawValue)",
            route: route, pairedOrder: paired ?? number, health: .ready, capabilities: capabilities)
        let snapshot = self.snapshot(slots, sessions: sessions, active: active, activeTitle: activeTitle, mode: mode, usage: usage, clock: clock)
        view.receive(snapshot, observedAt: shifted(ago(heard), clock), receivedAt: ago(heard))
        if !live { view.disconnect(.offline(reason: nil)) }
        return view
    }

    static func snapshot(
        _ slots: [Slot], sessions: [HostSession]? = nil, active: String? = nil, activeTitle: String? = nil,
        mode: Snapshot.AgentSource = .priority, usage: Usage? = nil, clock: Double = 0
    ) -> Snapshot {
        var snapshot = Snapshot.empty
        for var slot in slots {
            slot.activityAt = slot.activityAt.map { shifted($0, clock) }
            snapshot.slots[slot.id] = slot
        }
        snapshot.hostSessions = sessions?.map { session in
            var moved = session
            moved.activityAt = shifted(session.activityAt, clock)
            return moved
        }
        snapshot.activeThreadKey = active
        snapshot.activeThreadTitle = activeTitle
        snapshot.agentSource = mode
        snapshot.usage = usage.map { usage in
            var moved = usage
            moved.observedAt = shifted(usage.observedAt, clock)
            moved.windows = usage.windows.map { window in
                var window = window
                window.resetsAt = window.resetsAt.map { shifted($0, clock) }
                return window
            }
            return moved
        }
        return snapshot
    }

    private static func shifted(_ time: UnixMilliseconds, _ seconds: Double) -> UnixMilliseconds {
        time.advanced(byMilliseconds: Int64((seconds * 1000).rounded()))
    }

    static func board(
        _ hosts: [HostView], authority: Int? = nil, seen: Acknowledgements = Acknowledgements(), joins: TemporaryKeyJoins = TemporaryKeyJoins(),
        at now: UnixMilliseconds = Lab.now
    ) -> Board {
        DeckMerge.merge(hosts: hosts, authority: authority.map(hostID), acknowledgements: seen, joins: joins, now: now)
    }
}

extension Board {
    /// The numbers of the tasks on the six keys; 0 for an empty key.
    var keyNumbers: [Int] { slots.map { $0?.number ?? 0 } }
    var restNumbers: [Int] { rest.map(\.number) }
    subscript(number: Int) -> BoardTask { task(Lab.task(number))! }
}

extension BoardTask {
    /// The number of a task of ``Lab``; -1 for a key nobody can read.
    var number: Int { identity.flatMap { Int($0.uuid.prefix(8), radix: 16) } ?? -1 }
    /// The number of the owner.
    var ownerNumber: Int { Int(owner.uuid.prefix(8), radix: 16) ?? -1 }
    var mirrorNumbers: [Int] { mirrors.map { Int($0.uuid.prefix(8), radix: 16) ?? -1 } }
}
