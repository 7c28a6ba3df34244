import RelayProtocol

/// Which computer a task lives on.
///
/// A host that went offline stays the owner of what it was last known to own: a command for it must fail, not go to a computer
/// that merely mirrors the task. So what is known of it counts like what a live host says.
enum OwnerRule {
    /// The position of the owner in `computers`; `nil` only when nobody says anything.
    static func owner(of task: TaskEvidence, on computers: [MergeHost]) -> Int? {
        let best = bestCopies(of: task, on: computers)
        if task.sessions.isEmpty { return best.first?.host }
        var owner: TaskEvidence.Session?
        for session in task.sessions {
            guard let present = owner else {
                owner = session
                continue
            }
            let left = activity(session, computers)
            let right = activity(present, computers)
            // Equal sessions: the better copy, as if nobody listed the task.
            let outranks = rank(of: session.host, in: best) < rank(of: present.host, in: best)
            if left > right || (left == right && outranks) { owner = session }
        }
        return owner?.host
    }

    private static func activity(_ session: TaskEvidence.Session, _ computers: [MergeHost]) -> Int64 {
        computers[session.host].local(session.session.activityAt).value
    }

    private static func rank(of host: Int, in copies: [TaskEvidence.Copy]) -> Int {
        copies.firstIndex { $0.host == host } ?? .max
    }

    /// Best first: owned by its host, the stronger status, selected, the newer activity, the lower host, the lower slot.
    private static func bestCopies(of task: TaskEvidence, on computers: [MergeHost]) -> [TaskEvidence.Copy] {
        guard task.copies.count > 1 else { return task.copies }
        return task.copies.sorted { left, right in
            let leftOwned = left.slot.ownedByHost == true
            if leftOwned != (right.slot.ownedByHost == true) { return leftOwned }
            if left.meaning != right.meaning { return left.meaning > right.meaning }
            if left.slot.selected != right.slot.selected { return left.slot.selected }
            let leftActivity = left.activity(on: computers)
            let rightActivity = right.activity(on: computers)
            if leftActivity != rightActivity { return leftActivity > rightActivity }
            return left.host != right.host ? left.host < right.host : left.slot.id < right.slot.id
        }
    }
}

extension TaskEvidence.Copy {
    /// By our clock; 0 when the host does not say.
    func activity(on computers: [MergeHost]) -> Int64 {
        slot.activityAt.map { computers[host].local($0).value } ?? 0
    }
}
