import EventLoop
import Glibc
import RelayProtocol

/// Bringing a task before the user's eyes.
extension ClientEngine {
    func startNotifier() {
        notifier = AttentionNotifier(loop: loop, logger: logger.category("notifications"), environment: environment.variables) { [weak self] task in
            self?.assumeIsolated { $0.show(task) }
        }
    }

    /// Shows a task in the dashboards that are open; without any, in a new one.
    func show(_ task: TaskIdentity) {
        guard showers.isEmpty else {
            // It is before the user's eyes now.
            if ledger.markRead(task) { refresh() }
            for number in showers.keys.sorted() { showers[number]?(task) }
            return
        }
        guard let program = Self.programPath else { return logger.warning("The path of this program is not known.") }
        let opener = TaskDetailOpener(program: program, environment: environment.variables, loop: loop, logger: logger)
        Task { await opener.open(task) }
    }

    /// Shows a task in the dashboards that are open.
    ///
    /// - Returns: Whether there is one.
    func showIfOpen(_ task: TaskIdentity) -> Bool {
        guard !showers.isEmpty else { return false }
        show(task)
        return true
    }

    /// Calls `body` on the loop with each task that the user wants to see.
    ///
    /// - Returns: The number for ``removeShower(_:)``.
    func addShower(_ body: @escaping (TaskIdentity) -> Void) -> Int {
        lastShower += 1
        showers[lastShower] = body
        return lastShower
    }

    func removeShower(_ number: Int) { showers[number] = nil }

    private static var programPath: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }
}
