import RelayProtocol

@testable import DeckClient

/// A ledger and the computers it looks at, step by step on one clock.
struct AttentionLab {
    var ledger: AttentionLedger
    var hosts: [Int: HostView] = [:]
    var memory = MergeMemory()
    var now = Lab.now
    /// Whether the memory of the merge takes part, as in the engine.
    var remembers = false

    init(_ ledger: AttentionLedger = AttentionLedger()) { self.ledger = ledger }

    /// Tasks and kinds of the events that a look makes, such as `approval 1`.
    @discardableResult
    mutating func look() -> [String] {
        let views = hosts.keys.sorted().compactMap { hosts[$0] }
        if remembers { memory.observe(views, now: now) }
        let (memory, now) = (memory, now)
        func merge(_ hosts: [HostView]) -> Board {
            DeckMerge.merge(hosts: hosts, authority: nil, acknowledgements: memory.acknowledgements, joins: memory.joins, now: now)
        }
        let events = ledger.observe(merge(views), hosts: views, joins: memory.joins, now: now, merge: merge)
        return events.map { "\($0.kind.rawValue) \(Int($0.task.uuid.prefix(8), radix: 16) ?? -1)" }
    }

    /// Lets a computer say what it shows, a second after what was last said.
    @discardableResult
    mutating func say(_ host: Int, _ slots: [Slot], sessions: [HostSession]? = nil, active: String? = nil, after seconds: Double = 1) -> [String] {
        now = now.advanced(byMilliseconds: Int64(seconds * 1000))
        let fresh = Lab.view(host, slots, sessions: sessions, active: active)
        guard let snapshot = fresh.report?.snapshot else { return [] }
        var view = hosts[host] ?? fresh
        view.health = .ready
        view.receive(snapshot, observedAt: now, receivedAt: now)
        hosts[host] = view
        return look()
    }

    /// Ends the connection to a computer.
    @discardableResult
    mutating func lose(_ host: Int) -> [String] {
        now = now.advanced(byMilliseconds: 1000)
        hosts[host]?.disconnect(.offline(reason: nil))
        return look()
    }

    /// A task on key 1, active `ago` seconds before the beginning; less than 0 for later.
    static func slot(_ task: Int, _ status: TaskStatus, ago: Double? = 100, key: String? = nil, id: Int = 0, owned: Bool? = nil) -> Slot {
        Lab.slot(id, task, status, key: key, ago: ago, owned: owned)
    }
}
