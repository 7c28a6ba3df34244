import CommandLineKit
import RelayProtocol

/// The table of the commands of `decknode`: parsing, help, man page and completions are made from it.
public enum NodeCommands {
    public static let spec = CommandSpec(
        "decknode", summary: "Show the Codex sessions of this computer on paired screens.",
        discussion: """
            A node watches the Codex sessions of this computer and serves their state to paired screens: phones, Stream Decks and deckclient. \
            It opens no network service but those you turn on with `pair` and `relay`, and needs no account: only the agents of its own, which \
            `decknode ask` speaks to, use one.
            """,
        options: [OptionSpec("log-level", value: "LEVEL", "How much to log.", kind: .choice(["debug", "info", "notice", "warning", "error"]), fallback: "notice")],
        subcommands: [
            serve, pair, nearby, relay, status, agents, open, press, compose, slots, layout, ask, threads, login, logout, whoami, config, doctor,
        ],
        runsAlone: false,
        examples: [
            .init("decknode serve", "Run the node in the foreground."),
            .init("decknode pair", "Show the QR code that pairs a phone or another computer."),
            .init("decknode pair --link | ssh laptop deckclient pair", "Pair a computer without a camera."),
        ])

    private static let json = FlagSpec("json", "Print JSON instead of text.")
    private static let task = ArgumentSpec("TASK", "A key number from 1 to 6, the beginning of a task's id, or a part of its title.")
    private static let port = OptionSpec("port", value: "PORT", "The TCP port.", kind: .integer(1024...65535))
    private static let listen = OptionSpec("listen", value: "ADDRESS", "One private IPv4 address, or auto to follow the network.", fallback: "auto")
    private static let keys = Keycap.allCases.map(\.rawValue)

    private static let serve = CommandSpec(
        "serve", summary: "Run the node until it is stopped.",
        discussion: "The node reads the sessions below $CODEX_HOME (~/.codex) and never writes there. Pair screens with `decknode pair`.",
        flags: [FlagSpec("demo", "Show six made-up tasks instead of the sessions of this computer.")])

    private static let pair = CommandSpec(
        "pair", summary: "Show the QR code that pairs a screen with this computer.",
        discussion: """
            Sets up the Nearby listener the first time: a certificate and a token, both made on this computer. Later runs show the same code again. \
            Whoever scans it can press every key of this computer, so show it only to screens that are yours.
            """,
        options: [
            listen, port,
            OptionSpec(
                "present-as", value: "PLATFORM", "What older apps, which know no Linux, take this computer for.", kind: .choice(["mac", "windows"]),
                fallback: "mac"),
            OptionSpec("svg", value: "FILE", "Write the code as an SVG picture, readable by you only.", kind: .file),
            OptionSpec("png", value: "FILE", "Write the code as a PNG picture, readable by you only.", kind: .file),
        ],
        flags: [
            FlagSpec("rotate", "Replace certificate and token; every paired screen has to be paired again."),
            FlagSpec("link", "Print the link in the code and nothing else."),
            FlagSpec("invert", "Swap dark and light, for cameras that do not recognise the code."),
        ])

    private static let nearby = CommandSpec(
        "nearby", summary: "Turn the listener for this network on or off.",
        subcommands: [
            CommandSpec(
                "enable", summary: "Listen on a private address of this network.", options: [listen, port],
                flags: [FlagSpec("no-discovery", "Do not announce this computer by multicast DNS."), FlagSpec("discovery", "Announce it again.")]),
            CommandSpec(
                "disable", summary: "Stop listening and delete token, certificate and QR picture.", flags: [FlagSpec("yes", short: "y", "Do not ask.")]),
        ])

    private static let relay = CommandSpec(
        "relay", summary: "Turn the listener for Tailscale or SSH on or off.",
        discussion: "This listener is a plain WebSocket on loopback, for `tailscale serve` or an SSH tunnel to end the encryption, or on one tailnet address.",
        subcommands: [
            CommandSpec(
                "enable", summary: "Listen, with a new token that is printed once.",
                arguments: [
                    ArgumentSpec("ADDRESS", "127.0.0.1, ::1 or a tailnet address of this computer.", count: .optional),
                    ArgumentSpec("PORT", "The TCP port (47651).", kind: .integer(1024...65535), count: .optional),
                ], flags: [json]),
            CommandSpec("disable", summary: "Stop listening and delete the token.", flags: [FlagSpec("yes", short: "y", "Do not ask.")]),
        ])

