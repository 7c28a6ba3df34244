import CommandLineKit
import RelayProtocol

/// The table of the commands of `deckclient`: parsing, help, man page and completions are made from it.
public enum ClientCommands {
    public static let spec = CommandSpec(
        "deckclient", summary: "See and answer the Codex tasks of all your computers.",
        discussion: """
            Pairs with nodes (Linux, Mac, Windows), merges what they show into one board, and sends key presses to the computer that owns the task. \
            Pair with the code that `decknode pair` shows, then run `deckclient watch`.
            """,
        options: [
            OptionSpec(
                "log-level", value: "LEVEL", "How much to log.", kind: .choice(["debug", "info", "notice", "warning", "error"]), fallback: "warning")
        ],
        subcommands: [
            watch, agents, open, approve, decline, press, joystick, encoder, reasoning, usage, resetLimit, receipts, attention, follow, widget, layout,
            host, settings, daemon, pair, OpenLink.spec, add, discover, nodes, test, diagnostics, ReplaceCommand.spec, remove,
        ],
        runsAlone: false,
        examples: [
            .init("deckclient pair < link.txt", "Pair with a link, without it ending up in the shell's history."),
            .init("deckclient watch", "Open the dashboard."),
            .init("deckclient open 2", "Open the task on the second key, on the computer it lives on."),
        ])

    static let json = FlagSpec("json", "Print JSON instead of text.")
    static let task = ArgumentSpec("TASK", "A key number from 1 to 6, the beginning of a task's id, or a part of its title.")
    static let node = ArgumentSpec("NODE", "The name of a node, or the beginning of its id.")
    static let fileSecrets = FlagSpec("file-secrets", "Keep the token in a file that only you can read, also when there is a keyring.")
    static let keys = Keycap.allCases.map(\.rawValue)

    private static let watch = CommandSpec(
        "watch", summary: "Show the board, and follow it.",
        options: [
            OptionSpec("theme", value: "THEME", "Colours for a dark or a light terminal; without it, as in the settings.", kind: .choice(["dark", "light"]))
        ],
        flags: [
            FlagSpec("once", "Print the board once and stop."), FlagSpec("plain", "Print a line for each change, for screen readers and logs."), json,
        ])

    private static let agents = CommandSpec(
        "agents", summary: "List the tasks of all computers.", flags: [FlagSpec("all", "List also those without a key."), json])
    private static let open = CommandSpec("open", summary: "Open a task on the computer it lives on.", arguments: [task], flags: [json])
    private static let approve = CommandSpec(
        "approve", summary: "Open a task and approve what it waits for.", arguments: [task], flags: [json])
    private static let decline = CommandSpec("decline", summary: "Open a task and decline what it waits for.", arguments: [task], flags: [json])
    private static let usage = CommandSpec("usage", summary: "Show the account's limits.", flags: [json])

    private static let pair = CommandSpec(
        "pair", summary: "Pair with a node.",
        discussion: "Takes the link that `decknode pair --link` prints: from standard input, as an argument, or from a picture of the QR code.",
        arguments: [ArgumentSpec("LINK", "The link; - or nothing reads it from standard input.", count: .optional)],
        options: [OptionSpec("picture", value: "FILE", "Read the code from a picture, with zbarimg.", kind: .file)], flags: [fileSecrets, json])
    private static let add = CommandSpec(
        "add", summary: "Add a node behind Tailscale or an SSH tunnel.", discussion: "Asks for the token, or reads it from standard input.",
        arguments: [ArgumentSpec("NAME", "What to call it."), ArgumentSpec("URL", "wss://name:port, or ws:// to this computer itself.")],
        flags: [FlagSpec("tailnet", "Allow ws:// to an address of the tailnet, where WireGuard encrypts."), fileSecrets, json])
    private static let discover = CommandSpec(
        "discover", summary: "List the nodes in the neighbourhood.",
        options: [OptionSpec("seconds", value: "SECONDS", "How long to listen.", kind: .integer(1...60), fallback: "3")], flags: [json])
    private static let nodes = CommandSpec("nodes", summary: "List the paired nodes and how they can be reached.", flags: [json])
    private static let test = CommandSpec(
        "test", summary: "Connect to a node and tell how far it goes.", arguments: [node], flags: [json])
    private static let remove = CommandSpec(
        "remove", summary: "Forget a node, its token and what was last known of it.", arguments: [node],
        flags: [FlagSpec("yes", short: "y", "Do not ask.")])
}
