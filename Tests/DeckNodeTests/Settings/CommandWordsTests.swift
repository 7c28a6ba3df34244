import Testing

@testable import DeckNode

struct CommandWordsTests {
    @Test(arguments: [
        ("", []), ("   \t ", []), ("make", ["make"]), ("  make   test ", ["make", "test"]),
        ("sh -c 'a && b'", ["sh", "-c", "a && b"]), ("a \"b c\" d", ["a", "b c", "d"]), ("a\\ b", ["a b"]), ("''", [""]), ("a '' b", ["a", "", "b"]),
        ("a'b c'\"d e\"f", ["ab cd ef"]), ("\"a\\\"b\\\\c\\d\"", ["a\"b\\c\\d"]), ("'a\\b'", ["a\\b"]), ("$HOME `x` *;|", ["$HOME", "`x`", "*;|"]),
        ("é\u{2003}ü", ["é", "ü"]),
    ] as [(String, [String])])
    func splitsAsAShellDoes(line: String, words: [String]) { #expect(CommandWords.split(line) == words) }

    @Test(arguments: ["'", "a 'b", "\"a", "a\\", "\"a\\", "'a\"", "\"a'"])
    func refusesWhatIsNotClosed(line: String) { #expect(CommandWords.split(line) == nil) }
}
