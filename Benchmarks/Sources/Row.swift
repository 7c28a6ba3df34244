/// What is measured: the rows of the table.
enum Row: String, CaseIterable, Sendable {
    case change
    case changeInService = "change-service"
    case notification
    case command
    case commandInTurn = "command-50"
    case commandAtOnce = "command-burst"
    case snapshotTo10 = "snapshot-10"
    case snapshotTo100 = "snapshot-100"
    case snapshotTo500 = "snapshot-500"
    case handshake
    case clientMemory = "client-memory"
    case nodeMemory = "node-memory"
    case index
    case idle
    case merge
    case frame
    case week
    case status

    /// One line for whoever reads the table.
    var summary: String {
        switch self {
        case .change: "record written to a rollout → snapshot at a client over TLS on loopback, changes 65 ms apart; CPU of the whole node"
        case .changeInService: "the same through the service of `decknode serve` as it is, without TLS as on its loopback listener"
        case .notification: "notification of the Codex daemon → snapshot at a client, through that service, changes 65 ms apart"
        case .command: "command to result (an agent release) beside a bare epoll echo of the same bytes, 1 client, TLS 1.3"
        case .commandInTurn: "the same with 50 clients, one after another"
        case .commandAtOnce: "the same with 50 clients all sending at once"
        case .snapshotTo10, .snapshotTo100, .snapshotTo500:
            "CPU of the server per delivered snapshot of 20 KiB beside a loop of SSL_write; every 60 ms"
        case .handshake: "CPU of the server from accept to close, with upgrade and auth, beside bare SSL_accept (TLS 1.3, P-256)"
        case .clientMemory: "anonymous memory of the server per authenticated idle TLS client, of 500 that got their snapshot"
        case .nodeMemory: "resident memory of a node without clients over the generated rollouts"
        case .index: "first index of 10,000 rollouts, 4 GiB (real beginnings and ends, holes between; cached), then one appended record"
        case .idle: "CPU of a node over 10 s with three quiet clients and nothing changing"
        case .merge: "one board from 16 hosts with 6 slots and 128 sessions each"
        case .frame: "a frame of the dashboard of those 16 hosts at 200 × 50: a new state taken, all rows made, the next change found"
        case .week: "a week of the client with 16 computers and 200,000 changes, as fast as it goes: what is kept, and what grows"
        case .status: "`decknode status` from start to exit, beside /bin/true"
        }
    }

    var needsTree: Bool {
        switch self {
        case .change, .changeInService, .nodeMemory, .index, .idle: true
        case .notification, .command, .commandInTurn, .commandAtOnce, .snapshotTo10, .snapshotTo100, .snapshotTo500, .handshake, .clientMemory,
            .merge, .frame, .week, .status:
            false
        }
    }

    /// In how many processes it is measured; the medians count.
    func repetitions(_ conditions: Conditions) -> Int {
        switch self {
        case .change, .changeInService, .notification, .clientMemory, .idle, .nodeMemory, .week, .status: 1
        case .index: conditions.count(5, quick: 3)
        case .command, .commandInTurn, .commandAtOnce, .snapshotTo10, .snapshotTo100, .snapshotTo500, .handshake, .merge, .frame:
            conditions.count(3, quick: 1)
        }
    }

    /// Measures it in this process.
    func measure(_ conditions: Conditions) throws -> [Measurement] {
        switch self {
        case .change: try ChangeRow.measure(conditions)
        case .changeInService: try ChangeRow.measureService(conditions)
        case .notification: try NotificationRow.measure(conditions)
        case .command: try CommandRow(clients: 1, atOnce: false).measure(conditions)
        case .commandInTurn: try CommandRow(clients: 50, atOnce: false).measure(conditions)
        case .commandAtOnce: try CommandRow(clients: 50, atOnce: true).measure(conditions)
        case .snapshotTo10: try SnapshotRow(clients: 10).measure(conditions)
        case .snapshotTo100: try SnapshotRow(clients: 100).measure(conditions)
        case .snapshotTo500: try SnapshotRow(clients: 500).measure(conditions)
        case .handshake: try HandshakeRow.measure(conditions)
        case .clientMemory: try MemoryRow.measureClient(conditions)
        case .nodeMemory: try MemoryRow.measureNode(conditions)
        case .index: try IndexRow.measure(conditions)
        case .idle: try IdleRow.measure(conditions)
        case .merge: MergeRow.measure(conditions)
        case .frame: FrameRow.measure(conditions)
        case .week: try WeekRow.measure(conditions)
        case .status: try StatusRow.measure(conditions)
        }
    }
}
