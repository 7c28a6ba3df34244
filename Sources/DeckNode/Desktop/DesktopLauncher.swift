import EventLoop
import Glibc
import ServiceManager

/// Starts programs in the desktop session and lets go of them.
struct DesktopLauncher: Sendable {
    static let usualGrace = Duration.seconds(1)

    let session: DesktopSession
    /// The path of `systemd-run` when the node is a service itself.
    ///
    /// What a service starts is part of it: it shares its restrictions, and a restart of the node would close the owner's terminals. So the
    /// service manager is asked to start it beside the node.
    let serviceRunner: String?
    /// A program that still runs after this has been started well.
    let grace: Duration
    let loop: EventLoop

    /// - Parameter variables: The node's own, which tell whether it is a service.
    init(session: DesktopSession, variables: [String: String], process: pid_t = getpid(), grace: Duration = usualGrace, loop: EventLoop) {
        self.session = session
        self.grace = grace
        self.loop = loop
        let isService = TransientUnit.isService(variables: variables, processID: process)
        serviceRunner = isService ? ExecutableSearch(path: session.variables["PATH"]).find("systemd-run") : nil
    }

    /// Starts a program; returns when it has ended well or has run for the grace time.
    ///
    /// - Parameters:
    ///   - words: The path of the program and its arguments.
    ///   - directory: Where it starts.
    func start(_ words: [String], directory: String?) async throws(DesktopError) {
        let words = serviceRunner.map { serviceWords($0, words, directory: directory) } ?? words
        guard let program = words.first else { return }
        let environment = session.variables.map { "\($0.key)=\($0.value)" }
        let name = Self.name(words)
        let status: ChildResult.Status?
        do throws(ChildProcessError) {
            status = try await ChildProcess.launch(
                program, Array(words.dropFirst()), environment: environment, directory: directory, grace: grace, on: loop)
        } catch {
            throw .broken(tool: name)
        }
        switch status {
        case nil, .exited(0)?: return
        case .exited(let code)?: throw .failed(tool: name, code: code)
        case .signalled?, .timedOut?: throw .broken(tool: name)
        }
    }

    /// Gives a program a text on its standard input and waits for it to have taken it; it may go on in the background.
    func feed(_ words: [String], _ text: String, timeout: Duration) async throws(DesktopError) {
        guard let program = words.first else { return }
        let name = Self.name(words)
        let result: ChildResult
        do throws(ChildProcessError) {
            result = try await ChildProcess.run(
                program, Array(words.dropFirst()), input: Array(text.utf8), environment: session.variables.map { "\($0.key)=\($0.value)" },
                timeout: timeout, outputLimit: 0, on: loop)
        } catch {
            throw .broken(tool: name)
        }
        switch result.status {
        case .exited(0): return
        case .exited(let code): throw .failed(tool: name, code: code)
        case .signalled: throw .broken(tool: name)
        case .timedOut: throw .tookTooLong(tool: name)
        }
    }

    /// The call that has the service manager start a program: it waits for the end and passes the exit code on, and what the program leaves
    /// running (a browser behind `xdg-open`) is not ended with it.
    func serviceWords(_ runner: String, _ words: [String], directory: String?) -> [String] {
        let passed = Set(DesktopSession.displayVariables + ["PATH", "CODEX_HOME", "BROWSER"])
        return TransientUnit(runner: runner).call(
            .exec, waits: true, properties: ["KillMode=process"], directory: directory,
            variables: session.variables.filter { passed.contains($0.key) }, words: words)
    }

    /// What to call the program in a sentence: the one that was asked for, not the one that starts it.
    private static func name(_ words: [String]) -> String {
        let program = words.firstIndex(of: "--").flatMap { words[0].hasSuffix("/systemd-run") ? words.dropFirst($0 + 1).first : nil } ?? words.first
        return DisplaySafe.word(program?.split(separator: "/").last.map(String.init) ?? "The program")
    }
}
