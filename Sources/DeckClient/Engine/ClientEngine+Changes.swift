import RelayProtocol

/// What a user changes besides sending commands.
public enum ClientChange: Sendable, Equatable {
    /// Sets or takes back the read mark of events.
    case mark([Int64], read: Bool)
    /// Removes events for good.
    case remove([Int64])
    /// Follows a task, or with `nil` none.
    case follow(TaskIdentity?)
    /// The file of the settings was changed.
    case settings
    /// Nodes were paired, changed or removed; `renewed` is the id of a profile whose token changed.
    case profiles(renewed: String?)
    /// Tries at once everything that waits to be dialled again.
    case reconnect
    /// The user wants to see a task: whichever dashboard is open shows it.
    case show(TaskIdentity)
}

extension ClientEngine {
    func apply(_ change: ClientChange) async {
        switch change {
        case .mark(let ids, let read): ledger.mark(ids, read: read)
        case .remove(let ids): ledger.remove(ids)
        case .follow(let task): startFollowing(task)
        case .settings: settings = store.settings()
        case .profiles(let renewed): await reloadProfiles(renewed: renewed)
        case .reconnect: reconnect()
        case .show(let task): show(task)
        }
        merge()
    }

    private func startFollowing(_ task: TaskIdentity?) {
        guard follow?.task != task else { return }
        follow = task.map { Follow($0, since: environment.now()) }
    }
}
