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
    /// Newest first; at most ``AttentionLedger/capacity``.
    public var attention: [AttentionEvent] = []
    /// The followed task; `nil` when none is.
    public var follow: FollowView?
    /// The last commands, newest first; at most ``ReceiptLog/capacity``.
    public var receipts: [ReceiptRecord] = []
    public var settings = ClientSettings()
    /// The six lower keys as the layout in use has them.
    public var lowerKeys: [LowerKey] = LayoutBook().keys(host: nil)

    /// What the bell counts.
    public var unreadCount: Int { attention.lazy.filter(\.isUnread).count }

    public static let empty = ClientState(board: .empty, nodes: [])

    public init(board: Board, nodes: [Node]) {
        self.board = board
        self.nodes = nodes
    }
}
