import RelayProtocol

/// What the engine knows at one moment: the value that screens and commands are made from.
public struct ClientState: Sendable, Equatable {
    /// A node and how it can be reached.
    public struct Node: Sendable, Equatable, Identifiable {
        public var profile: NodeProfile
        public var health: HostHealth
        public var host: Host?
        public var bridge: String?
        public var capabilities: [String]
        public var lastSnapshotAt: UnixMilliseconds?
        public var id: String { profile.id }
    }

    public var board: Board
    public var nodes: [Node]

    public static let empty = ClientState(board: .empty, nodes: [])

    public init(board: Board, nodes: [Node]) {
        self.board = board
        self.nodes = nodes
    }
}

/// What a user asks for.
public enum ClientRequest: Sendable, Equatable {
    case open(TaskIdentity)
    case approve(TaskIdentity)
    case decline(TaskIdentity)
    /// A keycap, for a task or for whatever the chosen computer has open.
    case keycap(Keycap, TaskIdentity?)
}

/// How far a command is.
public struct Receipt: Sendable, Equatable {
    public var number: Int
    public var request: ClientRequest
    public var stage: PressTransaction.Stage

    public init(number: Int, request: ClientRequest, stage: PressTransaction.Stage) {
        self.number = number
        self.request = request
        self.stage = stage
    }
}
