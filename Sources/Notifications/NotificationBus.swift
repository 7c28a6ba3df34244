import EventLoop

/// Asks the notification server what `notify-send` has no word for, with whichever D-Bus tool is installed.
struct NotificationBus: Sendable {
    private enum Tool: String, CaseIterable {
        case dbusSend = "dbus-send"
        case gdbus, busctl
    }

    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    let environment: [String]?
    let patience: Duration
    let loop: EventLoop

    /// The answer to `GetCapabilities` as the tool prints it; `nil` without a tool or an answer.
    func capabilities() async -> String? {
        await call("GetCapabilities", patience: patience).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Closes a notification, if that can be done.
    func close(_ id: UInt32) async { _ = await call("CloseNotification", id, patience: patience * 4) }

    private func call(_ method: String, _ id: UInt32? = nil, patience: Duration) async -> [UInt8]? {
        for tool in Tool.allCases {
            do throws(ChildProcessError) {
                let result = try await ChildProcess.run(
                    tool.rawValue, Self.arguments(tool, method, id), environment: environment, timeout: patience, outputLimit: 16_384, on: loop)
                if result.succeeded { return result.output }
                // Who does not answer one tool does not answer the next either.
                if result.status == .timedOut { return nil }
            } catch {
                // The next tool may be installed; without any, the question stays open.
                continue
            }
        }
        return nil
    }

    private static func arguments(_ tool: Tool, _ method: String, _ id: UInt32?) -> [String] {
        switch tool {
        case .dbusSend: ["--session", "--print-reply", "--dest=\(name)", path, "\(name).\(method)"] + (id.map { ["uint32:\($0)"] } ?? [])
        case .gdbus: ["call", "--session", "--dest", name, "--object-path", path, "--method", "\(name).\(method)"] + (id.map { ["\($0)"] } ?? [])
        case .busctl: ["--user", "call", name, path, name, method] + (id.map { ["u", "\($0)"] } ?? [])
        }
    }
}
