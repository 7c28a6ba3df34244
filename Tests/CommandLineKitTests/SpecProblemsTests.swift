import CommandLineKit
import Testing

struct SpecProblemsTests {
    @Test func aGoodTableHasNone() { #expect(sample.spec.problems() == []) }

    @Test func namesWhatIsWrongWithATable() {
        let bad = CommandSpec(
            "Bad", summary: "No sentence", arguments: [ArgumentSpec("A", "", count: .any), ArgumentSpec("A", "", count: .any)],
            options: [OptionSpec("help", value: "X", "Taken."), OptionSpec("two", short: "h", value: "X", "Taken.")],
            flags: [FlagSpec("-x", "Odd."), FlagSpec("same", "no sentence")],
            subcommands: [
                CommandSpec("sub", summary: "Sub.", flags: [FlagSpec("same", short: "h", "Again.")], examples: [.init("other sub", "x")]),
                CommandSpec("sub", summary: "Sub."),
            ])
        #expect(
            bad.problems() == [
                "Bad: ---x is no name of lower-case letters, digits and hyphens.", "Bad: the summary of --same is no sentence.",
                "Bad: --help stands twice, here or above.", "Bad: -h stands twice, here or above.",
                "Bad: the name is not of lower-case letters, digits and hyphens.", "Bad: the summary is no sentence.",
                "Bad: two arguments repeat, so that words cannot be shared out.", "Bad: an argument stands twice.",
                "Bad: a subcommand stands twice.", "Bad: it has arguments but cannot be called by itself.",
                "Bad sub: --same stands twice, here or above.", "Bad sub: -h stands twice, here or above.",
                "Bad sub: an example is about another command.",
            ])
    }
}
