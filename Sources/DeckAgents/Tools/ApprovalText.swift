import CodexKit
import RelayProtocol

/// Puts a question into the words that a person decides by.
struct ApprovalText {
    let request: ApprovalRequest
    let thread: TaskIdentity
    /// `nil` when the thread has lost it: then nothing runs.
    let folder: String?
    let sandbox: SandboxProbe.Finding

    var approval: AgentApproval {
        let call = request.toolInvocation
        guard call.toolName == HostTools.commandName else {
            let arguments = VisibleText.line(String(decoding: call.arguments.encoded(), as: UTF8.self))
            return made(VisibleText.line(call.toolName, limit: 64), [VisibleText.line(request.message), arguments], isSandboxed: false)
        }
        do throws(CommandCall.Malformed) {
            let command = try CommandCall(call.arguments)
            guard let folder else {
                let lines = ["This call cannot be run, whatever you answer: the thread has no working folder."] + Self.shown(command)
                return made(command.summary, lines, isSandboxed: false)
            }
            return made(command.summary, lines(command, in: folder), isSandboxed: isSandboxed)
        } catch {
            let arguments = VisibleText.line(String(decoding: call.arguments.encoded(), as: UTF8.self))
            let lines = ["This call cannot be run, whatever you answer: \(error.description)", arguments]
            return made("a call that cannot be run", lines, isSandboxed: false)
        }
    }

    private var isSandboxed: Bool { if case .bubblewrap = sandbox { true } else { false } }

    private func lines(_ command: CommandCall, in folder: String) -> [String] {
        ["Run in \(VisibleText.line(folder)):"] + Self.shown(command) + [confinement(command, in: folder), "For \(command.seconds) s at most."]
    }

    private static func shown(_ command: CommandCall) -> [String] {
        command.lines.enumerated().map { ($0.offset == 0 ? "$ " : "> ") + $0.element }
    }

    private func confinement(_ command: CommandCall, in folder: String) -> String {
        switch sandbox {
        case .bubblewrap:
            // Sockets without a name in the file system belong to the network.
            let network =
                command.needsNetwork
                ? "WITH the network, and whatever listens on this computer, such as the X11 display" : "without the network"
            let place = folder == "/" ? "nothing" : "in this folder only"
            return "In the sandbox: it can write \(place), \(network)."
        case .missing(let reason): return "WITHOUT A SANDBOX, as \(reason): it can do whatever you can."
        }
    }

    private func made(_ summary: String, _ lines: [String], isSandboxed: Bool) -> AgentApproval {
        AgentApproval(
            id: request.id, thread: thread, tool: VisibleText.line(request.toolInvocation.toolName, limit: 64), summary: summary, lines: lines,
            isSandboxed: isSandboxed)
    }
}
