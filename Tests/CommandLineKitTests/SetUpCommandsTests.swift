import Testing

@testable import CommandLineKit

struct SetUpCommandsTests {
    @Test(arguments: [("bash", "# bash completion"), ("zsh", "#compdef"), ("fish", "# fish completion")])
    func printsTheCompletionsOfAShell(shell: String, beginning: String) {
        let scripts = [Completions.bash(sample.spec), Completions.zsh(sample.spec), Completions.fish(sample.spec)]
        let script = scripts.first { $0.hasPrefix(beginning) }
        #expect(sample.interpret(["completion", shell]) == script.map { .show($0) })
    }

    @Test func knowsNoOtherShell() {
        #expect(refusal("completion tcsh") == "deck: SHELL must be one of bash, zsh, fish.\nTry 'deck completion --help'.")
        #expect(refusal("completion") == "deck: SHELL is missing.\nTry 'deck completion --help'.")
    }

    @Test func printsTheManual() {
        #expect(sample.interpret(["manual", "--date", "2026-01-31"]) == .show(ManPage.render(sample, date: "2026-01-31")))
        #expect(sample.interpret(["manual"]) == .show(ManPage.render(sample, date: "")))
    }

    @Test func isNotListedAnywhere() throws {
        let lists = [
            try sample.help([], columns: 80), ManPage.render(sample, date: ""), Completions.bash(sample.spec), Completions.zsh(sample.spec),
            Completions.fish(sample.spec),
        ]
        for list in lists {
            #expect(!list.contains("manual page"))
            #expect(!list.contains("ompletions for a shell"))
        }
        #expect(refusal("manua") == "deck: There is no command 'manua'.\nTry 'deck --help'.")
    }

    @Test func explainsItselfToWhoeverAsks() throws {
        #expect(try sample.help(["completion"], columns: 80).hasPrefix("Print the completions for a shell.\n\nUsage: deck completion SHELL\n"))
        #expect(sample.spec.problems().isEmpty)
    }
}