    private static let status = CommandSpec(
        "status", summary: "Tell how the running node is.",
        options: [OptionSpec("wait", value: "SECONDS", "Wait that long for the node to start.", kind: .integer(0...600), fallback: "0")], flags: [json])

    private static let agents = CommandSpec("agents", summary: "List the tasks of this computer.", flags: [json])

    private static let open = CommandSpec("open", summary: "Open a task: select it on every paired screen.", arguments: [task], flags: [json])

    private static let press = CommandSpec(
        "press", summary: "Press a key, as a paired screen would.",
        arguments: [ArgumentSpec("KEY", "The key.", kind: .choice(PressedKey.names))],
        options: [OptionSpec("task", value: "TASK", "Open this task first.")])

    private static let compose = CommandSpec(
        "compose", summary: "Write the draft that the key CODEX sends.",
        discussion: """
            The draft waits in a file that only you can read, with or without a running node. CODEX sends it to the task that is open, once, and then it is \
            gone. Without TEXT your editor opens on it ($VISUAL or $EDITOR).
            """,
        arguments: [ArgumentSpec("TEXT", "The draft; - reads it from standard input.", count: .any)],
        flags: [FlagSpec("show", "Print the draft."), FlagSpec("clear", "Remove the draft.")],
        examples: [.init("decknode compose Fix the failing test", "Keep a short draft."), .init("decknode compose - < prompt.md", "Keep a file as the draft.")])

    private static let slots = CommandSpec(
        "slots", summary: "Show or choose which tasks lie on the six keys.",
        options: [
            OptionSpec("mode", value: "MODE", "How the keys are filled.", kind: .choice(Snapshot.AgentSource.allCases.map(\.rawValue))),
            OptionSpec("pin", value: "TASK", "Pin a task, for the mode pinned."),
            OptionSpec("unpin", value: "TASK", "Unpin a task."),
        ], flags: [json],
        subcommands: [
            CommandSpec(
                "set", summary: "Put a task on a key, for the mode custom.",
                arguments: [ArgumentSpec("KEY", "The key.", kind: .integer(1...6)), ArgumentSpec("TASK", "The task; none empties the key.", count: .optional)])
        ],
        runsAlone: true)

    private static let layout = CommandSpec(
        "layout", summary: "Show or change what the six lower keys do.", flags: [json],
        subcommands: [
            CommandSpec(
                "set", summary: "Put a keycap on a lower key.",
                arguments: [
                    ArgumentSpec("PLACE", "The lower key.", kind: .choice(ActionSlot.allCases.map(\.rawValue))),
                    ArgumentSpec("KEY", "The keycap.", kind: .choice(keys)),
                ]),
            CommandSpec("reset", summary: "Put the usual keycaps back."),
        ],
        runsAlone: true)

    private static let settingKey = ArgumentSpec("KEY", "The setting.", kind: .choice(SettingTable.rows.map(\.key)))

    private static let config = CommandSpec(
        "config", summary: "Show or change the settings of the node.",
        discussion: "The settings are in `~/.config/codex-deck/node.json`, which you may edit as well.\n\n"
            + SettingTable.rows.map { "\($0.key) (\($0.kind.name)): \($0.summary) Default: \($0.fallback.trimmingPeriod)." }.joined(separator: "\n\n"),
        flags: [json],
        subcommands: [
            CommandSpec("get", summary: "Print a setting, or its default.", arguments: [settingKey]),
            CommandSpec(
                "set", summary: "Change a setting; a running node is told.",
                arguments: [settingKey, ArgumentSpec("VALUE", "The value; put it in quotes when it has spaces.")],
                examples: [
                    .init("decknode config set titles hidden", "Keep the titles of tasks on this computer."),
                    .init("decknode config set play.command 'make test'", "Let PLAY run the tests."),
                ]),
            CommandSpec("unset", summary: "Take a setting back to its default.", arguments: [settingKey]),
        ],
        runsAlone: true)

    private static let doctor = CommandSpec("doctor", summary: "Check everything the node depends on, and say what to do.", flags: [json])
}

extension String {
    /// The text without a full stop at its end.
    fileprivate var trimmingPeriod: String { hasSuffix(".") ? String(dropLast()) : self }
}
