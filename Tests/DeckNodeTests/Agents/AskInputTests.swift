import DeckAgents
import FoundationEssentials
import Testing

@testable import DeckNode

struct AskInputTests {
    private let folder = TestFolder()
    private var input: AskInput { AskInput(folder: folder.path) }

    @Test(arguments: [
        (["a", "b"], nil, "a b"), (["a"], "piped\n", "a\n\npiped\n"), (["-"], "piped", "piped"), ([], "piped", "piped"), (["-"], nil, ""),
        (["a"], " \n", "a"), ([" "], nil, ""),
    ] as [([String], String?, String)])
    func wordsAndPipeMakeTheQuestion(words: [String], piped: String?, text: String) throws {
        #expect(try input.text(words: words, piped: piped) == text)
    }

    @Test func filesAreNamedAsTheyWereGiven() throws {
        folder.put("a.txt", "ü\n")
        #expect(try input.file("a.txt") == AgentAsk.File(name: "a.txt", text: "ü\n"))
        #expect(try input.file(folder("a.txt")).name == folder("a.txt"))
    }

    @Test(arguments: [[0xff, 0xfe], [0x61, 0x00, 0x62], [0xc3]] as [[UInt8]])
    func whatIsNoTextIsRefused(bytes: [UInt8]) throws {
        folder.put("b", bytes)
        #expect(throws: (any Error).self) { try input.file("b") }
    }

    @Test(arguments: ["missing", ".", "/dev/zero"])
    func whatIsNoFileIsRefused(path: String) { #expect(throws: (any Error).self) { try input.file(path) } }

    @Test func sizesAreBounded() throws {
        folder.put("c", [UInt8](repeating: 0x61, count: AgentAsk.Limits.textBytes + 1))
        #expect(throws: (any Error).self) { try input.file("c") }
        #expect(try input.image("c").count == AgentAsk.Limits.textBytes + 1, "a picture may be larger than a text")
    }

    @Test(arguments: [
        ("https://example.com/a?b#c", true), ("http://example.com", true), ("ftp://example.com", false), ("example.com", false),
        ("https://a b", false),
        ("https://a\n", false), ("javascript:alert(1)", false), ("", false), ("https://\u{9b}", false),
        ("https://" + String(repeating: "x", count: 2_041), false), ("https://" + String(repeating: "x", count: 2_040), true),
    ])
    func onlyWebAddressesAreLinks(text: String, isGood: Bool) {
        #expect((try? input.url(text)) == (isGood ? text : nil))
    }

    @Test func foldersAreResolved() throws {
        folder.makeFolder("inner")
        #expect(try input.directory("inner").hasSuffix("/inner"))
        #expect(try input.directory("inner/..") == input.directory("."))
        folder.put("file", "")
        #expect(throws: (any Error).self) { try input.directory("file") }
        #expect(throws: (any Error).self) { try input.directory("missing") }
    }
}
