import RelayProtocol

/// Where the daemon saw a service: the same one may be seen on several interfaces.
struct ServiceKey: Hashable, Sendable {
    var interface: Int32
    var networkProtocol: Int32
    var name: String
    var type: String
    var domain: String
}

/// The announcements in sight, and what changes when one comes or goes.
struct ServiceTable {
    /// A record that came into sight or left it.
    typealias Event = ServiceBrowser.Event

    private var records: [ServiceKey: ServiceRecord] = [:]

    /// Everything in sight, each once.
    var all: Set<ServiceRecord> { Set(records.values) }

    /// Takes note of what `key` says now.
    ///
    /// - Returns: A record that is in sight in two places neither comes when the second shows it nor goes with the first.
    mutating func insert(_ record: ServiceRecord, at key: ServiceKey) -> [Event] {
        let old = records[key]
        guard old != record else { return [] }
        let isNew = !records.values.contains(record)
        records[key] = record
        var events: [Event] = isNew ? [.found(record)] : []
        // The new record comes first: a client that moves a pairing to it never sees the computer gone.
        if let old, !records.values.contains(old) { events.append(.lost(old)) }
        return events
    }

    mutating func remove(_ key: ServiceKey) -> [Event] {
        guard let old = records.removeValue(forKey: key), !records.values.contains(old) else { return [] }
        return [.lost(old)]
    }

    mutating func removeAll() -> [Event] {
        let events = all.sorted { ($0.host, $0.address, $0.port) < ($1.host, $1.address, $1.port) }.map(Event.lost)
        records.removeAll()
        return events
    }
}
