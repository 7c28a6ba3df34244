import EventLoop

/// What the service manager is told.
extension NodeService {
    /// Says that the node serves, and from now on that its loop turns.
    func tellManager() {
        environment.manager?.onTrouble = { [logger] in logger.warning("The service manager cannot be told how the node does: \($0)") }
        environment.manager?.ready(on: loop) { [weak self] in self?.assumeIsolated { $0.managerStatus } ?? "" }
    }

    /// Numbers only: everyone on the computer may read it.
    private var managerStatus: String {
        let clients = relay.clientCount
        let tasks = "\(deck.tasks.count) \(deck.tasks.count == 1 ? "task" : "tasks")"
        return "\(tasks)\(options.demo ? " of the demo" : ""), \(clients) \(clients == 1 ? "screen" : "screens") connected."
    }

    /// Reads the pairing files again, when the owner asks for it with a signal.
    func reload() {
        guard let manager = environment.manager else { return listeners?.apply() ?? () }
        manager.reload { listeners?.apply() }
    }
}
