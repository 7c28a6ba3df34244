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
    ]

    public static func row(_ key: String) -> Setting? { rows.first { $0.key == key } }
}
