import RelayProtocol

/// One task of this computer as the deck sees it, whatever source told of it.
public struct DeckTask: Hashable, Sendable {
    /// What the task is doing. Revisions tell one completion or failure from the next.
    public enum Phase: Hashable, Sendable {
        case idle
        case working
        case awaitingApproval
        case awaitingResponse
        /// The latest turn ended well.
        case finished(revision: Int64)
        /// The latest turn failed.
        case failed(revision: Int64)
        /// Marked unread without a turn that finished.
        case unread
    }

    /// Who told of the task, for `decknode status`.
    public enum Origin: String, Hashable, Sendable { case appServer = "app-server", rollout, agent, demo }

    public var identity: TaskIdentity
    /// What clients command it by.
    public var key: TaskKey
    /// One line, at most ``RelayLimits/maximumTitleCharacters`` characters.
    public var title: String
    public var phase: Phase
    public var activityAt: UnixMilliseconds
    public var workStart: WorkStart?
    /// 0 … 100.
    public var contextUsedPercent: Int?
    public var origin: Origin
    /// Whether the session file of the task lives on this computer, so that it belongs into `hostSessions`.
    public var ownedByHost: Bool
    /// Why the node can watch the task but not act on it; `nil` when it can act.
    public var observedOnlyReason: String?
    /// Which source each fact came from.
    public var provenance: Provenance
    /// Working on paper, but nothing has moved for so long that its process must be gone.
    public var stalled: Bool

    /// Which source told what, for `decknode status`.
    public struct Provenance: Hashable, Sendable {
        public var status: Origin
        public var title: Origin
        public var context: Origin?

        public init(status: Origin, title: Origin, context: Origin?) {
            self.status = status
            self.title = title
            self.context = context
        }
    }

    /// The beginning of the latest user turn.
    public struct WorkStart: Hashable, Sendable {
        public var at: UnixMilliseconds
        /// Byte offset of the record that began the turn.
        public var revision: Int64

        public init(at: UnixMilliseconds, revision: Int64) {
            self.at = at
            self.revision = revision
        }
    }

    public init(
        identity: TaskIdentity, title: String, phase: Phase, activityAt: UnixMilliseconds, workStart: WorkStart? = nil,
        contextUsedPercent: Int? = nil, origin: Origin, ownedByHost: Bool = true, observedOnlyReason: String? = nil, stalled: Bool = false
    ) {
        self.identity = identity
        key = TaskKey(local: identity)
        self.title = title
        self.phase = phase
        self.activityAt = activityAt
        self.workStart = workStart
        self.contextUsedPercent = contextUsedPercent
        self.origin = origin
        provenance = Provenance(status: origin, title: origin, context: contextUsedPercent.map { _ in origin })
        self.ownedByHost = ownedByHost
        self.observedOnlyReason = observedOnlyReason
        self.stalled = stalled
    }

    /// The revision of the completion or failure the task ended its latest turn with.
    public var endRevision: Int64? {
        switch phase {
        case .finished(let revision), .failed(let revision): revision
        case .idle, .working, .awaitingApproval, .awaitingResponse, .unread: nil
        }
    }

    /// The moment that ranks the task: a working task by the start of its turn, so that it does not climb with each little event.
    var rankedAt: UnixMilliseconds {
        switch phase {
        case .working, .awaitingApproval, .awaitingResponse: workStart?.at ?? activityAt
        case .idle, .finished, .failed, .unread: activityAt
        }
    }
}
