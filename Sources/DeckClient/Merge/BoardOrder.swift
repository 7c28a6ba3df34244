import RelayProtocol

/// Which task lies on which of the six keys, and in what order the rest follows.
struct BoardOrder {
    /// What ordering needs of a task.
    struct Entry {
        let meaning: TaskStatus.Meaning
        let selected: Bool
        /// The owner's, by our clock; 0 when unknown, which counts as the oldest.
        let activity: Int64
        /// Position of the owner among the hosts, which are sorted.
        let owner: Int
        let ownerIsLive: Bool
        /// Where the owner shows it; where the first mirror does when the owner shows it nowhere.
        let slot: Int
        /// Every place it is shown at.
        let places: [(host: Int, slot: Int)]
    }

    /// What ordering needs of a host.
    struct Source {
        let mode: Snapshot.AgentSource
        let isLive: Bool
        let pairedOrder: Int
    }

    /// Positions among the entries.
    private(set) var keys = [Int?](repeating: nil, count: Snapshot.slotCount)
    /// What has no key, in order.
    private(set) var rest: [Int] = []
    /// Position of the host whose mode counts.
    let lead: Int?

    private let entries: [Entry]
    private let sources: [Source?]
    /// Whether a host takes part in laying out the keys.
    private let partakes: [Bool]
    private var placed: [Bool]

    /// - Parameters:
    ///   - sources: By host; `nil` for one that never sent a snapshot.
    ///   - authority: The host the user chose, if it is among them.
    init(entries: [Entry], sources: [Source?], authority: Int?) {
        self.entries = entries
        self.sources = sources
        placed = [Bool](repeating: false, count: entries.count)
        // A computer that is not live arranges nothing, so that the keys of those at hand stay where their owner knows them;
        // when none is live, all are arranged as if they were.
        let anyLive = sources.contains { $0?.isLive == true }
        let present = sources.map { source in source.map { $0.isLive || !anyLive } ?? false }
        let lead = Self.lead(authority: authority, present: present, sources: sources)
        self.lead = lead
        guard let lead, let mode = sources[lead]?.mode else {
            partakes = present
            rest = Array(entries.indices)
            return
        }
        partakes = sources.map { mode == .priority || mode == .recent || $0?.mode == mode }
        let arranged = entries.indices.filter { anyLive ? entries[$0].ownerIsLive : true }
        let alone = present.lazy.filter { $0 }.count == 1
        if alone {
            placeOwnSlots(of: lead, arranged: arranged)
        } else {
            switch mode {
            case .pinned: placePinned(lead: lead, present: present, arranged: arranged)
            case .custom: placeCustom(lead: lead, present: present, arranged: arranged)
            case .priority, .recent: placeRanked(arranged, mode: mode)
            }
        }
        follow(mode: mode)
    }

    private static func lead(authority: Int?, present: [Bool], sources: [Source?]) -> Int? {
        if let authority, present[authority] { return authority }
        return present.indices.filter { present[$0] }.min { left, right in
            let leftOrder = sources[left]?.pairedOrder ?? .max
            let rightOrder = sources[right]?.pairedOrder ?? .max
            return leftOrder != rightOrder ? leftOrder < rightOrder : left < right
        }
    }
}

extension BoardOrder {
    /// The entry each slot of a host shows, from those that may be placed.
    private func slots(of host: Int, arranged: [Int]) -> [Int?] {
        var slots = [Int?](repeating: nil, count: Snapshot.slotCount)
        for entry in arranged {
            for place in entries[entry].places where place.host == host && slots.indices.contains(place.slot) { slots[place.slot] = entry }
        }
        return slots
    }

    private mutating func place(_ entry: Int, at key: Int) {
        guard !placed[entry], keys[key] == nil else { return }
        placed[entry] = true
        keys[key] = entry
    }

    /// One host alone: its own slots, the empty ones too.
    private mutating func placeOwnSlots(of host: Int, arranged: [Int]) {
        for (key, entry) in slots(of: host, arranged: arranged).enumerated() {
            if let entry { place(entry, at: key) }
        }
    }

