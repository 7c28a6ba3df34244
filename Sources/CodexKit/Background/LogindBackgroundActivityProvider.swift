import EventLoop

/// Makes the computer wait with sleep and shutdown until the work has ended in good order.
///
/// While there is an activity, a delay inhibitor of logind is held. When the computer is about to sleep or to shut down, the handlers
/// of all activities are called, and logind waits for their end, five seconds at most as it is usually configured. One inhibitor
/// serves all activities at once. On a system without logind the work just goes on.
///
/// The inhibitor is held by `systemd-inhibit`, and the signal comes through `dbus-monitor`, both of which a system with logind and
/// D-Bus has: passing the descriptor of an inhibitor takes most of a D-Bus client, for two messages. Both end with this process.
public final class LogindBackgroundActivityProvider: AgentBackgroundActivityProviding {
    private let inhibitor: LogindInhibitor

    /// - Parameters:
    ///   - application: The name that `systemd-inhibit --list` shows.
    ///   - logging: Told once when no inhibitor can be held.
    public convenience init(application: String = "CodexKit", logging: AgentLogging = .disabled) {
        self.init(command: Self.command(application), logging: logging)
    }

    init(command: [String], logging: AgentLogging) { inhibitor = LogindInhibitor(command: command, logging: logging) }

    deinit {
        let inhibitor = inhibitor
        Task { await inhibitor.stop() }
    }

    static func command(_ application: String) -> [String] {
        let rule = "type='signal',sender='org.freedesktop.login1',interface='org.freedesktop.login1.Manager'"
        // The shell ends when our end of its input is closed, be it by a crash, and takes the monitor with it.
        let script = "dbus-monitor --system \"$1\" & read -r nothing; kill $!"
        return [
            "systemd-inhibit", "--what=sleep:shutdown", "--mode=delay", "--who=" + application, "--why=An answer is being written",
            "sh", "-c", script, "sh", rule,
        ]
    }

    public func beginActivity(named name: String, expirationHandler: @escaping @Sendable () -> Void) async -> any AgentBackgroundActivity {
        Activity(id: await inhibitor.begin(expirationHandler), inhibitor: inhibitor)
    }

    private struct Activity: AgentBackgroundActivity {
        let id: Int
        let inhibitor: LogindInhibitor

        func end() async { await inhibitor.end(id) }
    }
}

/// Holds the inhibitor while anybody needs it.
actor LogindInhibitor {
    private let command: [String]
    private let logging: AgentLogging
    private var handlers: [Int: @Sendable () -> Void] = [:]
    private var lastID = 0
    private var monitor: LogindMonitor?
    /// Counts the monitors, as the end of one may be told when the next one runs.
    private var generation = 0
    private var loop: EventLoop?
    private var isUnavailable = false

    init(command: [String], logging: AgentLogging) {
        self.command = command
        self.logging = logging
    }

    func begin(_ handler: @escaping @Sendable () -> Void) async -> Int {
        lastID += 1
        let id = lastID
        handlers[id] = handler
        if monitor == nil, !isUnavailable { startMonitor() }
        return id
    }

    func end(_ id: Int) {
        handlers[id] = nil
        guard handlers.isEmpty, let monitor else { return }
        monitor.stop()
        self.monitor = nil
    }

    func stop() {
        monitor?.stop()
        monitor = nil
        loop?.shutdown()
        loop = nil
        isUnavailable = true
    }

    private func startMonitor() {
        do throws(SystemError) {
            let loop = if let running = self.loop { running } else { try EventLoop(name: "codexkit-logind") }
            self.loop = loop
            generation += 1
            let generation = generation
            monitor = LogindMonitor(command, on: loop) { [weak self] event in
                Task { await self?.take(event, from: generation) }
            }
        } catch {
            giveUp()
        }
    }

    private func take(_ event: LogindMonitor.Event, from sender: Int) {
        guard sender == generation, monitor != nil else { return }
        switch event {
        case .ending:
            logging.log(.notice, .background, "the computer is about to sleep or to shut down")
            let called = handlers
            for id in called.keys { handlers[id] = {} }
            for handler in called.values { handler() }
        case .ended:
            monitor?.stop()
            monitor = nil
            if !handlers.isEmpty { giveUp() }
        }
    }

    /// Without logind there is nothing to wait for, and no use in trying with every turn.
    private func giveUp() {
        isUnavailable = true
        logging.log(.info, .background, "logind cannot be asked to wait; sleep and shutdown cut answers off")
    }
}
