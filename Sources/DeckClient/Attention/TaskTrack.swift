import RelayProtocol

/// What has been counted of one task, so that each need of it is told once.
struct TaskTrack: Sendable, Equatable {
    /// What a task can want of its owner. Complete and unread are one: the word flips between them.
    enum Need: Sendable, Hashable, CaseIterable { case approval, response, error, finished }

    /// The task as it is seen at one moment.
    struct Sight: Sendable, Equatable {
        var need: Need?
        var revision: Acknowledgements.Revision?
        /// Milliseconds by our clock; 0 when nobody says.
        var activity: Int64
        var owner: HostID
        /// It is at work or was given work: whatever follows is a new matter.
        var isBusy: Bool
    }

    struct Counted: Sendable, Equatable {
        var revision: Acknowledgements.Revision?
        var activity: Int64
        var owner: HostID
        /// Since when the task is out of that state; `nil` while it is in it.
        var endedAt: UnixMilliseconds?
        /// It has been at work since.
        var hasWorked = false
        /// The event that told it; `nil` for what belonged to a baseline.
        var event: Int64?
    }

    /// Milliseconds after which a state that was left and comes again is no mere flicker between copies of different age.
    static let flicker = StatusRule.maximumLag
    /// Milliseconds by which an activity must be later, after a gap in what is known, to prove that something happened in it:
    /// more than the reading of a host's clock may move.
    static let gapTolerance: Int64 = 2 * HostReport.shiftTolerance
    static let completionsKept = 8

    private(set) var counted: [Need: Counted] = [:]
    /// Revisions of completions that were counted, oldest first.
    private(set) var completions: [Int64] = []
    /// Nobody has been heard about it since it was last seen.
    var isAbsent = false
    var heardAt: UnixMilliseconds

    init(heardAt: UnixMilliseconds) { self.heardAt = heardAt }

    /// What an event of an earlier run says: the task was in that state when it was last heard of.
    mutating func remember(_ event: AttentionEvent) {
        let need = Need(event.kind)
        if case .number(let revision)? = event.revision, need == .finished { note(revision) }
        counted[need] = Counted(
            revision: event.revision, activity: event.activityAt?.value ?? 0, owner: event.host, endedAt: event.endedAt,
            hasWorked: event.endedAt != nil, event: event.id)
        isAbsent = true
    }

    /// Takes a sight of the task.
    ///
    /// - Returns: The need that is new, if one is. It counts from now on, whether it becomes an event or not.
    mutating func see(_ sight: Sight, now: UnixMilliseconds) -> Need? {
        let wasAbsent = isAbsent
        isAbsent = false
        heardAt = now
        for need in Need.allCases where need != sight.need {
            guard var old = counted[need] else { continue }
            if old.endedAt == nil { old.endedAt = now }
            old.hasWorked = old.hasWorked || sight.isBusy
            counted[need] = old
        }
        guard let need = sight.need else { return nil }
        guard isNew(need, sight, wasAbsent: wasAbsent, now: now) else {
            adopt(need, sight)
            return nil
        }
        counted[need] = Counted(revision: sight.revision, activity: sight.activity, owner: sight.owner)
        if need == .finished, case .number(let revision)? = sight.revision { note(revision) }
        return need
    }

    mutating func link(_ need: Need, to event: Int64) { counted[need]?.event = event }

    /// Events that are not linked to a present state any more.
    func event(of need: Need) -> (id: Int64, endedAt: UnixMilliseconds?)? {
        counted[need].flatMap { counted in counted.event.map { ($0, counted.endedAt) } }
    }

    // MARK: - Rules

    private func isNew(_ need: Need, _ sight: Sight, wasAbsent: Bool, now: UnixMilliseconds) -> Bool {
        guard let old = counted[need] else { return true }
        if need == .finished, case .number(let revision)? = sight.revision, completions.contains(revision) { return false }
        if need == .finished || need == .error, case .number? = sight.revision, case .number? = old.revision, sight.revision != old.revision {
            // Another computer may number otherwise: from it a number alone proves nothing.
            if sight.owner == old.owner || old.hasWorked || sight.activity > old.activity { return true }
        }
        guard let endedAt = old.endedAt else {
            return wasAbsent && old.activity > 0 && sight.activity > old.activity + Self.gapTolerance
        }
        let isLater = sight.activity > old.activity
        let returned = sight.activity == 0 || isLater || now.milliseconds(since: endedAt) > Self.flicker
        return need == .finished || need == .error ? returned && (old.hasWorked || isLater) : returned
    }

    /// The same matter seen again; it may have got its number only now.
    private mutating func adopt(_ need: Need, _ sight: Sight) {
        guard var old = counted[need] else { return }
        old.endedAt = nil
        old.hasWorked = false
        if old.revision == nil || sight.revision.map({ $0 != .unnumbered }) == true { old.revision = sight.revision }
        old.owner = sight.owner
        counted[need] = old
        if need == .finished, case .number(let revision)? = sight.revision { note(revision) }
    }

    private mutating func note(_ revision: Int64) {
        guard !completions.contains(revision) else { return }
        completions = (completions + [revision]).suffix(Self.completionsKept)
    }
}

extension TaskTrack.Need {
    init(_ kind: AttentionEvent.Kind) {
        switch kind {
        case .approval: self = .approval
        case .response: self = .response
        case .error: self = .error
        case .completion, .unread: self = .finished
        }
    }
}

extension AttentionEvent.Kind {
    /// The kind that a state of a task calls for; `nil` when it needs nobody.
    init?(_ status: TaskStatus) {
        switch status.meaning {
        case .waiting: self = status == .awaitingResponse ? .response : .approval
        case .failed: self = .error
        case .finished: self = status == .unread ? .unread : .completion
        case .off, .idle, .working: return nil
        }
    }
}

extension TaskTrack.Sight {
    init(_ task: BoardTask) {
        let kind = AttentionEvent.Kind(task.status)
        need = kind.map(TaskTrack.Need.init)
        revision =
            switch need {
            case .finished: task.marks.completion
            case .error: task.marks.error
            case .approval, .response, nil: nil
            }
        activity = task.activityAt?.value ?? 0
        owner = task.owner
        isBusy = task.meaning == .working || task.meaning == .waiting
    }
}
