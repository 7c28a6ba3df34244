import EventLoop

/// Whether desktop notifications can be shown here and now.
public enum NotificationCheck: Hashable, Sendable {
    /// `notify-send` is not installed.
    case noProgram
    /// Nothing on the session bus shows notifications, or nothing could be asked.
    case noServer
    case works

    /// Asks the session bus; takes as long as `patience` at most.
    ///
    /// - Parameter variables: The environment, for `PATH` and the address of the bus.
    public static func run(variables: [String: String], patience: Duration = .seconds(2), on loop: EventLoop) async -> NotificationCheck {
        let environment = variables.map { "\($0.key)=\($0.value)" }
        do throws(ChildProcessError) {
            _ = try await ChildProcess.run("notify-send", ["--version"], environment: environment, timeout: patience, outputLimit: 4_096, on: loop)
        } catch {
            return .noProgram
        }
        let bus = NotificationBus(environment: environment, patience: patience, loop: loop)
        return await bus.capabilities() == nil ? .noServer : .works
    }
}
