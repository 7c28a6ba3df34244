import DeckClient

/// A node in the header.
struct NodeSummary: Sendable, Equatable {
    /// As the profile or the node has it: may hold anything a terminal must not see.
    var name: String
    /// `nil` before the node said what it is.
    var badge: HostBadge?
    var health: HostHealth

    init(name: String, badge: HostBadge?, health: HostHealth) {
        self.name = name
        self.badge = badge
        self.health = health
    }

    init(_ computer: Board.Computer) { self.init(name: computer.name, badge: computer.badge, health: computer.health) }
    init(_ node: ClientState.Node) { self.init(name: node.profile.name, badge: node.host.map(HostBadge.init), health: node.health) }
}

extension ClientState {
    /// All nodes, those that were never heard included; duplicates are nodes of no interest here.
    var summaries: [NodeSummary] {
        nodes.isEmpty ? board.computers.map(NodeSummary.init) : nodes.filter { $0.profile.duplicateOf == nil }.map(NodeSummary.init)
    }
}
