import CommandLineKit
import DeckClient
import RelayProtocol

/// The rows of the commands that press something, watch for something, or set something.
extension ClientCommands {
    private static let aim = [
        OptionSpec("task", value: "TASK", "The task that is meant; refused when another one is open."),
        OptionSpec("host", value: "NODE", "The computer that is meant; otherwise the selected one."),
    ]

    static let press = CommandSpec(
        "press", summary: "Press a key.",
        discussion: "Presses a keycap by its name, or one of the six lower keys by its place with what the layout in use puts there.",
        arguments: [
            ArgumentSpec(
                "KEY", "A keycap, or ACT06 to ACT12.",
                kind: .choice((keys + ActionSlot.allCases.map(\.rawValue)).flatMap { [$0, $0.lowercased()] }))
        ],
        options: aim, flags: [json])
    static let joystick = CommandSpec(
        "joystick", summary: "Push the stick and let it go.",
        arguments: [ArgumentSpec("DIRECTION", "Where to.", kind: .choice(JoystickDirection.allCases.map(\.rawValue)))], options: aim, flags: [json])
    static let encoder = CommandSpec("encoder", summary: "Click the dial.", options: aim, flags: [json])
    static let reasoning = CommandSpec(
        "reasoning", summary: "Turn the reasoning effort up or down.",
        arguments: [ArgumentSpec("DIRECTION", "Which way.", kind: .choice(ReasoningDirection.allCases.map(\.rawValue)))], options: aim, flags: [json])
    static let resetLimit = CommandSpec(
        "reset-limit", summary: "Spend a credit to reset the account's limit.",
        discussion: "Goes to the computer with the freshest word on the account, and asks first.",
        options: [OptionSpec("host", value: "NODE", "The computer that is meant.")], flags: [FlagSpec("yes", short: "y", "Do not ask."), json])

    static let receipts = CommandSpec(
        "receipts", summary: "List what became of the last commands.",
        discussion: "Newest first, whichever screen or program they came from. The last \(ReceiptLog.capacity) are kept.",
        options: [
            OptionSpec(
                "limit", value: "N", "How many to list at most.", kind: .integer(1...ReceiptLog.capacity), fallback: "\(ReceiptLog.capacity)")
        ],
        flags: [json])

    // MARK: - Attention

    private static let event = ArgumentSpec("EVENT", "The number of an event, as the list shows it.", kind: .integer(1...Int.max))
    private static let events = ArgumentSpec("EVENT", "The numbers of events.", kind: .integer(1...Int.max), count: .any)
    private static let all = FlagSpec("all", "All events.")

    static let attention = CommandSpec(
        "attention", summary: "List what happened and what waits for you.",
        discussion: """
            Approvals, questions, completions and errors of the last 7 days, 100 at most. A star marks what is neither read here nor settled \
            elsewhere. They are noticed while a dashboard or `deckclient daemon` runs.
            """,
        options: [
            OptionSpec(
                "kind", value: "KIND", "Only events of this kind.", kind: .choice(AttentionEvent.Kind.allCases.map(\.rawValue)), repeats: true),
            OptionSpec(
                "system", value: "SYSTEM", "Only events of computers with this system.",
                kind: .choice(HostBadge.allCases.map { $0.name.lowercased() }),
                repeats: true),
            OptionSpec("host", value: "NODE", "Only events of this computer.", repeats: true),
        ],
        flags: [FlagSpec("unread", "Only what waits for you."), json],
        subcommands: [
            CommandSpec("open", summary: "Open the task of an event, wherever it is now.", arguments: [event]),
            CommandSpec("read", summary: "Mark events as read.", arguments: [events], flags: [all]),
            CommandSpec("unread", summary: "Mark events as unread.", arguments: [events], flags: [all]),
            CommandSpec("remove", summary: "Remove events for good.", arguments: [events], flags: [all]),
        ],
        runsAlone: true)

    static let follow = CommandSpec(
        "follow", summary: "Follow one task in the dashboard, in a notification and in a widget.",
        arguments: [ArgumentSpec("TASK", "A key number, the beginning of a task's id, or a part of its title.", count: .optional)],
        flags: [FlagSpec("stop", "Follow no task."), FlagSpec("status", "Say what is followed."), json])

