import RelayProtocol

/// Which event each task's notification tells. A task has one notification, which its next event takes over in place.
struct ToldEvents {
    private struct Entry {
        var event: Int64
        /// What the notification goes by: the task as it was called when the first event of it was told.
        var key: String
    }

    private var entries: [TaskIdentity: Entry] = [:]
    /// Events that hold still.
    private var open: Set<Int64> = []

    /// - Returns: The key of the notification that is to tell `event`; `nil` when it is over already.
    mutating func tell(_ event: AttentionEvent) -> String? {
        guard open.contains(event.id) else { return nil }
        let key = entries[event.task]?.key ?? AttentionWords.key(event.task)
        entries[event.task] = Entry(event: event.id, key: key)
        return key
    }

    /// Takes the events as they are now, before the new ones among them are told.
    ///
    /// A notification whose event is over goes, unless a newer event of its task is open: that one is about to take its place.
    ///
    /// - Returns: The keys of the notifications to take back, sorted.
    mutating func settle(_ events: [AttentionEvent]) -> [String] {
        open = Set(events.lazy.filter(\.isUnread).map(\.id))
        guard !entries.isEmpty else { return [] }
        var withdrawn: [String] = []
        for (task, entry) in entries {
            // A temporary key may have got its real one since.
            let current = events.first { $0.id == entry.event }?.task ?? task
            let isHeld = events.contains { $0.task == current && $0.id >= entry.event && $0.isUnread }
            if isHeld, current == task { continue }
            entries[task] = nil
            if isHeld, entries[current] == nil { entries[current] = entry } else { withdrawn.append(entry.key) }
        }
        return withdrawn.sorted()
    }

    /// Forgets all.
    ///
    /// - Returns: The keys of the notifications to take back, sorted.
    mutating func clear() -> [String] {
        defer { entries = [:] }
        return entries.values.map(\.key).sorted()
    }

    /// The task whose notification goes by `key`.
    func task(ofKey key: String) -> TaskIdentity? { entries.first { $0.value.key == key }?.key }
}