    /// Slot by slot: the lead's, then those of the other hosts in the same mode, each task once.
    ///
    /// Between those others the host decides and not the activity: a pinned key must not move because a task went on.
    private mutating func placePinned(lead: Int, present: [Bool], arranged: [Int]) {
        let lists = ([lead] + peers(of: lead, present: present)).map { slots(of: $0, arranged: arranged) }
        var key = 0
        for slot in 0..<Snapshot.slotCount {
            for list in lists {
                guard key < keys.count, let entry = list[slot], !placed[entry] else { continue }
                place(entry, at: key)
                key += 1
            }
        }
    }

    /// The lead keeps its positions. Another host in the same mode fills an empty key with the task it has there itself; what then
    /// still has no key takes the first empty one.
    private mutating func placeCustom(lead: Int, present: [Bool], arranged: [Int]) {
        placeOwnSlots(of: lead, arranged: arranged)
        let others = peers(of: lead, present: present).map { slots(of: $0, arranged: arranged) }
        for slot in 0..<Snapshot.slotCount {
            for list in others {
                if let entry = list[slot] { place(entry, at: slot) }
            }
        }
        for slot in 0..<Snapshot.slotCount {
            for list in others {
                guard let entry = list[slot], let empty = keys.firstIndex(of: nil) else { continue }
                place(entry, at: empty)
            }
        }
    }

    private func peers(of lead: Int, present: [Bool]) -> [Int] {
        present.indices.filter { $0 != lead && present[$0] && partakes[$0] }
    }

    private mutating func placeRanked(_ arranged: [Int], mode: Snapshot.AgentSource) {
        for (key, entry) in sorted(arranged, mode: mode).prefix(keys.count).enumerated() { place(entry, at: key) }
    }

    /// Everything without a key: live tasks, then those of hosts that are not live.
    ///
    /// When every live task has its key, what follows takes the keys behind the last one, if a host that partakes shows it: with fixed
    /// places a task nobody put on the board stays in the rest.
    private mutating func follow(mode: Snapshot.AgentSource) {
        let left = entries.indices.filter { !placed[$0] }
        let live = sorted(left.filter { entries[$0].ownerIsLive }, mode: mode)
        let offline = sorted(left.filter { !entries[$0].ownerIsLive }, mode: mode)
        var waiting: [Int] = []
        var blocked = false
        for entry in live + offline {
            let free = (keys.lastIndex { $0 != nil } ?? -1) + 1
            // The first live task without a key blocks all offline ones.
            let mayFill = free < keys.count && entries[entry].places.contains { partakes[$0.host] } && !(blocked && !entries[entry].ownerIsLive)
            if mayFill {
                place(entry, at: free)
            } else {
                blocked = blocked || entries[entry].ownerIsLive
                waiting.append(entry)
            }
        }
        rest = waiting
    }

    private func sorted(_ list: [Int], mode: Snapshot.AgentSource) -> [Int] {
        let ranks = list.map { rank(entries[$0], mode: mode) }
        return list.indices.sorted { left, right in
            if ranks[left] != ranks[right] { return ranks[left] < ranks[right] }
            return precedes(list[left], list[right])
        }.map { list[$0] }
    }

    /// The newer activity, then the host, then the slot; last the identity, by which the entries are sorted.
    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let (first, second) = (entries[left], entries[right])
        if first.activity != second.activity { return first.activity > second.activity }
        if first.owner != second.owner { return first.owner < second.owner }
        return first.slot != second.slot ? first.slot < second.slot : left < right
    }

    /// What has no place of its own on a pinned or custom board is ranked by who needs the user first.
    private func rank(_ entry: Entry, mode: Snapshot.AgentSource) -> Int {
        switch (mode, entry.meaning) {
        case (.recent, _) where entry.selected: 0
        case (.recent, .waiting), (.recent, .working): 1
        case (.recent, .failed), (.recent, .finished): 2
        case (.recent, .idle): 3
        case (_, .waiting): 0
        case (_, .failed), (_, .finished): 1
        case (_, .working): 2
        case (_, .idle): 3
        case (_, .off): 4
        }
    }
}
