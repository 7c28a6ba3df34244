import RelayProtocol

/// Which computer a task lives on.
///
/// A host that went offline stays the owner of what it was last known to own: a command for it must fail, not go to a computer
/// that merely mirrors the task. So what is known of it counts like what a live host says.
enum OwnerRule {
    /// The position of the owner in `views`; `nil` only when nobody says anything.
    static func owner(of task: TaskEvidence, in views: [HostView]) -> Int? {
        let best = bestCopies(of: task, in: views)
        if task.sessions.isEmpty { return best.first?.host }
        var owner: TaskEvidence.Session?
        for session in task.sessions {
            guard let present = owner else {
                owner = session
                continue
            }
            let left = activity(session, views)
            let right = activity(present, views)
            // Equal sessions: the better copy, as if nobody listed the task.
            let outranks = rank(of: session.host, in: best) < rank(of: present.host, in: best)
            if left > right || (left == right && outranks) { owner = session }
        }
        return owner?.host
    }

    private static func activity(_ session: TaskEvidence.Session, _ views: [HostView]) -> Int64 {
        views[session.host].report?.local(session.session.activityAt).value ?? 0
    }

    private static func rank(of host: Int, in copies: [TaskEvidence.Copy]) -> Int {
        copies.firstIndex { $0.host == host } ?? .max
    }

    /// Best first: owned by its host, the stronger status, selected, the newer activity, the lower host, the lower slot.
    private static func bestCopies(of task: TaskEvidence, in views: [HostView]) -> [TaskEvidence.Copy] {
        guard task.copies.count > 1 else { return task.copies }
        return task.copies.sorted { left, right in
            let leftOwned = left.slot.ownedByHost == true
            if leftOwned != (right.slot.ownedByHost == true) { return leftOwned }
            if left.meaning != right.meaning { return left.meaning > right.meaning }
            if left.slot.selected != right.slot.selected { return left.slot.selected }
            let leftActivity = left.activity(in: views)
            let rightActivity = right.activity(in: views)
            if leftActivity != rightActivity { return leftActivity > rightActivity }
            return left.host != right.host ? left.host < right.host : left.slot.id < right.slot.id
        }
    }
}

extension TaskEvidence.Copy {
    /// By our clock; 0 when the host does not say.
    func activity(in views: [HostView]) -> Int64 {
        guard let time = slot.activityAt, let report = views[host].report else { return 0 }
        return report.local(time).value
    }
}
