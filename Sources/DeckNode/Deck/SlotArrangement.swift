import RelayProtocol

/// Which task lies on which of the six keys.
///
/// Membership follows the mode strictly. Placement does not: a task keeps the key it has while its rank class stays the same, so that keys do
/// not jump under a finger; whoever is new or changed its class takes the free keys in order of rank.
struct SlotArrangement: Hashable, Sendable {
    /// What a task waits for decides before its age does. Lower is more urgent.
    enum RankClass: Int, Hashable, Sendable, Comparable {
        case needsYou, ended, working, idle

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    struct Place: Hashable, Sendable {
        var identity: TaskIdentity
        var rankClass: RankClass
    }

    struct Candidate {
        var identity: TaskIdentity
        var rankClass: RankClass
        var rankedAt: UnixMilliseconds
    }

    /// Exactly six places.
    private(set) var places: [Place?] = Array(repeating: nil, count: Snapshot.slotCount)
    private var mode: Snapshot.AgentSource?

    /// Fills the six places anew from all tasks.
    mutating func arrange(_ candidates: [Candidate], settings: DeckSettings) {
        if mode != settings.mode { places = Array(repeating: nil, count: Snapshot.slotCount) }
        mode = settings.mode
        switch settings.mode {
        case .priority: hold(Self.top(candidates, byClass: true))
        case .recent: hold(Self.top(candidates, byClass: false))
        case .pinned: fix(Self.existing(settings.pins, among: candidates).prefix(Snapshot.slotCount).map { $0 })
        case .custom:
            let byIdentity = Dictionary(candidates.map { ($0.identity, $0) }) { first, _ in first }
            fix(settings.custom.map { $0.flatMap { byIdentity[$0] } })
        }
    }

    private static func top(_ candidates: [Candidate], byClass: Bool) -> [Candidate] {
        let ranked = candidates.sorted { left, right in
            if byClass, left.rankClass != right.rankClass { return left.rankClass < right.rankClass }
            if left.rankedAt != right.rankedAt { return left.rankedAt > right.rankedAt }
            return left.identity < right.identity
        }
        // Without classes nothing but leaving the six can move a task.
        return ranked.prefix(Snapshot.slotCount).map {
            byClass ? $0 : Candidate(identity: $0.identity, rankClass: .idle, rankedAt: $0.rankedAt)
        }
    }

    private static func existing(_ wanted: [TaskIdentity], among candidates: [Candidate]) -> [Candidate] {
        let byIdentity = Dictionary(candidates.map { ($0.identity, $0) }) { first, _ in first }
        return wanted.compactMap { byIdentity[$0] }
    }

    private mutating func hold(_ members: [Candidate]) {
        var waiting: [Candidate] = []
        var next: [Place?] = Array(repeating: nil, count: Snapshot.slotCount)
        for member in members {
            let place = Place(identity: member.identity, rankClass: member.rankClass)
            if let index = places.firstIndex(of: place) { next[index] = place } else { waiting.append(member) }
        }
        var queue = waiting[...]
        for index in next.indices where next[index] == nil {
            guard let member = queue.popFirst() else { break }
            next[index] = Place(identity: member.identity, rankClass: member.rankClass)
        }
        places = next
    }

    private mutating func fix(_ members: [Candidate?]) {
        places = (0..<Snapshot.slotCount).map { index in
            guard members.indices.contains(index), let member = members[index] else { return nil }
            return Place(identity: member.identity, rankClass: member.rankClass)
        }
    }
}
