import EventLoop
import Notifications

/// What `doctor` says of the desktop session and of the sandbox for agents.
extension Doctor {
    static func desktop(_ environment: NodeEnvironment) async -> [Finding] {
        do {
            let loop = try EventLoop(name: "doctor")
            defer { loop.shutdown() }
            return [await notifications(environment, loop), await sandbox(environment, loop)]
        } catch {
            return [Finding(topic: "Notifications", verdict: .problem, text: "\(error)")]
        }
    }

    private static func notifications(_ environment: NodeEnvironment, _ loop: EventLoop) async -> Finding {
        let topic = "Notifications"
        switch await NotificationCheck.run(variables: environment.variables, on: loop) {
        case .works:
            return Finding(topic: topic, verdict: .good, text: "a server answers; `deckclient settings set notifications on` turns them on.")
        case .noServer:
            return Finding(
                topic: topic, verdict: .note,
                text: "no notification server answers in this session. `deckclient attention` and the dashboard tell what happened all the same.")
        case .noProgram:
            return Finding(topic: topic, verdict: .note, text: "notify-send is not installed; `apt install libnotify-bin` if you want them.")
        }
    }

    /// Tries what a command of an agent would be run with.
    private static func sandbox(_ environment: NodeEnvironment, _ loop: EventLoop) async -> Finding {
        let topic = "Sandbox"
        let words = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "true"]
        let variables = environment.variables.map { "\($0.key)=\($0.value)" }
        do throws(ChildProcessError) {
            let result = try await ChildProcess.run("bwrap", words, environment: variables, timeout: .seconds(5), outputLimit: 4_096, on: loop)
            if result.succeeded { return Finding(topic: topic, verdict: .good, text: "bubblewrap works; commands of the node's own agents run confined.") }
            return Finding(
                topic: topic, verdict: .note,
                text: "bubblewrap is installed but not permitted here, so commands of the node's own agents would run without a sandbox, and say so.")
        } catch {
            return Finding(
                topic: topic, verdict: .note,
                text: "bubblewrap is not installed, so commands of the node's own agents would run without a sandbox, and say so; `apt install bubblewrap`.")
        }
    }
}
