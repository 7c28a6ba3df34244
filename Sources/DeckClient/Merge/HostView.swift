import RelayProtocol

/// All that is known of one computer over one route.
public struct HostView: Sendable, Equatable {
    public var host: Host
    /// The profile this is known through.
    public var profileID: String
    public var route: RouteKind
    /// Which computer was paired first: the lowest.
    public var pairedOrder: Int
    public var health: HostHealth
    /// What the node said it can do; `nil` before it said so.
    public var capabilities: Set<Capability>?
    /// The newest snapshot, from this connection or from the cache.
    public private(set) var report: HostReport?
    /// Whether the snapshot did not come over the present connection.
    public private(set) var isCached: Bool

    /// - Parameter cached: What an earlier run kept of this computer.
    public init(
        host: Host, profileID: String, route: RouteKind = .nearby, pairedOrder: Int = 0, health: HostHealth = .connecting,
        capabilities: Set<Capability>? = nil, cached: HostReport? = nil
    ) {
        self.host = host
        self.profileID = profileID
        self.route = route
        self.pairedOrder = pairedOrder
        self.health = health
        self.capabilities = capabilities
        report = cached
        isCached = true
    }

    /// Whether the computer is connected and has said over that connection what it shows.
    public var isLive: Bool { health.isConnected && !isCached && report != nil }

    public var badge: HostBadge { HostBadge(host) }

    /// Takes a snapshot that came over the present connection.
    public mutating func receive(_ snapshot: Snapshot, observedAt: UnixMilliseconds, receivedAt: UnixMilliseconds) {
        report = HostReport(snapshot: snapshot, observedAt: observedAt, receivedAt: receivedAt, previous: report)
        isCached = false
    }

    /// Takes the word that nothing changed; ignored before the first snapshot of the connection.
    public mutating func renew(observedAt: UnixMilliseconds, receivedAt: UnixMilliseconds) {
        guard !isCached else { return }
        report?.renew(observedAt: observedAt, receivedAt: receivedAt)
    }

    /// The connection ended: what is known becomes last known.
    public mutating func disconnect(_ health: HostHealth) {
        self.health = health
        isCached = true
    }

    /// Milliseconds since the host last said what it shows, or that it shows the same; `nil` when it never did.
    public func snapshotAge(now: UnixMilliseconds) -> Int64? { report.map { now.milliseconds(since: $0.receivedAt) } }

    /// Whether one of `identities` is the task open on this computer.
    public func isOpen(_ identities: TaskIdentity...) -> Bool {
        guard let index = report?.index else { return false }
        let codes = identities.map(IdentityCode.init)
        if let active = index.activeCode, codes.contains(active) { return true }
        return index.copies.contains { copy in copy.slot.selected && copy.code.map(codes.contains) == true }
    }
}

extension [HostView] {
    /// One view a computer, sorted by host: Nearby carries while it works, then the other route, then what was heard last.
    public var perComputer: [HostView] {
        // Mostly there is nothing to do: one view a computer, sorted already.
        if zip(self, dropFirst()).allSatisfy({ $0.host.id < $1.host.id }) { return self }
        let ordered = sorted { left, right in
            if left.host.id != right.host.id { return left.host.id < right.host.id }
            if left.isLive != right.isLive { return left.isLive }
            if left.isLive, left.route != right.route { return left.route == .nearby }
            let leftTime = left.report?.receivedAt.value ?? 0
            let rightTime = right.report?.receivedAt.value ?? 0
            if leftTime != rightTime { return leftTime > rightTime }
            if left.route != right.route { return left.route == .nearby }
            return left.profileID < right.profileID
        }
        var unique: [HostView] = []
        unique.reserveCapacity(ordered.count)
        for view in ordered where unique.last?.host.id != view.host.id { unique.append(view) }
        // A computer is as old as its oldest pairing, whichever route carries now.
        if unique.count < ordered.count {
            for index in unique.indices {
                let id = unique[index].host.id
                unique[index].pairedOrder = ordered.lazy.filter { $0.host.id == id }.map(\.pairedOrder).min() ?? 0
            }
        }
        return unique
    }

    /// The view over which `host` is heard best.
    public func best(for host: HostID) -> HostView? { filter { $0.host.id == host }.perComputer.first }
}
