import RelayProtocol

/// One command from the finger to its receipt, without a socket or a clock: events and times in, actions out.
///
/// A press is followed by its release 90 ms later, whatever became of the press and of the user's patience. A result has to come within
/// 10 s; an opened task is reported as open only when a snapshot that came after the press shows it.
public struct PressTransaction: Sendable {
    public typealias Instant = ContinuousClock.Instant

    public enum Request: Sendable, Equatable {
        /// Opens a task. With `again`, presses also when it is open already.
        case open(TaskIdentity, again: Bool = false)
        /// Everything that is not the opening of a task. `host` is meant and no other.
        case execute(CommandPlan, host: HostID)
    }

    public enum Action: Sendable, Equatable {
        /// Send this, and give back its result as that of `phase`. A single command is a press without a release.
        case send(Command, phase: PressPhase, to: HostID)
        case finish(CommandOutcome)
    }

    public enum Event: Sendable {
        /// `error` is the host's sentence; `nil` means it carried the command out.
        case result(PressPhase, error: String?)
        /// A whole snapshot came; the word that nothing changed confirms nothing and is no such event.
        case snapshot(HostView)
        case sendFailed(PressPhase)
        case connectionLost(HostID)
        case interrupted
    }

    /// How far it is, for a receipt that grows.
    public enum Stage: Sendable, Equatable {
        case idle, sending
        case confirmedByHost
        case finished(CommandOutcome)
    }

    /// The time a control is held, the time a result may take, and the time a confirming snapshot may take after the result.
    public struct Limits: Sendable {
        public var hold: Duration
        public var result: Duration
        public var confirmation: Duration

        public init(hold: Duration = .milliseconds(90), result: Duration = .seconds(10), confirmation: Duration = .seconds(4)) {
            self.hold = hold
            self.result = result
            self.confirmation = confirmation
        }
    }

    public let request: Request
    public private(set) var stage: Stage = .idle
    /// The computer it went to.
    public private(set) var host: HostID?

    private let limits: Limits
    private var flight: PressFlight?

    public init(_ request: Request, limits: Limits = Limits()) {
        self.request = request
        self.limits = limits
    }

    public var outcome: CommandOutcome? { if case .finished(let outcome) = stage { outcome } else { nil } }

    /// Resolves the target with what is known now, and sends or fails. Call once.
    public mutating func begin(in context: CommandContext, now: Instant) -> [Action] {
        guard stage == .idle else { return [] }
        do throws(CommandFailure) {
            var prepared = try prepare(in: context)
            prepared.pressed(at: now, limits: limits)
            host = prepared.host
            flight = prepared
            stage = .sending
            return [.send(prepared.plan.first, phase: .press, to: prepared.host)] + advance(now)
        } catch {
            return finish(error.outcome)
        }
    }

    public mutating func handle(_ event: Event, now: Instant) -> [Action] {
        guard outcome == nil, var present = flight else { return [] }
        present.apply(event, now: now, limits: limits)
        flight = present
        if case .answered(nil, _) = present.press, stage == .sending { stage = .confirmedByHost }
        return advance(now)
    }

    /// When ``handleTimeout(now:)`` has to be called at the latest; `nil` when there is nothing to wait for.
    public var nextDeadline: Instant? { outcome == nil ? flight?.nextDeadline : nil }

    public mutating func handleTimeout(now: Instant) -> [Action] {
        guard outcome == nil, flight != nil else { return [] }
        return advance(now)
    }

    private func prepare(in context: CommandContext) throws(CommandFailure) -> PressFlight {
        switch request {
        case .execute(let plan, let host):
            let view = try context.ready(host, for: plan.capability)
            return PressFlight(plan: plan, host: host, name: view.host.name, opens: [])
        case .open(let task, let again):
            let target = try context.target(of: task)
            let view = try context.ready(target.host, for: .agent)
            let spelled = target.key.identity
            if !again, view.isOpen(task, spelled) { throw CommandFailure(.alreadyOpen) }
            return PressFlight(plan: .open(target), host: target.host, name: view.host.name, opens: [task, spelled])
        }
    }

    private mutating func advance(_ now: Instant) -> [Action] {
        guard var present = flight else { return [] }
        var actions: [Action] = []
        if let release = present.takeRelease(now: now, limits: limits) { actions.append(.send(release, phase: .release, to: present.host)) }
        flight = present
        if let outcome = present.outcome(now: now) { actions += finish(outcome) }
        return actions
    }

    private mutating func finish(_ outcome: CommandOutcome) -> [Action] {
        stage = .finished(outcome)
        return [.finish(outcome)]
    }
}
