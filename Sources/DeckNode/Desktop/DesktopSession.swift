import EventLoop
import Glibc

/// The graphical session of this user: what programs need to show a window.
public struct DesktopSession: Hashable, Sendable {
    public enum Display: Hashable, Sendable { case wayland, x11 }

    public let display: Display
    /// All variables for programs that are started in it.
    public let variables: [String: String]

    /// What tells programs where to show their windows.
    static let displayVariables = [
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION",
        "DBUS_SESSION_BUS_ADDRESS",
    ]
    /// What the service manager told the node alone; a child that took it for its own would speak for the node.
    private static let serviceVariables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "LISTEN_FDS", "LISTEN_PID",
        "LISTEN_FDNAMES", "MANAGERPID",
    ]
    private static let managerTimeout = Duration.seconds(2)

    /// The session that variables speak of; `nil` when they speak of none, or of a Wayland compositor that is gone.
    public init?(variables: [String: String]) {
        func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let name = value("WAYLAND_DISPLAY"), let path = Self.socketPath(name, runtime: value("XDG_RUNTIME_DIR")), access(path, F_OK) == 0 {
            display = .wayland
        } else if value("DISPLAY") != nil {
            display = .x11
        } else {
            return nil
        }
        self.variables = variables.filter { !Self.serviceVariables.contains($0.key) }
    }

    /// Finds the session in our own variables, else in those that the desktop gave to the user's service manager: a node that was started
    /// before the login knows of no display itself.
    static func find(variables: [String: String], on loop: EventLoop) async -> DesktopSession? {
        if let session = DesktopSession(variables: variables) { return session }
        guard let systemctl = ExecutableSearch(path: variables["PATH"]).find("systemctl") else { return nil }
        let environment = variables.map { "\($0.key)=\($0.value)" }
        let result = try? await ChildProcess.run(
            systemctl, ["--user", "show-environment"], environment: environment, timeout: managerTimeout, outputLimit: 262_144, on: loop)
        // Without a service manager there is nothing to learn, and no session either.
        guard let result, result.succeeded else { return nil }
        let known = displayVariables(in: String(decoding: result.output, as: UTF8.self))
        return DesktopSession(variables: variables.merging(known) { $1 })
    }

    /// The variables that matter in the output of `systemctl show-environment`. Values that it had to quote are left out.
    static func displayVariables(in text: String) -> [String: String] {
        var result: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let name = String(line[..<equals]), value = line[line.index(after: equals)...]
            if displayVariables.contains(name), !value.isEmpty, !value.hasPrefix("$'"), !value.hasPrefix("\"") { result[name] = String(value) }
        }
        return result
    }

    private static func socketPath(_ name: String, runtime: String?) -> String? {
        name.hasPrefix("/") ? name : runtime.map { $0 + "/" + name }
    }
}
