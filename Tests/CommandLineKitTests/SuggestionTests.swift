import Testing

@testable import CommandLineKit

struct SuggestionTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1), ("pari", "pair", 1),
        ("kitten", "sitting", 3),
        ("ab", "ba", 1), ("é", "e", 1),
    ])
    func countsSlips(left: String, right: String, expected: Int) {
        #expect(Suggestion.distance(left, right) == expected)
        #expect(Suggestion.distance(right, left) == expected)
    }

    @Test(
        arguments: [
            ("stauts", "status"), ("serv", "serve"), ("diag", "diagnostics"), ("s", nil), ("x", nil), ("zzzz", nil), ("", nil), ("pear", nil),
        ] as [(String, String?)])
    func suggestsOnlyWhatIsNear(text: String, expected: String?) {
        #expect(Suggestion.nearest(to: text, in: ["status", "serve", "pair", "diagnostics"]) == expected)
    }

    @Test func suggestsNothingFromNothing() { #expect(Suggestion.nearest(to: "pair", in: []) == nil) }

    @Test func anEndlessWordIsNotCompared() { #expect(Suggestion.nearest(to: String(repeating: "a", count: 1_000_000), in: ["pair"]) == nil) }
}
