import RelayProtocol

/// What the records of one session add up to.
///
/// A fold: ``apply(_:)`` takes the records in the order of the file, and any prefix left out (a read that began near the end)
/// only leaves things unknown.
public struct SessionState: Equatable, Sendable {
    /// Where the session's newest turn stands, from the newest record that decides.
    public enum Lifecycle: Equatable, Sendable {
        case idle
        case working
        /// `revision` is the byte offset of the record that ended the turn.
        case complete(revision: Int64)
        /// The turn ended with an error; `revision` is the byte offset of the record that said so.
        case failed(revision: Int64)
    }

    /// The beginning of the newest user turn.
    public struct WorkStart: Equatable, Sendable {
        /// The time of the record that began the turn.
        public var at: UnixMilliseconds
        /// Its byte offset in the file.
        public var revision: Int64

        public init(at: UnixMilliseconds, revision: Int64) {
            self.at = at
            self.revision = revision
        }
    }

    public private(set) var lifecycle: Lifecycle = .idle
    /// Time of the newest record that shows work; bookkeeping does not count.
    public private(set) var activityAt: UnixMilliseconds?
    /// `nil` when that record lies before what was read.
    public private(set) var workStart: WorkStart?
    /// 0 … 100, how full the model's context was at its last answer.
    public private(set) var contextUsedPercent: Int?
    /// The main usage windows this session heard of.
    public private(set) var limits = RateLimits()
    /// First line of the first text the user wrote, at most ``Preview/maximumCharacters`` long. Not for the wire while a name is known.
    public private(set) var preview: String?

    /// When the session was forked off; `nil` for a session that began by itself. Some versions copy the turns of the parent into the
    /// fork's file, with new times: they ended in another session, long seen, and end nothing here.
    var forkedAt: UnixMilliseconds?

    private var openCalls: Set<String> = []
    private var contextWindow: Double?
    private var turnHasStartRecord = false
    private var turnHasError = false
    /// Whether any record so far said where the session stands.
    private var isDecided = false
    /// A preview taken from a bare conversation item, which an event with the user's own words replaces.
    private var previewIsGuess = false

    /// Before the first record, or with what is known from elsewhere.
    public init(
        lifecycle: Lifecycle = .idle, activityAt: UnixMilliseconds? = nil, workStart: WorkStart? = nil, contextUsedPercent: Int? = nil,
        limits: RateLimits = RateLimits(), preview: String? = nil
    ) {
        self.lifecycle = lifecycle
        self.activityAt = activityAt
        self.workStart = workStart
        self.contextUsedPercent = contextUsedPercent
        self.limits = limits
        self.preview = preview
    }

    /// Whether a tool call is waiting for its result.
    public var hasOpenToolCall: Bool { !openCalls.isEmpty }

    /// Whether the words of the user are still worth looking at.
    var wantsPreview: Bool { preview == nil || previewIsGuess }

    /// Takes over the preview that was found at the beginning of the file.
    mutating func adoptPreview(of beginning: SessionState) {
        preview = beginning.preview
        previewIsGuess = beginning.previewIsGuess
    }

    /// Takes over the beginning of the running turn, found further up than the rest.
    mutating func adoptTurnStart(_ record: RolloutRecord) {
        turnHasStartRecord = true
        workStart = record.timestamp.map { WorkStart(at: $0, revision: record.offset) }
    }

    /// Takes the next record of the file.
    public mutating func apply(_ record: RolloutRecord) {
        switch record.kind {
        case .bookkeeping, .sessionMeta: break
        case .turnStarted(let window):
            contextWindow = window ?? contextWindow
            beginTurn(record, byStartRecord: true)
        case .userMessage(let text):
            takePreview(text, isGuess: false)
            // Words added to a turn that is already running do not begin another.
            if lifecycle != .working || !turnHasStartRecord { beginTurn(record, byStartRecord: false) }
        case .userItem(let text): takePreview(text, isGuess: true)
        case .activity: decide(.working)
        case .toolCall(let id):
            decide(.working)
            if let id, openCalls.count < Self.maximumOpenCalls { openCalls.insert(id) }
        case .toolResult(let id): takeResult(id)
        case .tokenCount(let count): take(count)
        case .error:
            turnHasError = true
            endTurn(.failed(revision: record.offset))
        case .turnCompleted(_, let began?) where forkedAt.map { began < $0 } == true:
            turnHasError = false
            workStart = nil
            endTurn(.idle)
        case .turnCompleted(let outcome, _):
            let failed = outcome == .failed || (outcome == .silent && turnHasError)
            turnHasError = false
            endTurn(failed ? .failed(revision: record.offset) : .complete(revision: record.offset))
        case .turnAborted:
            turnHasError = false
            endTurn(.idle)
        }
        if showsWork(record.kind) { activityAt = [activityAt, record.timestamp].compactMap(\.self).max() }
    }

    /// A result that comes after its turn, of a command left running, is no work on the task any more.
    private func showsWork(_ kind: RolloutRecord.Kind) -> Bool {
        if case .toolResult = kind { lifecycle == .working } else { kind.showsWork }
    }

    /// Far more than a model starts at once; the bound is for damaged files.
    private static let maximumOpenCalls = 256

    private mutating func decide(_ lifecycle: Lifecycle) {
        self.lifecycle = lifecycle
        isDecided = true
    }

    private mutating func beginTurn(_ record: RolloutRecord, byStartRecord: Bool) {
        decide(.working)
        openCalls.removeAll()
        turnHasError = false
        turnHasStartRecord = byStartRecord
        workStart = record.timestamp.map { WorkStart(at: $0, revision: record.offset) }
    }

    private mutating func endTurn(_ end: Lifecycle) {
        decide(end)
        openCalls.removeAll()
        turnHasStartRecord = false
    }

    /// A command left running in the background may end after its turn: that revives nothing.
    private mutating func takeResult(_ id: String?) {
        if let id { openCalls.remove(id) }
        if !isDecided { decide(.working) }
    }

    private mutating func take(_ count: TokenCount) {
        if let limits = count.limits { self.limits.merge(limits) }
        contextWindow = count.contextWindow ?? contextWindow
        guard let used = count.lastTotal, let contextWindow, contextWindow > 0 else { return }
        contextUsedPercent = Int(min(max((used / contextWindow * 100).rounded(), 0), 100))
    }

    private mutating func takePreview(_ text: String?, isGuess: Bool) {
        guard let text, preview == nil || (previewIsGuess && !isGuess) else { return }
        preview = text
        previewIsGuess = isGuess
    }
}
