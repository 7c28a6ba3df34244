import RelayProtocol

/// What the keys open that lead to the desktop, in one table.
public enum DesktopTarget: CaseIterable, Hashable, Sendable {
    case task, agents, newSession, sessions, folder, web, issues, configuration, documentation

    /// How it is opened.
    enum Opening: Hashable {
        /// The desktop's terminal, with these arguments to the CLI.
        case terminal([String])
        /// The terminal on the task, which needs an open one.
        case terminalOnTask
        /// The desktop's program for folders.
        case folder
        /// The desktop's browser.
        case page(String)
        /// The desktop's editor, on `config.toml`.
        case configuration
    }

    struct Row {
        let target: DesktopTarget
        let keycap: Keycap
        let verb: DeckVerb
        let opening: Opening
        /// Why this and nothing else, for the table in the documentation.
        let reason: String
    }

    static let rows: [Row] = [
        Row(
            target: .task, keycap: .terminal, verb: .terminal, opening: .terminalOnTask,
            reason: "the CLI is where the task goes on: `codex resume <task>`"),
        Row(
            target: .agents, keycap: .time, verb: .agentsOverview, opening: .terminal(["agents"]),
            reason: "the CLI's own overview of running sessions; a CLI without it shows its list of sessions"),
        Row(
            target: .newSession, keycap: .apps, verb: .apps, opening: .terminal([]),
            reason: "the app on Linux is the CLI itself, in the task's folder"),
        Row(
            target: .sessions, keycap: .navigate, verb: .navigate, opening: .terminal(["resume", "--all"]),
            reason: "going to any other session is the CLI's picker over all folders"),
        Row(target: .folder, keycap: .folder, verb: .folder, opening: .folder, reason: "the folder the task works in, in the file manager"),
        Row(
            target: .web, keycap: .openAI, verb: .webApp, opening: .page("https://chatgpt.com/codex"),
            reason: "Codex on the web, with its cloud tasks"),
        Row(
            target: .issues, keycap: .bug, verb: .reportBug, opening: .page("https://github.com/openai/codex/issues"),
            reason: "where the CLI itself sends reports"),
        Row(
            target: .configuration, keycap: .setup, verb: .settings, opening: .configuration,
            reason: "the CLI has no settings window; its settings are `config.toml`"),
        Row(
            target: .documentation, keycap: .lab, verb: .lab, opening: .page("https://developers.openai.com/codex/cli"),
            reason: "what there is to try is in the CLI's documentation"),
    ]

    /// The target a verb leads to; `nil` for verbs that open nothing.
    public init?(_ verb: DeckVerb) {
        guard let row = Self.rows.first(where: { $0.verb == verb }) else { return nil }
        self = row.target
    }

    /// `nil` only for a target that is missing in the table, which a test rules out.
    var opening: Opening? { Self.rows.first { $0.target == self }?.opening }
}
