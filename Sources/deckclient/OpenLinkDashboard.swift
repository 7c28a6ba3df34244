import CommandLineKit
import DeckClient
import Files
import Glibc
import RelayProtocol

/// Brings a task before the user's eyes: in the dashboards that are open, else in one in this terminal.
enum OpenLinkDashboard {
    static func show(_ task: TaskIdentity, _ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        if try await shownElsewhere(task, environment) { return Output.error("The task is shown in the dashboard that is open.") }
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else {
            throw CommandFailure("No dashboard is open, and a new one needs a terminal; run this in one.")
        }
        let showing = Task {
            while !FullScreenClient.isOne(process: getpid()) { try await Task.sleep(for: pause) }
            // The dashboard looks at the engine by now, so no engine opens a second one for this.
            await ClientSession.tell(.show(task), environment: environment)
        }
        defer { showing.cancel() }
        try await DashboardSession.run(invocation, environment)
    }

    private static let pause = Duration.milliseconds(10)

    private static func shownElsewhere(_ task: TaskIdentity, _ environment: ClientEnvironment) async throws -> Bool {
        guard FullScreenClient.isOpen(environment) else { return false }
        // As a dashboard itself: an engine that knows of none would open a terminal, which runs this command again.
        let session = try ClientSession(.dashboard, environment: environment)
        let result: Result<Bool, any Error>
        do {
            try await session.start()
            // Whoever shows the board looks at an engine of another process, or is one.
            let isShown = await !session.isEngine
            if isShown { await session.apply(.show(task)) }
            result = .success(isShown)
        } catch {
            result = .failure(error)
        }
        await session.stop()
        session.shutdownLoops()
        return try result.get()
    }
}

/// Which processes show a dashboard: those of this program that follow the size of their terminal.
enum FullScreenClient {
    /// Whether another process of this user shows a dashboard of the same state folder.
    static func isOpen(_ environment: ClientEnvironment) -> Bool {
        let name = text("self", "comm")
        return processes().contains { process in
            process != getpid() && text("\(process)", "comm") == name && isOne(process: process)
                && stateHome(of: process) == environment.directories.stateHome
        }
    }

    /// Whether a process has the terminal in its hands, which it takes when it sees to changes of its size.
    static func isOne(process: pid_t) -> Bool {
        guard let status = text("\(process)", "status") else { return false }
        return catches(SIGWINCH, status: status)
    }

    /// Whether the text of a `/proc/<pid>/status` says that a signal is caught.
    static func catches(_ signal: Int32, status: String) -> Bool {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
            let mask = UInt64(line.dropFirst("SigCgt:".count).trimmingPrefix(while: \.isWhitespace), radix: 16)
        else { return false }
        return mask & (1 << UInt64(signal - 1)) != 0
    }

    private static func processes() -> [pid_t] {
        guard let folder = opendir("/proc") else { return [] }
        defer { closedir(folder) }
        var found: [pid_t] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
            if let process = pid_t(name) { found.append(process) }
        }
        return found
    }

    private static func stateHome(of process: pid_t) -> String? {
        // Only processes of the same user can be read.
        guard let text = text("\(process)", "environ") else { return nil }
        var variables: [String: String] = [:]
        for line in text.split(separator: "\0") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            variables[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        // Without a home it has no state either.
        return try? BaseDirectories(environment: variables).stateHome
    }

    /// A file of `/proc`; `nil` when the process has ended meanwhile or is another user's.
    private static func text(_ process: String, _ file: String) -> String? {
        (try? File.read("/proc/\(process)/\(file)", limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }
}
