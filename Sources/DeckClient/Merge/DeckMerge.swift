import RelayProtocol

/// Makes one board of what any number of computers say.
///
/// A pure function of its arguments: the order in which the hosts are given, and in which they were heard, changes nothing.
public enum DeckMerge {
    /// - Parameters:
    ///   - hosts: One view a route; of several routes to one computer the best counts.
    ///   - authority: The host the user chose; `nil` for the first paired.
    ///   - now: By the clock that stamped `receivedAt` of the views.
    public static func merge(
        hosts: [HostView], authority: HostID?, acknowledgements: Acknowledgements = Acknowledgements(),
        joins: TemporaryKeyJoins = TemporaryKeyJoins(), now: UnixMilliseconds
    ) -> Board {
        let views = hosts.perComputer
        let computers = views.map(MergeHost.init)
        let evidence = TaskEvidence.all(on: computers, joins: joins, now: now)
        let actives = views.map { $0.report.flatMap { active($0, joins: joins, now: now) } }
        var tasks: [BoardTask] = []
        var entries: [BoardOrder.Entry] = []
        tasks.reserveCapacity(evidence.count)
        entries.reserveCapacity(evidence.count)
        for task in evidence {
            guard let owner = OwnerRule.owner(of: task, on: computers) else { continue }
            let state = StatusRule(task, owner: owner, computers: computers, acknowledgements: acknowledgements, now: now)
            let built = BoardTask(task, owner: owner, state: state, views: views, computers: computers, actives: actives)
            entries.append(BoardOrder.Entry(built, task, owner: owner))
            tasks.append(built)
        }
        let selected = selectedHost(authority, views)
        let order = BoardOrder(entries: entries, sources: views.map(BoardOrder.Source.init), authority: selected)
        return board(tasks, order, views: views, actives: actives, selected: selected, now: now)
    }

    private static func board(
        _ tasks: [BoardTask], _ order: BoardOrder, views: [HostView], actives: [ActiveTask?], selected: Int?, now: UnixMilliseconds
    ) -> Board {
        var sorted: [BoardTask] = []
        sorted.reserveCapacity(tasks.count)
        var keys: [Int?] = []
        for key in order.keys {
            keys.append(key == nil ? nil : sorted.count)
            if let key { sorted.append(tasks[key]) }
        }
        sorted += order.rest.map { tasks[$0] }
        return Board(
            tasks: sorted, keys: keys, computers: zip(views, actives).map { Board.Computer($0, active: $1) },
            selectedHost: selected.map { views[$0].host.id }, orderingHost: order.lead.map { views[$0].host.id },
            mode: order.lead.flatMap { views[$0].report?.snapshot.agentSource }, layout: selected.flatMap { views[$0].report?.snapshot.layout },
            usage: BoardUsage.freshest(in: views, now: now))
    }

    private static func selectedHost(_ authority: HostID?, _ views: [HostView]) -> Int? {
        if let authority, let chosen = views.firstIndex(where: { $0.host.id == authority }) { return chosen }
        return views.indices.min { left, right in
            views[left].pairedOrder != views[right].pairedOrder ? views[left].pairedOrder < views[right].pairedOrder : left < right
        }
    }

    /// The key of the task open on a computer: the one it names, else that of the slot it shows as selected.
    static func activeKey(_ report: HostReport) -> TaskKey? { report.index.active ?? report.index.onlySelected?.key }

    /// The task open on a computer.
    static func active(_ report: HostReport, joins: TemporaryKeyJoins, now: UnixMilliseconds) -> ActiveTask? {
        guard let key = activeKey(report) else { return nil }
        let identity = key.isTemporary ? joins.task(behind: key.identity, now: now) ?? key.identity : key.identity
        return ActiveTask(identity: identity, code: IdentityCode(identity))
    }

    struct ActiveTask {
        let identity: TaskIdentity
        let code: IdentityCode
    }
}

extension BoardOrder.Source {
    init?(_ view: HostView) {
        guard let report = view.report else { return nil }
        self.init(mode: report.snapshot.agentSource, isLive: view.isLive, pairedOrder: view.pairedOrder)
    }
}

extension BoardOrder.Entry {
    init(_ built: BoardTask, _ task: TaskEvidence, owner: Int) {
        self.init(
            meaning: built.meaning, selected: built.selected, activity: built.activityAt?.value ?? 0, owner: owner, ownerIsLive: !built.offline,
            slot: (task.copies.first { $0.host == owner } ?? task.copies.first)?.slot.id ?? 0,
            places: task.copies.map { ($0.host, $0.slot.id) })
    }
}

extension Board.Computer {
    init(_ view: HostView, active: DeckMerge.ActiveTask?) {
        self.init(
            id: view.host.id, name: view.host.name, badge: view.badge, route: view.route, profileID: view.profileID, health: view.health,
            isLive: view.isLive, receivedAt: view.report?.receivedAt, active: active?.identity, activeTitle: view.report?.snapshot.activeThreadTitle)
    }
}
