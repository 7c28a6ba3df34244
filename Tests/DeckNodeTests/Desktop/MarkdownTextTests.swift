import Testing

@testable import DeckNode

struct MarkdownTextTests {
    @Test(arguments: [
        ("a", "```\na\n```"), ("", "```\n```"), ("a\n", "```\na\n```"), ("```\nx\n```", "````\n```\nx\n```\n````"), ("`````", "``````\n`````\n``````"),
    ])
    func aFenceIsLongerThanAnyInside(text: String, block: String) { #expect(MarkdownText.block(text) == block) }

    @Test(arguments: [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("", "`  `"), ("a\nb", "`a b`"), ("``a", "``` ``a ```")])
    func codeInALineStaysInIt(text: String, code: String) { #expect(MarkdownText.code(text) == code) }

    @Test(arguments: [("a", "> a"), ("a\n\nb\n", "> a\n>\n> b\n>"), ("```\nopen", "> ```\n> open"), ("a\r\nb", "> a\n> b"), ("# h", "> # h")])
    func aQuotationMarksEveryLine(text: String, quote: String) { #expect(MarkdownText.quote(text) == quote) }

    @Test(arguments: [("a*b_c", "a\\*b\\_c"), ("<script>", "\\<script\\>"), ("# a\n# b", "\\# a \\# b"), ("[x](y)", "\\[x\\](y)")])
    func wordsMarkNothingUp(text: String, words: String) { #expect(MarkdownText.words(text) == words) }

    @Test(arguments: [
        ("a", "a"), ("```\nx\n```", "```\nx\n```"), ("```swift\nx", "```swift\nx\n```"), ("~~~~\nx\n~~~", "~~~~\nx\n~~~\n~~~~"),
        ("````\n```\n", "````\n```\n````"), ("   ```\nx", "   ```\nx\n```"), ("    ```\nx", "    ```\nx"), ("``` a`b\nx", "``` a`b\nx"),
        ("```\nx\n``` no end", "```\nx\n``` no end\n```"), ("``", "``"), ("", ""),
    ])
    func anOpenFenceIsClosed(text: String, closed: String) { #expect(MarkdownText.closed(text) == closed) }

    @Test func theMiddleOfALongTextIsLeftOut() {
        #expect(MarkdownText.cut("abcdefghij", limit: 10) == "abcdefghij")
        #expect(MarkdownText.cut("abcdefghijk", limit: 4) == "ab\n[… 7 bytes left out …]\njk")
        #expect(MarkdownText.cut("abc", limit: 0) == "\n[… 3 bytes left out …]\n")
    }

    @Test(arguments: 0...24)
    func noCharacterIsCutInHalf(limit: Int) {
        let text = "é👩‍👩‍👧ß€é👩‍👩‍👧ß"
        let cut = MarkdownText.cut(text, limit: limit)
        #expect(!cut.unicodeScalars.contains("\u{fffd}"))
        let parts = cut.split(separator: "\n", omittingEmptySubsequences: false)
        let scalars = Array(text.unicodeScalars)
        #expect(scalars.starts(with: parts[0].unicodeScalars))
        #expect(scalars.reversed().starts(with: parts[parts.count - 1].unicodeScalars.reversed()))
        #expect(parts[0].utf8.count <= limit / 2 || parts.count == 1)
    }
}
