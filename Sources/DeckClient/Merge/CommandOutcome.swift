import RelayProtocol

/// How a command ended. Nothing is ever sent again by itself.
public enum CommandOutcome: Sendable, Hashable, CustomStringConvertible {
    /// A snapshot that came after the press shows the task open.
    case stateConfirmed
    /// The task was open already; nothing was sent.
    case alreadyOpen
    /// The host says it carried the command out. No more is known.
    case executed
    /// The host carried it out, but no snapshot that shows it followed: a warning.
    case noConfirmingSnapshot
    case offlineHost(name: String)
    /// `seconds` is the age of the newest snapshot; `nil` when it lies in the future, after the clock of this computer was set back.
    case oldSnapshot(name: String, seconds: Int?)
    case missingTask
    /// The task has a key this program cannot read.
    case unreadableKey
    /// Between opening and answering the task moved to another computer, or another task was opened there.
    case changedMeanwhile
    case unsupported(Capability, name: String)
    /// The host's own sentence.
    case rejected(String)
    case timedOut(name: String)
    /// Could not be put on the wire.
    case notSent(name: String)
    /// The connection ended between sending and result: it may have been carried out or not.
    case unknown(name: String)
    case interrupted
    /// The same task is being pressed already; this press was swallowed.
    case alreadyUnderWay

    public enum Kind: Sendable { case success, warning, failure }

    public var kind: Kind {
        switch self {
        case .stateConfirmed, .alreadyOpen, .executed, .alreadyUnderWay: .success
        case .noConfirmingSnapshot: .warning
        case .offlineHost, .oldSnapshot, .missingTask, .unreadableKey, .changedMeanwhile, .unsupported, .rejected, .timedOut, .notSent,
            .unknown, .interrupted:
            .failure
        }
    }

    /// The word for scripts.
    public var word: String {
        switch self {
        case .stateConfirmed: "state-confirmed"
        case .alreadyOpen: "already-open"
        case .executed: "executed"
        case .noConfirmingSnapshot: "no-confirming-snapshot"
        case .offlineHost: "offline-host"
        case .oldSnapshot: "old-snapshot"
        case .missingTask, .unreadableKey: "missing-task"
        case .changedMeanwhile: "changed-meanwhile"
        case .unsupported: "unsupported"
        case .rejected: "rejected"
        case .timedOut: "timeout"
        case .notSent: "not-sent"
        case .unknown: "unknown"
        case .interrupted: "interrupted"
        case .alreadyUnderWay: "already-under-way"
        }
    }

    public var description: String {
        switch self {
        case .stateConfirmed: "The task is open."
        case .alreadyOpen: "The task is already open."
        case .executed: "The computer carried the command out."
        case .noConfirmingSnapshot: "The computer confirmed the press, but no snapshot that shows the task open followed."
        case .offlineHost(let name): "\(name) is offline, so nothing was sent; connect it and try again."
        case .oldSnapshot(let name, let seconds?):
            "The newest snapshot of \(name) is \(seconds) s old, so nothing was sent; try again when it is heard."
        case .oldSnapshot(let name, nil): "The clock of this computer changed since \(name) was last heard, so nothing was sent; try again."
        case .missingTask: "That task is not on a key of any connected computer now."
        case .unreadableKey: "That task has a key this program cannot read, so it cannot be commanded."
        case .changedMeanwhile: "The task moved or another was opened meanwhile, so it was not answered; look at it and try again."
        case .unsupported(.rateLimitReset, let name): "\(name) has no reset credit to spend."
        case .unsupported(_, let name): "\(name) can only show its tasks now; run `decknode doctor` there."
        case .rejected(let sentence): sentence
        case .timedOut(let name): "\(name) did not answer in time; look at the task before trying again."
        case .notSent(let name): "The command could not be sent to \(name); check the connection and try again."
        case .unknown(let name): "The connection to \(name) ended before it answered: the command may or may not have been carried out."
        case .interrupted: "Interrupted: the command was sent, but its result was not awaited."
        case .alreadyUnderWay: "This task is being opened already."
        }
    }
}
