import DeckClient
import EventLoop
import ServiceManager

/// What the service manager is told of the engine.
extension ClientSession {
    /// A wait for another engine that is longer than this counts as having started: commands have an engine, if not this one.
    private static let patience = Duration.seconds(3)

    /// Says that the engine runs, or waits for its turn, and from now on that its loop turns.
    func tell(_ manager: ServiceManager) {
        manager.ready(on: loop) { [weak self] in self?.assumeIsolated { $0.managerStatus } ?? "" }
    }

    /// The same, unless the engine runs soon and says so itself.
    func tellIfWaiting(_ manager: ServiceManager) {
        loop.schedule(after: Self.patience) { [weak self] in
            self?.assumeIsolated { if !$0.isEngine { $0.tell(manager) } }
        }
    }

    /// Says that settings were read again; they have been by now.
    func tellReload(_ manager: ServiceManager) { manager.reload {} }

    func tellEnd(_ manager: ServiceManager) { manager.stopping() }

    /// Numbers only: everyone on the computer may read it.
    private var managerStatus: String {
        guard isEngine else { return "Another deckclient is the engine; waiting for it to end." }
        return "\(state.nodes.count { $0.health.isConnected }) of \(state.nodes.count) computers connected."
    }
}
