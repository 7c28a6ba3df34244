import EventLoop
import Glibc
import Log
import RelayProtocol
import ServiceManager

/// Opens a terminal with the detail of a task, when no dashboard is open that could show it.
struct TaskDetailOpener: Sendable {
    /// Terminals, each with the words that stand before the command it is to run; the first one installed is taken.
    private static let terminals: [[String]] = [
        ["xdg-terminal-exec"], ["x-terminal-emulator", "-e"], ["gnome-terminal", "--"], ["kgx", "--"], ["konsole", "-e"], ["kitty"],
        ["foot"], ["alacritty", "-e"], ["xfce4-terminal", "-x"], ["xterm", "-e"],
    ]
    private static let grace = Duration.seconds(2)

    /// This program, by path.
    let program: String
    let environment: [String: String]
    let loop: EventLoop
    let logger: Logger

    func open(_ task: TaskIdentity) async {
        let inherited = environment.map { "\($0.key)=\($0.value)" }
        for terminal in Self.terminals {
            let words = command(terminal + [program, "open-link", "codexdeck://agent/\(task.uuid)"])
            do throws(ChildProcessError) {
                let status = try await ChildProcess.launch(words[0], Array(words.dropFirst()), environment: inherited, grace: Self.grace, on: loop)
                if status == nil || status == .exited(0) { return }
            } catch {
                // Not installed, mostly: the next one may be.
                continue
            }
        }
        logger.warning("No terminal could be opened to show the task; run `deckclient watch`.")
    }

    /// A terminal inside the service of the engine would have its restrictions, and end with it.
    private func command(_ words: [String]) -> [String] {
        guard TransientUnit.isService(variables: environment, processID: getpid()) else { return words }
        return TransientUnit(runner: "systemd-run").call(.exec, waits: true, properties: ["KillMode=process"], words: words)
    }
}
