import CommandLineKit

/// A program with one of everything.
let sample = Program(
    CommandSpec(
        "deck", summary: "Watch over tasks.", discussion: "First paragraph\nof two lines.\n\nSecond paragraph: 100% -- \\ 'quoted'.",
        options: [
            OptionSpec("log-level", value: "LEVEL", "Print this and what is worse.", kind: .choice(["debug", "info", "error"]), fallback: "info")
        ],
        flags: [FlagSpec("verbose", short: "v", "Say more.")],
        subcommands: [
            CommandSpec(
                "pair", summary: "Pair a phone.",
                arguments: [ArgumentSpec("NAME", "What to call it.", count: .optional)],
                options: [
                    OptionSpec("port", short: "p", value: "PORT", "The port.", kind: .integer(1...65535), fallback: "8790"),
                    OptionSpec("svg", value: "FILE", "Write the code to a file.", kind: .file),
                    OptionSpec("tag", short: "t", value: "TAG", "A tag.", repeats: true),
                ],
                flags: [FlagSpec("rotate", short: "r", "Make a new token."), FlagSpec("invert", short: "i", "Swap dark and light.")],
                examples: [.init("deck pair --svg code.svg", "Write the code as a picture.")]),
            CommandSpec(
                "relay", summary: "Configure the relay.",
                subcommands: [
                    CommandSpec(
                        "enable", summary: "Switch it on.",
                        arguments: [ArgumentSpec("ADDRESS", "Where.", count: .optional), ArgumentSpec("PORT", "Port.", kind: .integer(1...65535))]),
                    CommandSpec("disable", summary: "Switch it off."),
                ]),
            CommandSpec("open", summary: "Open tasks.", arguments: [ArgumentSpec("TASK", "Which.", count: .oneOrMore)]),
            CommandSpec("move", summary: "Move by some steps.", arguments: [ArgumentSpec("STEPS", "How far.", kind: .integer(-9...9))]),
            CommandSpec(
                "follow", summary: "Follow a task.", arguments: [ArgumentSpec("TASK", "Which.", count: .optional)],
                subcommands: [CommandSpec("stop", summary: "No longer.")], runsAlone: true),
            CommandSpec("look", summary: "Look.", arguments: [ArgumentSpec("SIDE", "Where to.", kind: .choice(["left", "right"]))]),
            CommandSpec(
                "join", summary: "Join.", arguments: [ArgumentSpec("FIRST", "a"), ArgumentSpec("REST", "b", count: .any), ArgumentSpec("LAST", "c")]),
        ],
        examples: [.init("deck open 1", "Open the first task.")]),
    version: "1.2.3")

func run(_ line: String) -> Invocation? {
    if case .run(let invocation) = sample.interpret(words(line)) { invocation } else { nil }
}

func refusal(_ line: String) -> String? {
    if case .refuse(let text) = sample.interpret(words(line)) { text } else { nil }
}

func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
