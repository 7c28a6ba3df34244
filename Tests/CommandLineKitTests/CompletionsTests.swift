import Testing

@testable import CommandLineKit

struct CompletionsTests {
    private let bash = Completions.bash(sample.spec)
    private let zsh = Completions.zsh(sample.spec)
    private let fish = Completions.fish(sample.spec)

    /// What the bash script offers when the cursor is at the end of the words.
    private func offered(_ words: [String]) throws -> [String] {
        let list = words.map { shellQuoted($0) }.joined(separator: " ")
        let script = bash + "\nCOMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); compopt() { :; }; _deck; printf '%s\\n' \"${COMPREPLY[@]}\""
        let result = try tool(["bash", "--norc"], input: script)
        #expect(result.status == 0)
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func bashAcceptsTheScript() throws {
        let result = try tool(["bash", "-n"], input: bash)
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        (["deck", "pa"], ["pair"]), (["deck", "relay", ""], ["enable", "disable"]), (["deck", "-v", "relay", "d"], ["disable"]),
        (["deck", "--log-level", ""], ["debug", "info", "error"]), (["deck", "--log-level", "debug", "rel"], ["relay"]),
        (["deck", "--log-level", "="], ["debug", "info", "error"]), (["deck", "--log-level", "=", "in"], ["info"]),
        (["deck", "pair", "--log-level", "e"], ["error"]), (["deck", "pair", "--po"], ["--port"]), (["deck", "pair", "-p", ""], []),
        (["deck", "relay", "--h"], ["--help"]), (["deck", "look", ""], ["left", "right"]), (["deck", "pair", "--tag", "relay", "--ro"], ["--rotate"]),
        (["deck", "nonsense", "--verb"], ["--verbose"]), (["deck", "pair", "--svg", "/etc/debian_versi"], ["/etc/debian_version"]),
    ])
    func bashOffersWhatTheTableHolds(words: [String], expected: [String]) throws {
        #expect(try offered(words) == expected)
    }

    @Test func zshDescribesEveryCommand() {
        #expect(zsh.hasPrefix("#compdef deck\n"))
        for function in ["_deck()", "_deck__pair()", "_deck__relay__enable()", "_deck__follow__stop()"] { #expect(zsh.contains("\n" + function)) }
        #expect(zsh.contains("'--port=[The port.]:PORT: '"))
        #expect(zsh.contains("'*--tag=[A tag.]:TAG: '"))
        #expect(zsh.contains("'--log-level=[Print this and what is worse.]:LEVEL:(debug info error)'"))
        #expect(zsh.contains("'--svg=[Write the code to a file.]:FILE:_files'"))
        #expect(zsh.contains("':SIDE:(left right)'"))
        #expect(zsh.hasSuffix("_deck \"$@\"\n"))
    }

    @Test func fishDescribesEveryCommand() {
        #expect(fish.contains("complete -c deck -n '__deck_at \"\"' -a pair -d 'Pair a phone.'\n"))
        #expect(fish.contains("complete -c deck -n '__deck_at \"/pair\"' -s p -l port -x -d 'The port.'\n"))
        #expect(fish.contains("complete -c deck -n '__deck_at \"/pair\"' -l svg -r -F -d 'Write the code to a file.'\n"))
        #expect(fish.contains("complete -c deck -n '__deck_at \"/relay/enable\"' -l log-level -x -a 'debug info error'"))
        #expect(fish.contains("complete -c deck -n '__deck_at \"/look\"' -a 'left right'\n"))
    }

    @Test func quotesBelongToTheText() {
        let spec = CommandSpec("it", summary: "x", flags: [FlagSpec("a", "It's [a]: \\ $HOME `id`.")])
        #expect(Completions.fish(spec).contains("-l a -d 'It\\'s [a]: \\\\ $HOME `id`.'"))
        #expect(Completions.zsh(spec).contains("'--a[It'\\''s (a)\\: \\ $HOME `id`.]'"))
        #expect(shellIdentifier("codex-deck.1") == "codex_deck_1")
    }
}
