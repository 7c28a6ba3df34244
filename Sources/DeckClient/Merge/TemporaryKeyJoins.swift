import RelayProtocol

/// Which temporary keys of desktop apps turned out to be which tasks.
///
/// A desktop app gives a new thread a key of its own (`…:client-new-thread:<uuid>`) before the thread has an identity, and may
/// go on using it. A key is joined to a task when it is the selected slot of a host whose active task is one of its own sessions,
/// or when just one of the host's own sessions goes by the slot's title on another host.
public struct TemporaryKeyJoins: Sendable, Equatable {
    /// What a join rests on; the stronger first.
    public enum Evidence: String, Sendable { case selection, title }

    public struct Join: Sendable, Equatable {
        /// The UUID in the temporary key.
        public let temporary: TaskIdentity
        public let task: TaskIdentity
        public let evidence: Evidence
        /// When the evidence was last seen, by our clock.
        public let seenAt: UnixMilliseconds

        public init(temporary: TaskIdentity, task: TaskIdentity, evidence: Evidence, seenAt: UnixMilliseconds) {
            self.temporary = temporary
            self.task = task
            self.evidence = evidence
            self.seenAt = seenAt
        }
    }

    /// Milliseconds a join outlives its evidence: a day.
    public static let lifetime: Int64 = 24 * 60 * 60 * 1000
    /// The oldest are forgotten beyond this many.
    public static let capacity = 256

    private var joins: [IdentityCode: Join] = [:]

    public init() {}

    /// Takes remembered joins; of one key told twice the newer counts.
    public init(_ remembered: some Sequence<Join>) {
        for join in remembered where join.temporary != join.task {
            let code = IdentityCode(join.temporary)
            if let known = joins[code], known.seenAt >= join.seenAt { continue }
            joins[code] = join
        }
        bound()
    }

    /// All joins, by temporary identity.
    public var all: [Join] { joins.values.sorted { $0.temporary < $1.temporary } }
    public var isEmpty: Bool { joins.isEmpty }

    /// The task behind `temporary`; `nil` when none is known or the day is over.
    public func task(behind temporary: TaskIdentity, now: UnixMilliseconds) -> TaskIdentity? {
        task(behind: IdentityCode(temporary), now: now)
    }

    func task(behind code: IdentityCode, now: UnixMilliseconds) -> TaskIdentity? {
        guard let join = joins[code], now.milliseconds(since: join.seenAt) < Self.lifetime else { return nil }
        return join.task
    }

    /// Looks for evidence in what the hosts show now, and forgets what is older than a day.
    ///
    /// A selection outranks a title; the newest selection counts. A join that rests on a title alone is dropped as soon as the title
    /// fits several sessions: it was made only because another host had not been heard yet, and the order of arrival must not matter.
    public mutating func learn(from hosts: [HostView], now: UnixMilliseconds) {
        joins = joins.filter { now.milliseconds(since: $0.value.seenAt) < Self.lifetime }
        let views = hosts.perComputer
        guard views.contains(where: { $0.report?.index.hasTemporaryKeys == true }) else { return }
        var settled: Set<IdentityCode> = []
        for view in views where view.isLive {
            guard let report = view.report, report.index.hasTemporaryKeys, let found = Self.bySelection(report) else { continue }
            guard settled.insert(found.code).inserted else { continue }
            joins[found.code] = Join(temporary: found.temporary, task: found.task, evidence: .selection, seenAt: now)
        }
        for (position, view) in views.enumerated() where view.isLive {
            guard let report = view.report else { continue }
            for copy in report.index.copies where copy.isTemporary {
                learnTitle(of: copy, in: report, others: views.indices.lazy.filter { $0 != position }.map { views[$0] }, settled: &settled, now: now)
            }
        }
        bound()
    }

    private mutating func learnTitle(
        of copy: HostIndex.Copy, in report: HostReport, others: some Sequence<HostView>, settled: inout Set<IdentityCode>, now: UnixMilliseconds
    ) {
        guard let code = copy.code, let temporary = copy.key?.identity, joins[code]?.evidence != .selection, !settled.contains(code) else { return }
        guard let title = copy.slot.title, !title.isEmpty else { return }
        let candidates = Self.tasks(titled: title, in: others, ownedBy: report)
        guard let task = candidates.first else { return }
        settled.insert(code)
        joins[code] = candidates.count == 1 ? Join(temporary: temporary, task: task, evidence: .title, seenAt: now) : nil
    }

    private mutating func bound() {
        guard joins.count > Self.capacity else { return }
        let newest = joins.sorted { left, right in
            left.value.seenAt != right.value.seenAt ? left.value.seenAt > right.value.seenAt : left.key < right.key
        }
        joins = Dictionary(uniqueKeysWithValues: newest.prefix(Self.capacity).map { ($0.key, $0.value) })
    }
}

extension TemporaryKeyJoins {
    /// A host shows one task in one slot: a session that already has a slot of its own there is not the one behind another key.
    private static func mayBeHidden(_ code: IdentityCode, in index: HostIndex) -> Bool {
        index.session(code) != nil && !index.copies.contains { $0.code == code }
    }

    private static func bySelection(_ report: HostReport) -> (code: IdentityCode, temporary: TaskIdentity, task: TaskIdentity)? {
        guard let selected = report.index.onlySelected, selected.isTemporary, let code = selected.code, let temporary = selected.key?.identity,
            let active = report.index.active, !active.isTemporary, let activeCode = report.index.activeCode,
            mayBeHidden(activeCode, in: report.index)
        else { return nil }
        return (code, temporary, active.identity)
    }

    /// The sessions of `report` that other hosts show under `title`, at most two, sorted.
    private static func tasks(titled title: String, in others: some Sequence<HostView>, ownedBy report: HostReport) -> [TaskIdentity] {
        var found: Set<TaskIdentity> = []
        for view in others {
            guard let other = view.report else { continue }
            for copy in other.index.copies where !copy.isTemporary && copy.slot.title == title {
                if let code = copy.code, let identity = copy.key?.identity, mayBeHidden(code, in: report.index) { found.insert(identity) }
            }
            if other.snapshot.activeThreadTitle == title, let active = other.index.active, !active.isTemporary, let code = other.index.activeCode,
                mayBeHidden(code, in: report.index)
            {
                found.insert(active.identity)
            }
        }
        return found.sorted()
    }
}