    static let daemon = CommandSpec(
        "daemon", summary: "Keep connections, events and notifications without a screen.",
        discussion: "Runs until it is stopped; SIGHUP reads settings and nodes again. Other commands and dashboards use it while it runs.")

    static let diagnostics = CommandSpec(
        "diagnostics", summary: "Print what helps to find a fault, without names, addresses or titles.", flags: [json])

    // MARK: - Widgets

    private static let target = OptionSpec("target", value: "NODE", "The computer of the keys.", fallback: "selected")
    private static let widgetKey = ArgumentSpec("KEY", "A keycap.", kind: .choice(keys))

    static let widget = CommandSpec(
        "widget", summary: "Print a line for a status bar.",
        discussion: """
            Reads what a running dashboard or `deckclient daemon` last wrote, so it costs next to nothing. A click on a key is \
            `deckclient press KEY --host NODE`; with i3blocks the widget does that itself.
            """,
        options: [
            OptionSpec(
                "format", value: "FORMAT", "The language of the bar.", kind: .choice(WidgetFormat.allCases.map(\.rawValue)), fallback: "plain"),
            OptionSpec("width", value: "CHARACTERS", "How much of a title to show.", kind: .integer(4...120), fallback: "24"),
        ],
        flags: [FlagSpec("tail", "Stay, and print a line when something changed.")],
        subcommands: [
            CommandSpec("capacity", summary: "How much of the weekly limit is used.", flags: [FlagSpec("both", "Both limits.")]),
            CommandSpec("agent", summary: "The task at work, else the selected one, else the latest."),
            CommandSpec("board", summary: "The six keys.", flags: [FlagSpec("three", "The first three.")]),
            CommandSpec("command", summary: "A key to press.", arguments: [widgetKey], options: [target]),
            CommandSpec(
                "deck", summary: "Up to four keys to press.",
                arguments: [ArgumentSpec("KEY", "Keycaps.", kind: widgetKey.kind, count: .oneOrMore)], options: [target]),
            CommandSpec("follow", summary: "The followed task."),
        ])

    // MARK: - Settings

    private static let profiles = LayoutProfile.allCases.map(\.rawValue)
    private static let profile = OptionSpec("profile", value: "PROFILE", "A profile other than the one in use.", kind: .choice(profiles))
    private static let key = ArgumentSpec("KEY", "The name of a setting.", kind: .choice(ClientSetting.all.map(\.key)))

    static let layout = CommandSpec(
        "layout", summary: "Show or change what lies on the six lower keys.",
        flags: [json],
        subcommands: [
            CommandSpec("use", summary: "Use a profile.", arguments: [ArgumentSpec("PROFILE", "Its name.", kind: .choice(profiles))]),
            CommandSpec(
                "set", summary: "Put a keycap on a key.",
                arguments: [
                    ArgumentSpec("KEY", "The place.", kind: .choice(ActionSlot.allCases.flatMap { [$0.rawValue, $0.rawValue.lowercased()] })),
                    ArgumentSpec("KEYCAP", "The keycap.", kind: .choice(keys)),
                ],
                options: [profile]),
            CommandSpec("reset", summary: "Put the keys of a profile back.", options: [profile]),
            CommandSpec("import", summary: "Copy the keys of the selected computer into the profile in use."),
        ],
        runsAlone: true)

    static let host = CommandSpec(
        "host", summary: "Show or choose the computer whose order and lower keys count.",
        arguments: [ArgumentSpec("NODE", "The computer.", count: .optional)], flags: [FlagSpec("first", "The first paired."), json])

    static let settings = CommandSpec(
        "settings", summary: "Show or change the settings.",
        subcommands: [
            CommandSpec("list", summary: "List them.", flags: [FlagSpec("all", "With every key of every layout."), json]),
            CommandSpec("get", summary: "Print one.", arguments: [key]),
            CommandSpec("set", summary: "Change one.", arguments: [key, ArgumentSpec("VALUE", "The new value.")]),
            CommandSpec("unset", summary: "Put one back to its default.", arguments: [key]),
        ])
}
