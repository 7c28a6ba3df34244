import RelayProtocol

/// What state a task is in, when several computers say something about it.
struct StatusRule {
    let status: TaskStatus
    let meaning: TaskStatus.Meaning
    /// What there is to acknowledge, whether or not it was.
    let marks: Acknowledgements.Marks
    /// When the newest of what was used came in, by our clock.
    let newest: UnixMilliseconds

    /// Milliseconds by which a copy may be older than the newest one and still count.
    static let maximumLag: Int64 = 5000
    /// Milliseconds for which a session's completion makes a task complete by itself.
    static let completionLasts: Int64 = 5 * 60 * 1000

    /// - Parameter owner: Position of the owner in `computers`.
    init(_ task: TaskEvidence, owner: Int, computers: [MergeHost], acknowledgements: Acknowledgements, now: UnixMilliseconds) {
        let facts = Facts(task, owner: owner, computers: computers)
        newest = facts.newest
        marks = facts.marks
        let errorSeen = task.code.map { acknowledgements.hasError(facts.marks.error, of: $0) } ?? false
        let completionSeen = task.code.map { acknowledgements.hasCompletion(facts.marks.completion, of: $0) } ?? false
        let found = Self.word(facts, errorSeen: errorSeen, completionSeen: completionSeen, now: now)
        status = found
        meaning = found.meaning
    }

    private static func word(
        _ facts: Facts, errorSeen: Bool, completionSeen: Bool, now: UnixMilliseconds
    ) -> TaskStatus {
        // An error that was seen says nothing more about the state.
        let strongest = errorSeen ? facts.copies.first { $0.meaning != .failed } : facts.copies.first
        if let strongest, strongest.meaning >= .working { return strongest.slot.status }
        if facts.session?.status == .working { return .working }
        if completionSeen || errorSeen { return .idle }
        if let finished = facts.copies.first(where: { $0.meaning == .finished }) { return finished.slot.status }
        if facts.session?.status == .complete, let completed = facts.sessionActivity,
            now.milliseconds(since: completed) <= completionLasts
        {
            return .complete
        }
        return strongest?.slot.status ?? .idle
    }
}

extension StatusRule {
    /// What of the evidence is new enough to count.
    ///
    /// The owner's session is dated like a copy: a computer that went silent while it worked does not keep a task working for ever,
    /// and a mirror that went silent does not outweigh an owner that still speaks.
    struct Facts {
        /// Strongest first; equally strong ones: the owner's, then the newer activity, then host and slot.
        let copies: [TaskEvidence.Copy]
        let session: HostSession?
        /// By our clock.
        let sessionActivity: UnixMilliseconds?
        let newest: UnixMilliseconds
        let marks: Acknowledgements.Marks

        init(_ task: TaskEvidence, owner: Int, computers: [MergeHost]) {
            func received(_ host: Int) -> Int64 { computers[host].receivedAt }
            let owned = task.session(of: owner)
            var newest = owned == nil ? 0 : received(owner)
            for copy in task.copies { newest = max(newest, received(copy.host)) }
            self.newest = UnixMilliseconds(clamping: newest)
            let current = task.copies.filter { newest - received($0.host) <= StatusRule.maximumLag }
            copies = current.count < 2 ? current : current.sorted { Self.outranks($0, $1, owner: owner, computers: computers) }
            session = newest - received(owner) <= StatusRule.maximumLag ? owned : nil
            sessionActivity = session.flatMap { computers[owner].local($0.activityAt) }
            marks = Self.marks(copies, owned: owned, session: session)
        }

        private static func outranks(_ left: TaskEvidence.Copy, _ right: TaskEvidence.Copy, owner: Int, computers: [MergeHost]) -> Bool {
            if left.meaning != right.meaning { return left.meaning > right.meaning }
            if (left.host == owner) != (right.host == owner) { return left.host == owner }
            let leftActivity = left.activity(on: computers)
            let rightActivity = right.activity(on: computers)
            if leftActivity != rightActivity { return leftActivity > rightActivity }
            return left.host != right.host ? left.host < right.host : left.slot.id < right.slot.id
        }

        /// The owner's session numbers its turns; where it does not, a finished or failed copy can be told from the next only by going away.
        private static func marks(_ copies: [TaskEvidence.Copy], owned: HostSession?, session: HostSession?) -> Acknowledgements.Marks {
            var marks = Acknowledgements.Marks()
            if let revision = owned?.completionRevision {
                marks.completion = .number(revision)
            } else if session?.status == .complete || copies.contains(where: { $0.meaning == .finished }) {
                marks.completion = .unnumbered
            }
            if let failed = copies.first(where: { $0.meaning == .failed }) {
                let revision = owned?.completionRevision ?? owned?.workStartRevision ?? failed.slot.workStartRevision
                marks.error = revision.map { .number($0) } ?? .unnumbered
            }
            return marks
        }
    }
}
