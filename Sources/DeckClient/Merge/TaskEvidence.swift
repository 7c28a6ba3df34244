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
    static func all(in views: [HostView], joins: TemporaryKeyJoins, now: UnixMilliseconds) -> [TaskEvidence] {
        var readable: [(code: IdentityCode, copy: Copy, identity: TaskIdentity)] = []
        var unreadable: [TaskEvidence] = []
        readable.reserveCapacity(views.count * Snapshot.slotCount)
        for (host, view) in views.enumerated() {
            for indexed in view.report?.index.copies ?? [] {
                let copy = Copy(host: host, indexed: indexed)
                guard let code = indexed.code, let key = indexed.key else {
                    unreadable.append(TaskEvidence(code: nil, identity: nil, copies: [copy], sessions: []))
                    continue
                }
                if indexed.isTemporary, let task = joins.task(behind: code, now: now) {
                    readable.append((IdentityCode(task), copy, task))
                } else {
                    readable.append((code, copy, key.identity))
                }
            }
        }
        let order = readable.indices.sorted { left, right in
            readable[left].code != readable[right].code ? readable[left].code < readable[right].code : left < right
        }
        return grouped(order.map { readable[$0] }, views) + unreadable
    }

    private static func grouped(
        _ sorted: [(code: IdentityCode, copy: Copy, identity: TaskIdentity)], _ views: [HostView]
    ) -> [TaskEvidence] {
        var tasks: [TaskEvidence] = []
        tasks.reserveCapacity(sorted.count)
        // Both lists are sorted by code: one walk along each host's sessions finds them all.
        var cursors = [Int](repeating: 0, count: views.count)
        var start = 0
        while start < sorted.count {
            let code = sorted[start].code
            var end = start + 1
            while end < sorted.count, sorted[end].code == code { end += 1 }
            var sessions: [Session] = []
            for host in views.indices {
                guard let report = views[host].report else { continue }
                let listed = report.index.sessions
                while cursors[host] < listed.count, listed[cursors[host]].code < code { cursors[host] += 1 }
                guard cursors[host] < listed.count, listed[cursors[host]].code == code,
                    let session = report.snapshot.hostSessions?[listed[cursors[host]].position]
                else { continue }
                sessions.append(Session(host: host, session: session))
            }
            tasks.append(
                TaskEvidence(code: code, identity: sorted[start].identity, copies: sorted[start..<end].map(\.copy), sessions: sessions))
            start = end
        }
        return tasks
    }

    /// What is said about one task, also when it has no slot anywhere.
    static func one(_ identity: TaskIdentity, in views: [HostView], joins: TemporaryKeyJoins, now: UnixMilliseconds) -> TaskEvidence {
        let code = IdentityCode(identity)
        var copies: [Copy] = []
        var sessions: [Session] = []
        for (host, view) in views.enumerated() {
            guard let report = view.report else { continue }
            for indexed in report.index.copies {
                guard let own = indexed.code else { continue }
                let resolved = indexed.isTemporary ? joins.task(behind: own, now: now).map(IdentityCode.init) ?? own : own
                if resolved == code { copies.append(Copy(host: host, indexed: indexed)) }
            }
            if let listed = report.index.session(code), let session = report.snapshot.hostSessions?[listed.position] {
                sessions.append(Session(host: host, session: session))
            }
        }
        return TaskEvidence(code: code, identity: identity, copies: copies, sessions: sessions)
    }
}
