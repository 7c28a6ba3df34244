import RelayProtocol

@testable import DeckClient

/// A small deck made to be difficult: few tasks on many computers, so that they mirror, own and name each other in every way.
struct RandomDeck {
    /// Whether the clocks of the computers are right; nothing else differs.
    enum Clocks { case right, wrong }

    var hosts: [HostView] = []
    var authority: HostID?
    var seen = Acknowledgements()
    var joins = TemporaryKeyJoins()

    private static let taskCount = 6
    /// The keys that may stand for each task: as different computers spell it, as a temporary key that may turn out to be it, as a temporary
    /// key of its very number, and as something nobody can read.
    private static let keys: [[String]] = (0...taskCount).map { number in
        let uuid = Lab.task(number).uuid
        return [
            "local:" + uuid, "local:" + uuid, "remote:" + uuid.uppercased(), "cloud:remote:" + uuid, Lab.temporaryKey(200 + number % 3),
            "local:client-new-thread:" + uuid, "no key",
        ]
    }
    private static let hostIDs = (0...5).map(Lab.hostID)
    private static let words: [TaskStatus] = [
        .off, .idle, .working, .thinking, .unread, .complete, .completed, .done, .approval, .awaitingApproval, .awaitingResponse, .error,
        TaskStatus(rawValue: "new-word"),
    ]
    private static let titles: [String?] = [nil, "", "One", "Two", "Three"]
    /// Few, so that many are equal.
    private static let ages: [Double] = [0, 4, 4, 6, 20, 299, 301]

    init(seed: UInt64, clocks: Clocks = .wrong) {
        var random = SplitMix(state: seed)
        let count = 1 + random.below(4)
        authority = random.once(in: 2) ? nil : Self.hostIDs[1 + random.below(5)]
        for number in 1...count {
            hosts.append(Self.view(number, .nearby, clocks, &random))
            // Another route to it may say something else, for it was heard at another time.
            if random.once(in: 6) { hosts.append(Self.view(number, .remote, clocks, &random)) }
        }
        for task in 1...Self.taskCount where random.once(in: 3) {
            let completion: Acknowledgements.Revision = random.once(in: 4) ? .unnumbered : .number(Int64(random.below(3)))
            seen.record(Lab.task(task), .init(completion: completion, error: random.once(in: 2) ? .unnumbered : nil), at: Lab.now)
        }
        joins.learn(from: hosts, now: Lab.now)
    }

    func board(_ hosts: [HostView]? = nil, joins: TemporaryKeyJoins? = nil) -> Board {
        DeckMerge.merge(hosts: hosts ?? self.hosts, authority: authority, acknowledgements: seen, joins: joins ?? self.joins, now: Lab.now)
    }

    // MARK: - Computers

    private static func view(_ number: Int, _ route: RouteKind, _ clocks: Clocks, _ random: inout SplitMix) -> HostView {
        // Drawn in any case, so that a deck with right clocks is the same deck otherwise.
        let wrong: Double = random.pick([0, -18_000, 18_000, Double(random.below(100_000)) - 50_000])
        let clock = clocks == .wrong ? wrong : 0
        var view = HostView(
            host: Host(id: hostIDs[number], name: "Host \(number)", platform: random.pick([.mac, .windows]), os: random.pick([nil, "linux"])),
            profileID: route == .nearby ? "near-\(number)" : "far-\(number)", route: route, pairedOrder: random.below(3), health: .ready)
        if random.once(in: 12) { return view }
        let heard = random.pick([0.0, 1, 4, 6, 8])
        let snapshot = snapshot(clock, &random)
        view.receive(snapshot, observedAt: Lab.ago(heard - clock), receivedAt: Lab.ago(heard))
        if random.once(in: 4) { view.disconnect(.offline(reason: nil)) }
        return view
    }

    private static func snapshot(_ clock: Double, _ random: inout SplitMix) -> Snapshot {
        var snapshot = Snapshot.empty
        for id in 0..<Snapshot.slotCount where random.once(in: 2) { snapshot.slots[id] = slot(id, clock, &random) }
        if !random.once(in: 4) {
            var sessions: [HostSession] = []
            for task in 1...taskCount where random.once(in: 2) {
                sessions.append(session(task, clock, &random))
                if random.once(in: 10) { sessions.append(session(task, clock, &random)) }
            }
            snapshot.hostSessions = sessions
        }
        if random.once(in: 2) { snapshot.activeThreadKey = random.pick(keys[1 + random.below(taskCount)]) }
        if random.once(in: 3) { snapshot.activeThreadTitle = random.pick(titles) }
        snapshot.agentSource = random.pick(Snapshot.AgentSource.allCases)
        return snapshot
    }

    private static func slot(_ id: Int, _ clock: Double, _ random: inout SplitMix) -> Slot {
        Slot(
            id: id, threadKey: random.pick(keys[1 + random.below(taskCount)]), title: random.pick(titles), status: random.pick(words),
            selected: random.once(in: 5), activityAt: random.once(in: 3) ? nil : Lab.ago(random.pick(ages) - clock),
            ownedByHost: random.pick([nil, true, true, false]), contextUsedPercent: random.pick([nil, 0, 80]), workStartRevision: nil)
    }

    private static func session(_ task: Int, _ clock: Double, _ random: inout SplitMix) -> HostSession {
        HostSession(
            threadID: Lab.task(task), activityAt: Lab.ago(random.pick(ages) - clock), status: random.pick([.idle, .working, .complete]),
            completionRevision: random.pick([nil, 0, 1, 2]), contextUsedPercent: nil)
    }
}
