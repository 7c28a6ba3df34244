import Files
import JSON

/// What the owner set in `$XDG_CONFIG_HOME/codex-deck/node.json`. A missing file means the defaults; ``SettingTable`` tells them all.
public struct NodeSettings: Hashable, Sendable {
    /// Whether the wire carries the titles of tasks or `Codex task <first 8 of the id>` only.
    public enum Titles: String, Sendable, CaseIterable { case shown, hidden }

    public var titles = Titles.shown
    /// Where Codex keeps its sessions; `nil` takes `$CODEX_HOME`, else `~/.codex`.
    public var codexHome: String?
    /// The Codex CLI; `nil` looks in the usual places.
    public var codexPath: String?
    /// Whether the node starts the app-server daemon of the CLI when it does not run.
    public var codexAutostart = false
    /// Where the key NEW starts a task when no task is open; `nil` is the home folder.
    public var newTaskFolder: String?
    /// What the key GIT sends.
    public var commitPrompt = "Commit the changes of this task with a clear message. Do not push."
    /// What the key PR sends.
    public var pullRequestPrompt = "Push the branch of this task and open a pull request that says what changes and why."
    /// What the key PLAY runs, in words; `nil` runs nothing.
    public var playCommand: [String]?
    /// What the key BRCH compares with; `nil` finds the default branch of the repository.
    public var reviewBaseBranch: String?
    /// The terminal that keys open, in words before those of the command it runs; `nil` takes the first one installed.
    public var terminalCommand: [String]?
    /// The node's own agents.
    public var agents = AgentSettings()
    /// What the file holds and nothing here knows, in order; left alone.
    public var unknownKeys: [String] = []

    public init() {}

    /// Reads the settings.
    ///
    /// - Throws: ``NodeSettingsError`` when the file is there and cannot be used; it is left as it is, for the owner wrote it.
    public static func load(path: String) throws(NodeSettingsError) -> NodeSettings { try SettingsFile(path: path).load() }
}

/// Settings that cannot be used; one sentence.
public struct NodeSettingsError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
