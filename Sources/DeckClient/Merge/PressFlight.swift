import RelayProtocol

/// The state of a command that left.
struct PressFlight: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum Answer: Sendable, Equatable {
        case unsent
        case awaited(until: Instant)
        case answered(error: String?, at: Instant)
    }

    let plan: CommandPlan
    let host: HostID
    let name: String
    /// The identities that mean the task being opened; empty when nothing is opened.
    let opens: [TaskIdentity]
    private(set) var press = Answer.unsent
    private(set) var release = Answer.unsent
    private var releaseDue: Instant?
    private var confirmed = false
    private var confirmationDue: Instant?
    /// An end that was decided otherwise, and that waits only for the release to leave.
    private var decided: CommandOutcome?

    init(plan: CommandPlan, host: HostID, name: String, opens: [TaskIdentity]) {
        self.plan = plan
        self.host = host
        self.name = name
        self.opens = opens
    }

    mutating func pressed(at now: Instant, limits: PressTransaction.Limits) {
        press = .awaited(until: now + limits.result)
        if case .held = plan { releaseDue = now + limits.hold }
    }

    mutating func apply(_ event: PressTransaction.Event, now: Instant, limits: PressTransaction.Limits) {
        switch event {
        case .result(.press, let error):
            guard case .awaited = press else { return }
            press = .answered(error: error, at: now)
            if error == nil { confirmationDue = now + limits.confirmation }
        case .result(.release, let error):
            if case .awaited = release { release = .answered(error: error, at: now) }
        case .snapshot(let view):
            if view.host.id == host, opens.contains(where: { view.isOpen($0) }) { confirmed = true }
        case .sendFailed(.press):
            decide(.notSent(name: name))
        case .sendFailed(.release):
            // What the press did is still told by its result; a release that never left fails only what waits for it.
            release = .answered(error: CommandOutcome.notSent(name: name).description, at: now)
        case .connectionLost(let lost):
            guard lost == host else { return }
            // The release leaves at once, in case another route to the computer is up.
            if releaseDue != nil { releaseDue = now }
            // A confirmed press may still be seen in a snapshot after the reconnect; anything else stays unknown.
            if case .answered = press, !opens.isEmpty { return }
            decide(.unknown(name: name))
        case .interrupted:
            decide(.interrupted)
        }
    }

    private mutating func decide(_ outcome: CommandOutcome) {
        if decided == nil { decided = outcome }
    }

    /// The release, when its time has come.
    mutating func takeRelease(now: Instant, limits: PressTransaction.Limits) -> Command? {
        guard case .held(_, let command) = plan, let due = releaseDue, due <= now else { return nil }
        releaseDue = nil
        release = .awaited(until: now + limits.result)
        return command
    }

    var nextDeadline: Instant? {
        if let releaseDue { return releaseDue }
        if case .awaited(let until) = press { return until }
        if !opens.isEmpty { return confirmationDue }
        if case .awaited(let until) = release { return until }
        return nil
    }

    /// The end, when there is one: never before the release has left.
    func outcome(now: Instant) -> CommandOutcome? {
        guard releaseDue == nil else { return nil }
        if let decided { return decided }
        switch press {
        case .unsent: return nil
        case .awaited(let until): return until <= now ? .timedOut(name: name) : nil
        case .answered(let error?, _): return .rejected(error)
        case .answered(nil, _): return opens.isEmpty ? executed(now: now) : opened(now: now)
        }
    }

    private func opened(now: Instant) -> CommandOutcome? {
        if confirmed { return .stateConfirmed }
        guard let confirmationDue, confirmationDue <= now else { return nil }
        if case .answered(let error?, _) = release { return .rejected(error) }
        return .noConfirmingSnapshot
    }

    private func executed(now: Instant) -> CommandOutcome? {
        guard case .held = plan else { return .executed }
        switch release {
        case .unsent: return nil
        case .awaited(let until): return until <= now ? .timedOut(name: name) : nil
        case .answered(let error?, _): return .rejected(error)
        case .answered(nil, _): return .executed
        }
    }
}
