import RelayProtocol

/// What is known at the moment something about a command is decided.
public struct CommandContext: Sendable {
    public var board: Board
    public var hosts: [HostView]
    /// By the clock that stamped the views.
    public var wall: UnixMilliseconds

    public init(board: Board, hosts: [HostView], wall: UnixMilliseconds) {
        self.board = board
        self.hosts = hosts
        self.wall = wall
    }

    /// Milliseconds a snapshot may be old when a command leaves.
    public static let maximumSnapshotAge: Int64 = 8000
    /// Milliseconds a snapshot may seem to come from the future, by rounding and small corrections of the clock.
    static let clockSlack: Int64 = 1000

    /// The live view of `host`, new enough for a command that needs `capability`.
    func ready(_ host: HostID, for capability: Capability) throws(CommandFailure) -> HostView {
        guard let view = hosts.best(for: host) else { throw CommandFailure(.missingTask) }
        let name = view.host.name
        guard view.isLive, let age = view.snapshotAge(now: wall) else { throw CommandFailure(.offlineHost(name: name)) }
        guard age >= -Self.clockSlack else { throw CommandFailure(.oldSnapshot(name: name, seconds: nil)) }
        guard age <= Self.maximumSnapshotAge else { throw CommandFailure(.oldSnapshot(name: name, seconds: Int(age / 1000))) }
        if let offered = view.capabilities, !offered.contains(capability) { throw CommandFailure(.unsupported(capability, name: name)) }
        return view
    }

    /// Where a command for `task` goes now.
    func target(of task: TaskIdentity) throws(CommandFailure) -> CommandTarget {
        guard let found = board.task(task) else { throw CommandFailure(.missingTask) }
        guard !found.offline else { throw CommandFailure(.offlineHost(name: found.ownerName)) }
        guard let target = found.target else { throw CommandFailure(.unreadableKey) }
        return target
    }
}

/// An outcome that prevents a command.
struct CommandFailure: Error {
    let outcome: CommandOutcome

    init(_ outcome: CommandOutcome) { self.outcome = outcome }
}
