extension ClientState {
    /// Nodes that say nothing and never did, as far as anybody remembers: the board has no word on their computers.
    public var unheard: [Node] {
        nodes.filter { node in
            guard node.profile.duplicateOf == nil, !node.health.isConnected else { return false }
            let host = node.host?.id ?? node.profile.hostID
            return !board.computers.contains { $0.profileID == node.id || $0.id == host }
        }
    }
}
