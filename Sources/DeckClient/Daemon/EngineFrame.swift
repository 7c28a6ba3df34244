import RelayProtocol

/// Everything an engine knows, before it is merged: what travels from the one that writes to the screens that look at it.
struct EngineFrame: Sendable, Equatable {
    /// A node and what is known through it.
    struct Node: Sendable, Equatable {
        var state: ClientState.Node
        /// `nil` until the node, or the cache, said who it is.
        var view: HostView?
    }

    /// In the order of pairing.
    var nodes: [Node] = []
    var memory = MergeMemory()
    /// Newest first.
    var events: [AttentionEvent] = []
    var follow: Follow?
    /// Newest first.
    var receipts: [ReceiptRecord] = []
    var settings = ClientSettings()

    var views: [HostView] { nodes.compactMap(\.view) }

    func board(of views: [HostView]? = nil, now: UnixMilliseconds) -> Board {
        DeckMerge.merge(
            hosts: views ?? self.views, authority: settings.authority, acknowledgements: memory.acknowledgements, joins: memory.joins, now: now)
    }
}

extension ClientState {
    /// What `frame` amounts to at one moment.
    init(_ frame: EngineFrame, board: Board, now: UnixMilliseconds) {
        self.init(board: board, nodes: frame.nodes.map(\.state))
        attention = frame.events
        receipts = frame.receipts
        settings = frame.settings
        lowerKeys = frame.settings.layouts.keys(host: board.layout)
        follow = frame.follow.map { FollowView($0, board: board, now: now) }
    }
}
