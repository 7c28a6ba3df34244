import CommandLineKit

/// The rows of the commands for the node's own agents.
extension NodeCommands {
    private static let thread = ArgumentSpec("THREAD", "The beginning of a thread's id, or a part of its title.")
    private static let json = FlagSpec("json", "Print JSON instead of text.")

    static let ask = CommandSpec(
        "ask", summary: "Ask an agent of this computer, and watch it work.",
        discussion: """
            The question goes to the model through the running node, so that the task is on every paired screen while it runs; without a node the \
            command does it alone. The answer is written to standard output as it comes, everything else to standard error. Text that comes through \
            a pipe is part of the question.

            The agent may list folders and read files in the working folder. Commands it runs only after somebody allowed that very command: here, \
            with a key of a deck or on a phone; the first answer counts. Control-C stops the agent.

            Links are shown to the model as they are; nothing is fetched. It returns 1 when the agent failed, and 130 when it was stopped here.
            """,
        arguments: [ArgumentSpec("TEXT", "The question; - reads it from standard input.", count: .any)],
        options: [
            OptionSpec("file", short: "f", value: "FILE", "Add the text of a file.", kind: .file, repeats: true),
            OptionSpec("image", short: "i", value: "FILE", "Add a picture: JPEG, PNG, GIF or WebP.", kind: .file, repeats: true),
            OptionSpec("url", short: "u", value: "ADDRESS", "Add a link.", repeats: true),
            OptionSpec("thread", short: "t", value: "THREAD", "Go on with a thread instead of beginning one."),
            OptionSpec("folder", short: "C", value: "FOLDER", "Where the agent works.", kind: .directory, fallback: "this one; that of the thread"),
            OptionSpec("model", short: "m", value: "MODEL", "The model to ask.", fallback: "the setting agents.model"),
            OptionSpec(
                "effort", short: "e", value: "EFFORT", "How long it thinks.", kind: .choice(["low", "medium", "high", "xhigh"]),
                fallback: "the setting agents.effort"),
        ],
        flags: [
            FlagSpec("resume", "Go on with an answer of the thread that was cut off."), FlagSpec("decline-all", "Decline every command at once."),
            FlagSpec("detach", "Print the thread's id and leave; the agent goes on in the node."),
            FlagSpec("json", "Print every event as a line of JSON."),
        ],
        examples: [
            .init("decknode ask What listens on port 8080?", "Ask about this computer."),
            .init("decknode ask Explain this < build.log", "Ask about what comes through standard input."),
            .init("decknode ask --thread 'port 8080' Stop it", "Go on with a thread."),
            .init("decknode ask --file notes.txt --image plan.png Compare these", "Ask about files."),
        ])

    static let threads = CommandSpec(
        "threads", summary: "List and keep the conversations with the agents of this computer.",
        flags: [FlagSpec("archived", short: "a", "List archived ones too."), json],
        subcommands: [
            CommandSpec("show", summary: "Print a thread as Markdown.", arguments: [thread]),
            CommandSpec(
                "rename", summary: "Name a thread.", arguments: [thread, ArgumentSpec("TITLE", "The title.", count: .oneOrMore)]),
            CommandSpec("stop", summary: "Stop what a thread is doing.", arguments: [thread]),
            CommandSpec("archive", summary: "Take a thread off the deck and the list.", arguments: [thread]),
            CommandSpec("unarchive", summary: "Put it back.", arguments: [thread]),
            CommandSpec(
                "delete", summary: "Delete a thread with everything in it.", arguments: [thread],
                flags: [FlagSpec("yes", short: "y", "Do not ask.")]),
        ],
        runsAlone: true)

    static let login = CommandSpec(
        "login", summary: "Sign in to ChatGPT, for the agents of this computer.",
        discussion: """
            Shows an address and a code, to be entered in the browser of any device. The session is kept in the keyring of the desktop; where there \
            is none, `decknode config set agents.sessionFile true` allows a file that is not encrypted. Watching and steering Codex needs no account.
            """,
        flags: [
            FlagSpec("oauth", "Sign in with the browser of this computer instead of a code."),
            FlagSpec("use-codex-session", "Use the session of the Codex CLI, which is read and never written or renewed."),
        ])

    static let logout = CommandSpec(
        "logout", summary: "Sign the agents of this computer out.",
        discussion: "The session is deleted; threads stay. The session of the Codex CLI is only let go.")

    static let whoami = CommandSpec("whoami", summary: "Tell who is signed in for the agents of this computer.", flags: [json])
}
