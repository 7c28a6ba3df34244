import RelayProtocol

extension BoardTask {
    init(_ task: TaskEvidence, owner: Int, state: StatusRule, views: [HostView], computers: [MergeHost], actives: [DeckMerge.ActiveTask?]) {
        let host = views[owner]
        let computer = computers[owner]
        let own = task.copies.count == 1 && task.copies[0].host == owner ? task.copies : task.copies.filter { $0.host == owner }
        let copy = own.first
        let session = task.session(of: owner)
        if let identity = task.identity {
            id = .task(identity)
        } else {
            id = .unreadable(host: host.host.id, slot: copy?.slot.id ?? 0)
        }
        self.owner = host.host.id
        ownerName = host.host.name
        badge = host.badge
        offline = !computer.isLive
        target = offline ? nil : Self.target(task, own: own, host: host, views: views, computers: computers)
        status = state.status
        meaning = state.meaning
        marks = state.marks
        receivedAt = state.newest
        title = Self.title(task, own: own, owner: owner, computers: computers, actives: actives)
        contextPercent = Self.context(task, own: own, session: session)
        let times = own.compactMap(\.slot.activityAt) + (session.map { [$0.activityAt] } ?? [])
        activityAt = times.max().map(computer.local)
        let started = session?.workStartedAt ?? copy?.slot.workStartedAt
        workStartedAt = started.map(computer.local)
        // A computer that is not live selects nothing, unless all that is known of the task is from before.
        let spoken = task.copies.contains { computers[$0.host].isLive }
        selected = task.copies.contains { $0.slot.selected && (computers[$0.host].isLive || !spoken) }
        active =
            task.code.map { code in
                computers.indices.contains { actives[$0]?.code == code && (computers[$0].isLive || !spoken) }
            } ?? false
        var mirrors: [HostID] = []
        for copy in task.copies where copy.host != owner && mirrors.last != views[copy.host].host.id { mirrors.append(views[copy.host].host.id) }
        self.mirrors = mirrors
    }

    /// The owner's key and slot; a real key before a temporary one, when it shows both.
    ///
    /// From a mirror, which only lends key and slot, a live one is preferred. A temporary key of a mirror means nothing to the owner:
    /// when there is no other, the owner gets the task's own key as Linux nodes spell it.
    private static func target(
        _ task: TaskEvidence, own: [TaskEvidence.Copy], host: HostView, views: [HostView], computers: [MergeHost]
    ) -> CommandTarget? {
        guard let identity = task.identity else { return nil }
        if let copy = own.first(where: { !$0.indexed.isTemporary }) ?? own.first {
            return copy.indexed.key.map { CommandTarget(host: host.host.id, slot: copy.slot.id, key: $0) }
        }
        let live = task.copies.filter { computers[$0.host].isLive }
        let mirrors = live + task.copies.filter { !computers[$0.host].isLive }
        guard let copy = mirrors.first(where: { !$0.indexed.isTemporary }) ?? mirrors.first, let key = copy.indexed.key else { return nil }
        return CommandTarget(
            host: host.host.id, slot: copy.slot.id, key: copy.indexed.isTemporary ? TaskKey(local: identity) : key, mirror: views[copy.host].host.id)
    }

    /// The owner's, from a slot or as the open task; else the first that has one, of live hosts before the others.
    private static func title(
        _ task: TaskEvidence, own: [TaskEvidence.Copy], owner: Int, computers: [MergeHost], actives: [DeckMerge.ActiveTask?]
    ) -> String? {
        func titled(_ copies: some Sequence<TaskEvidence.Copy>) -> String? {
            for copy in copies {
                if let title = copy.slot.title, !title.isEmpty { return title }
            }
            return nil
        }
        if let title = titled(own) { return title }
        if let code = task.code, actives[owner]?.code == code, let title = computers[owner].index?.snapshot.activeThreadTitle, !title.isEmpty {
            return title
        }
        return titled(task.copies.lazy.filter { computers[$0.host].isLive }) ?? titled(task.copies)
    }

    /// The owner's, from its slot or its session; else the first that has one.
    private static func context(_ task: TaskEvidence, own: [TaskEvidence.Copy], session: HostSession?) -> Int? {
        for copy in own {
            if let percent = copy.slot.contextUsedPercent { return percent }
        }
        if let percent = session?.contextUsedPercent { return percent }
        for copy in task.copies {
            if let percent = copy.slot.contextUsedPercent { return percent }
        }
        return nil
    }
}
