import CommandLineKit
import Files
import Glibc

/// `decknode compose`: writes the draft that the key CODEX sends.
enum ComposeCommand {
    static func run(_ invocation: Invocation, _ environment: NodeEnvironment) throws {
        let directory = environment.directories.stateHome
        let draft = ComposerDraft(directory: directory)
        let words = invocation.arguments("TEXT")
        let ways = [invocation.flag("show"), invocation.flag("clear"), !words.isEmpty].count { $0 }
        guard ways <= 1 else { throw invocation.refusal("--show, --clear and TEXT exclude each other.") }
        if invocation.flag("show") { return try show(draft) }
        if invocation.flag("clear") { return Output.print(try draft.clear() ? "The draft is gone." : "There was no draft.") }
        if words.isEmpty { return try edit(draft, in: directory, environment, invocation) }
        try draft.save(words == ["-"] ? StandardInput.text(limit: 4 * ComposerDraft.maximumBytes) : words.joined(separator: " "))
        Output.print("The draft is kept; the key CODEX sends it to the task that is open.")
    }

    private static func show(_ draft: ComposerDraft) throws {
        guard let text = try draft.load() else { throw CommandFailure("There is no draft; write one with `decknode compose`.") }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            Output.print(Printable.line(String(line).replacing("\t", with: "    ")))
        }
    }

    private static func edit(_ draft: ComposerDraft, in directory: String, _ environment: NodeEnvironment, _ invocation: Invocation) throws {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else {
            throw invocation.refusal("TEXT is missing; give it, or - to read it from standard input.")
        }
        guard let editor = TextEditor(variables: environment.variables) else {
            throw CommandFailure("No editor was found; set EDITOR, or give the text itself.")
        }
        let former = try draft.load() ?? ""
        let text = try editor.edit(former, in: directory)
        if text.allSatisfy(\.isWhitespace) {
            try draft.clear()
            return Output.print("The draft is empty now.")
        }
        try draft.save(text)
        Output.print("The draft is kept; the key CODEX sends it to the task that is open.")
    }
}
