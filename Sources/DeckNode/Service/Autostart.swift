import CodexAppServer
import EventLoop
import Glibc
import ServiceManager

/// Starts the CLI's shared daemon when its owner wished so, and does not try again and again what fails.
final class Autostart {
    private static let firstDelay = Duration.seconds(5)
    private static let maximumDelay = Duration.seconds(300)
    private static let startLimit = Duration.seconds(30)

    /// Not to be tried before.
    private(set) var earliest = ContinuousClock.now
    private var failures = 0
    private(set) var isRunning = false

    /// The path of `systemd-run` when the node is a service: its restrictions are not the daemon's, and its end is not the daemon's end.
    private let serviceRunner: String?

    /// - Parameter variables: The node's own, which tell whether it is a service.
    init(variables: [String: String] = [:], process: pid_t = getpid()) {
        let isService = TransientUnit.isService(variables: variables, processID: process)
        serviceRunner = isService ? ExecutableSearch(path: variables["PATH"]).find("systemd-run") : nil
    }

    /// Runs `codex app-server daemon start`.
    ///
    /// - Returns: `nil` when it started, else one sentence for the log.
    func start(_ codex: String, environment: [String: String], on loop: EventLoop, isolation: isolated (any Actor)? = #isolation) async -> String? {
        isRunning = true
        defer { isRunning = false }
        let problem = await run(codex, environment, on: loop)
        failures = problem == nil ? 0 : min(failures + 1, 10)
        earliest = .now + min(Self.firstDelay * (1 << failures), Self.maximumDelay)
        return problem
    }

    private func run(
        _ codex: String, _ environment: [String: String], on loop: EventLoop, isolation: isolated (any Actor)? = #isolation
    ) async -> String? {
        do {
            let words = words([codex, "app-server", "daemon", "start"], environment)
            let result = try await ChildProcess.run(
                words[0], Array(words.dropFirst()), environment: environment.map { "\($0.key)=\($0.value)" }, timeout: Self.startLimit,
                outputLimit: 4_096, on: loop)
            return result.succeeded ? nil : "The Codex daemon could not be started; run `codex app-server daemon start` to see why."
        } catch {
            return "The Codex daemon could not be started: \(error)"
        }
    }

    private func words(_ words: [String], _ environment: [String: String]) -> [String] {
        guard let serviceRunner else { return words }
        let passed = environment.filter { ["PATH", "CODEX_HOME"].contains($0.key) }
        return TransientUnit(runner: serviceRunner).call(.forking, waits: false, variables: passed, words: words)
    }
}

extension NodeService {
    /// Starts the daemon if the owner set `codex.autostart` and there is none; without that the node never starts anything.
    func startDaemonIfWished() {
        guard environment.settings.codexAutostart, case .waiting(let end) = condition.link, end == .absent || end == .refused else { return }
        let autostart = autostart ?? Autostart(variables: environment.variables)
        self.autostart = autostart
        guard !autostart.isRunning else { return }
        let wait = autostart.earliest - .now
        guard wait <= .zero else {
            autostartTimer?.cancel()
            autostartTimer = loop.schedule(after: wait) { [weak self] in self?.assumeIsolated { $0.startDaemonIfWished() } }
            return
        }
        let locator = CodexLocator(setting: environment.settings.codexPath, home: environment.directories.home, variables: environment.variables)
        switch locator.locate() {
        case .failure(let failure): logger.logOnce("autostart", .warning, "The Codex daemon is not started: \(failure)")
        case .success(let found):
            let variables = environment.variables.merging(["PATH": found.searchPath, "CODEX_HOME": environment.codexHome]) { $1 }
            Task {
                let problem = await autostart.start(found.path, environment: variables, on: loop)
                if let problem { logger.logOnce("autostart", .warning, problem) }
                startDaemonIfWished()
            }
        }
    }
}
