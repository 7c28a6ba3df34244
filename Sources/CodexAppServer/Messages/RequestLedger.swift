/// The requests that wait for their answers. A value: time comes in.
struct RequestLedger<Payload> {
    typealias Instant = ContinuousClock.Instant

    struct Entry {
        var payload: Payload
        var deadline: Instant
    }

    private var entries: [Int64: Entry] = [:]
    private var lastID: Int64 = 0

    var count: Int { entries.count }
    var nextDeadline: Instant? { entries.values.map(\.deadline).min() }

    /// Notes a request.
    ///
    /// - Returns: The id to send it under; never used twice in the life of a ledger.
    mutating func open(_ payload: Payload, deadline: Instant) -> Int64 {
        lastID += 1
        entries[lastID] = Entry(payload: payload, deadline: deadline)
        return lastID
    }

    /// Takes out the request an answer belongs to; `nil` for an answer to nothing, or one that comes too late.
    mutating func close(_ id: RequestID?) -> Payload? {
        guard case .integer(let id) = id else { return nil }
        return entries.removeValue(forKey: id)?.payload
    }

    /// Takes out what has waited too long, in the order it was sent.
    mutating func expire(now: Instant) -> [Payload] {
        let due = entries.filter { $0.value.deadline <= now }.keys.sorted()
        return due.compactMap { entries.removeValue(forKey: $0)?.payload }
    }

    /// Takes out everything: the connection is gone.
    mutating func drain() -> [Payload] {
        defer { entries = [:] }
        return entries.sorted { $0.key < $1.key }.map(\.value.payload)
    }
}
