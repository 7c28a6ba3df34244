import RelayProtocol

/// Everything the hosts say about one task. Hosts are positions in a list sorted by host, so a lower one wins ties.
struct TaskEvidence {
    /// A slot of a host that shows the task.
    struct Copy {
        let host: Int
        let indexed: HostIndex.Copy

        var slot: Slot { indexed.slot }
        var meaning: TaskStatus.Meaning { indexed.meaning }
    }

    /// A host that lists the task as its own.
    struct Session {
        let host: Int
        let session: HostSession
    }

    /// `nil` for a key nobody can read; such a task has one copy and no session.
    let code: IdentityCode?
    let identity: TaskIdentity?
    /// By host, then slot.
    let copies: [Copy]
    /// By host.
    let sessions: [Session]

    func session(of host: Int) -> HostSession? { sessions.first { $0.host == host }?.session }
}

extension TaskEvidence {
    /// Every task that has a slot somewhere, sorted by identity, then those with keys nobody can read by host and slot.
    ///
    /// A session without any slot is no task of the board: it has no title to show and no key to press.
    static func all(on computers: [MergeHost], joins: TemporaryKeyJoins, now: UnixMilliseconds) -> [TaskEvidence] {
        var copies: [Copy] = []
        var places: [(code: IdentityCode, position: Int)] = []
        var unreadable: [TaskEvidence] = []
        copies.reserveCapacity(computers.count * Snapshot.slotCount)
        places.reserveCapacity(copies.capacity)
        for (host, computer) in computers.enumerated() {
            guard let index = computer.index else { continue }
            for indexed in index.copies {
                let copy = Copy(host: host, indexed: indexed)
                if let code = indexed.code {
                    let joined = indexed.isTemporary ? joins.task(behind: code, now: now).map(IdentityCode.init) : nil
                    places.append((joined ?? code, copies.count))
                    copies.append(copy)
                } else {
                    unreadable.append(TaskEvidence(code: nil, identity: nil, copies: [copy], sessions: []))
                }
            }
        }
        places.sort { $0.code != $1.code ? $0.code < $1.code : $0.position < $1.position }
        return grouped(places, copies, computers, joins, now) + unreadable
    }

    private static func grouped(
        _ sorted: [(code: IdentityCode, position: Int)], _ copies: [Copy], _ computers: [MergeHost], _ joins: TemporaryKeyJoins,
        _ now: UnixMilliseconds
    ) -> [TaskEvidence] {
        var groups: [(code: IdentityCode, range: Range<Int>)] = []
        groups.reserveCapacity(sorted.count)
        var start = 0
        while start < sorted.count {
            let code = sorted[start].code
            var end = start + 1
            while end < sorted.count, sorted[end].code == code { end += 1 }
            groups.append((code, start..<end))
            start = end
        }
        let sessions = sessions(of: groups.map(\.code), on: computers)
        return groups.indices.map { group in
            let found = sorted[groups[group].range].map { copies[$0.position] }
            return TaskEvidence(code: groups[group].code, identity: identity(of: found, joins, now), copies: found, sessions: sessions[group])
        }
    }

    /// For each of `codes`, which are sorted as each host's sessions are: one walk along both finds them all.
    private static func sessions(of codes: [IdentityCode], on computers: [MergeHost]) -> [[Session]] {
        var found = [[Session]](repeating: [], count: codes.count)
        for (host, computer) in computers.enumerated() {
            guard let index = computer.index, let listed = index.snapshot.hostSessions else { continue }
            let sessions = index.sessions
            var cursor = 0
            for position in codes.indices {
                while cursor < sessions.count, sessions[cursor].code < codes[position] { cursor += 1 }
                guard cursor < sessions.count else { break }
                if sessions[cursor].code == codes[position] {
                    found[position].append(Session(host: host, session: listed[sessions[cursor].position]))
                }
            }
        }
        return found
    }

    private static func identity(of copies: [Copy], _ joins: TemporaryKeyJoins, _ now: UnixMilliseconds) -> TaskIdentity? {
        guard let indexed = copies.first?.indexed, let own = indexed.key?.identity, let code = indexed.code else { return nil }
        return indexed.isTemporary ? joins.task(behind: code, now: now) ?? own : own
    }

    /// What is said about one task, also when it has no slot anywhere.
    static func one(_ identity: TaskIdentity, on computers: [MergeHost], joins: TemporaryKeyJoins, now: UnixMilliseconds) -> TaskEvidence {
        let code = IdentityCode(identity)
        var copies: [Copy] = []
        var sessions: [Session] = []
        for (host, computer) in computers.enumerated() {
            guard let index = computer.index else { continue }
            for indexed in index.copies {
                guard let own = indexed.code else { continue }
                let resolved = indexed.isTemporary ? joins.task(behind: own, now: now).map(IdentityCode.init) ?? own : own
                if resolved == code { copies.append(Copy(host: host, indexed: indexed)) }
            }
            if let listed = index.session(code), let session = index.snapshot.hostSessions?[listed.position] {
                sessions.append(Session(host: host, session: session))
            }
        }
        return TaskEvidence(code: code, identity: identity, copies: copies, sessions: sessions)
    }
}
