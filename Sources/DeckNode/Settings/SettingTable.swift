import JSON

/// One setting of the node: everything that reading, listing, help and completions need to know of it.
public struct Setting: Sendable {
    /// When a change reaches a running node.
    public enum Effect: String, Sendable { case atOnce, nextStart }

    /// Dots stand for objects in objects: `codex.home` is `{"codex": {"home": …}}`.
    public let key: String
    public let kind: SettingKind
    /// One sentence.
    public let summary: String
    /// The default, in words.
    public let fallback: String
    public let effect: Effect
    /// Puts a value that its kind accepts into the settings.
    let store: @Sendable (inout NodeSettings, JSONValue) -> Void

    init(
        _ key: String, _ kind: SettingKind, _ summary: String, fallback: String, effect: Effect = .atOnce,
        store: @escaping @Sendable (inout NodeSettings, JSONValue) -> Void
    ) {
        self.key = key
        self.kind = kind
        self.summary = summary
        self.fallback = fallback
        self.effect = effect
        self.store = store
    }

    var path: [String] { key.split(separator: ".").map(String.init) }
}

/// All settings of the node.
public enum SettingTable {
    public static let rows: [Setting] = [
        Setting(
            "titles", .choice(NodeSettings.Titles.allCases.map(\.rawValue)), "Whether screens are sent the titles of tasks.", fallback: "shown"
        ) {
            $0.titles = $1.string.flatMap(NodeSettings.Titles.init) ?? $0.titles
        },
        Setting("codex.home", .path, "Where Codex keeps its sessions.", fallback: "$CODEX_HOME, else ~/.codex", effect: .nextStart) {
            $0.codexHome = $1.string
        },
        Setting("codex.path", .path, "The Codex CLI.", fallback: "looked for on PATH and in the usual folders") { $0.codexPath = $1.string },
        Setting("codex.autostart", .boolean, "Whether the node starts the app-server daemon of the CLI when it does not run.", fallback: "false") {
            $0.codexAutostart = $1.bool ?? $0.codexAutostart
        },
        Setting("newTask.folder", .path, "Where NEW starts a task when no task is open.", fallback: "the home folder") { $0.newTaskFolder = $1.string },
        Setting("prompts.commit", .text, "What GIT sends.", fallback: NodeSettings().commitPrompt) { $0.commitPrompt = $1.string ?? $0.commitPrompt },
        Setting("prompts.pullRequest", .text, "What PR sends.", fallback: NodeSettings().pullRequestPrompt) {
            $0.pullRequestPrompt = $1.string ?? $0.pullRequestPrompt
        },
        Setting("play.command", .command, "What PLAY runs in the folder of the task, in the sandbox of Codex.", fallback: "none") {
            $0.playCommand = $1.string.flatMap(CommandWords.split)
        },
        Setting("review.baseBranch", .branch, "What BRCH compares with.", fallback: "the default branch of the repository") {
            $0.reviewBaseBranch = $1.string
        },
        Setting("terminal.command", .command, "The terminal that keys open; the command it runs is appended.", fallback: "the first one installed") {
            $0.terminalCommand = $1.string.flatMap(CommandWords.split)
        },
    ] + agents

    /// Those of the node's own agents.
    private static let agents: [Setting] = [
        Setting(
            "agents.session", .choice(AgentSettings.Session.allCases.map(\.rawValue)),
            "Whether `decknode ask` uses the session of `decknode login` or the one of the Codex CLI.", fallback: "own"
        ) {
            $0.agents.session = $1.string.flatMap(AgentSettings.Session.init) ?? $0.agents.session
        },
        Setting("agents.model", .text, "The model that `decknode ask` asks.", fallback: "gpt-5.4") { $0.agents.model = $1.string },
        Setting("agents.effort", .choice(["low", "medium", "high", "xhigh"]), "How long the model thinks.", fallback: "medium") {
            $0.agents.effort = $1.string
        },
        Setting(
            "agents.sessionFile", .boolean, "Whether the session may lie in a file, not encrypted, when there is no keyring.", fallback: "false"
        ) {
            $0.agents.allowsSessionFile = $1.bool ?? $0.agents.allowsSessionFile
        },
        Setting("agents.baseUrl", .address, "Where the model answers, without /responses.", fallback: "ChatGPT") { $0.agents.baseURL = $1.string },
        Setting("agents.issuer", .address, "The server that signs people in.", fallback: "https://auth.openai.com") { $0.agents.issuer = $1.string },
        Setting("agents.clientId", .text, "Whom the node signs in as.", fallback: "the client of the Codex CLI") { $0.agents.clientID = $1.string },
    ]

    public static func row(_ key: String) -> Setting? { rows.first { $0.key == key } }
}
