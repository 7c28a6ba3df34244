import EventLoop
import Glibc

/// Finds out whether bubblewrap is there and works, until it does: it needs user namespaces, which containers and some systems forbid.
actor SandboxProbe {
    enum Finding: Hashable, Sendable {
        /// Its path.
        case bubblewrap(String)
        /// Why there is none, as the end of a sentence.
        case missing(String)
    }

    private let variables: [String: String]
    private let commands: CommandLoop
    private var looking: Task<Finding, Never>?

    init(variables: [String: String], commands: CommandLoop) {
        self.variables = variables
        self.commands = commands
    }

    func finding() async -> Finding {
        let task = looking ?? Task { await self.look() }
        looking = task
        let finding = await task.value
        // Only that it works is known for good: it may be installed meanwhile, or have been slow once.
        if case .missing = finding, looking == task { looking = nil }
        return finding
    }

    private func look() async -> Finding {
        guard let path = Self.path(variables) else { return .missing("bubblewrap is not installed") }
        do {
            let words = Sandbox(program: path, folder: "/", hidden: []).words(of: ["/bin/true"], network: false)
            let result = try await ChildProcess.run(
                words[0], Array(words.dropFirst()), environment: [], directory: "/", timeout: .seconds(10), outputLimit: 1_024,
                on: try commands.loop())
            return result.succeeded ? .bubblewrap(path) : .missing("bubblewrap does not work on this computer")
        } catch {
            return .missing("bubblewrap cannot be started")
        }
    }

    /// Looked for where programs of the system are: a folder of the owner's `PATH` may be one that a tool can write.
    private static func path(_ variables: [String: String]) -> String? {
        if let given = variables["CODEX_DECK_BWRAP"] { return given.hasPrefix("/") && access(given, X_OK) == 0 ? given : nil }
        return ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"].first { access($0, X_OK) == 0 }
    }
}
