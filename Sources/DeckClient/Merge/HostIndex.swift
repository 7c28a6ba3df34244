import RelayProtocol

/// What merging needs of one snapshot, parsed once when it arrives. A class, so that merging hands on one reference and not every string.
final class HostIndex: Sendable {
    /// A slot that holds a task.
    final class Copy: Sendable {
        let slot: Slot
        /// `nil` when the host's key has no form we can read: shown, never commanded.
        let key: TaskKey?
        let code: IdentityCode?
        let isTemporary: Bool
        let meaning: TaskStatus.Meaning

        /// - Returns: `nil` for an empty slot.
        init?(_ slot: Slot) {
            guard let raw = slot.threadKey, !raw.isEmpty else { return nil }
            self.slot = slot
            key = TaskKey(raw)
            code = key.map { IdentityCode($0.identity) }
            isTemporary = key?.isTemporary ?? false
            meaning = slot.status.meaning
        }
    }

    struct Session: Sendable {
        let code: IdentityCode
        let activityAt: UnixMilliseconds
        /// Where in `hostSessions`.
        let position: Int
    }

    let snapshot: Snapshot
    /// In slot order.
    let copies: [Copy]
    /// Sorted by code; a session listed twice counts once, with its newest activity.
    let sessions: [Session]
    /// The task open on that computer.
    let active: TaskKey?
    let activeCode: IdentityCode?
    let hasTemporaryKeys: Bool

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        copies = snapshot.slots.prefix(Snapshot.slotCount).compactMap(Copy.init)
        hasTemporaryKeys = copies.contains(where: \.isTemporary)
        active = snapshot.activeThreadKey.flatMap { TaskKey($0) }
        activeCode = active.map { IdentityCode($0.identity) }
        sessions = Self.sorted(snapshot.hostSessions ?? [])
    }

    private static func sorted(_ sessions: [HostSession]) -> [Session] {
        var all = sessions.prefix(Snapshot.maximumSessions).enumerated().map { position, session in
            Session(code: IdentityCode(session.threadID), activityAt: session.activityAt, position: position)
        }
        all.sort { left, right in
            if left.code != right.code { return left.code < right.code }
            return left.activityAt != right.activityAt ? left.activityAt > right.activityAt : left.position < right.position
        }
        var unique: [Session] = []
        unique.reserveCapacity(all.count)
        for session in all where unique.last?.code != session.code { unique.append(session) }
        return unique
    }

    func session(_ code: IdentityCode) -> Session? {
        var low = 0
        var high = sessions.count
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].code < code { low = middle + 1 } else { high = middle }
        }
        return low < sessions.count && sessions[low].code == code ? sessions[low] : nil
    }

    /// The only selected slot; `nil` when none is selected, and when several claim to be.
    var onlySelected: Copy? {
        var found: Copy?
        for copy in copies where copy.slot.selected {
            if found != nil { return nil }
            found = copy
        }
        return found
    }
}
