import Files
import Testing

@testable import DeckNode

struct ComposerDraftTests {
    private let folder = TestFolder()
    private var draft: ComposerDraft { ComposerDraft(directory: folder("state")) }

    @Test func keepsADraftForItsOwnerOnly() throws {
        #expect(try draft.load() == nil)
        try draft.save("Fix the test\n\n\tand é\n")
        #expect(try draft.load() == "Fix the test\n\n\tand é")
        #expect(folder.mode("state/composer.txt") == 0o600)
        #expect(folder.mode("state") == 0o700)
        try draft.save("another")
        #expect(try draft.load() == "another")
        #expect(try draft.clear())
        #expect(try !draft.clear())
        #expect(try draft.load() == nil)
    }

    @Test(arguments: [
        ("a", "a"), ("a\r\nb\r\n", "a\nb"), ("\n \n  a\n  b  \n\t\n", "  a\n  b  "),
        ("\u{feff}a", "a"), ("a\n\nb", "a\n\nb"), ("👩‍👩‍👧 ок", "👩‍👩‍👧 ок"),
    ])
    func cleansWhatIsKept(text: String, kept: String) throws { #expect(try ComposerDraft.cleaned(text) == kept) }

    @Test(arguments: ["", " ", "\n\n", "\t \r\n", "\u{feff}", "\u{2003}"])
    func refusesABlankDraft(text: String) { #expect(throws: ComposerDraftError.blank) { try ComposerDraft.cleaned(text) } }

    @Test(arguments: ["a\u{1b}[2J", "\u{0}", "a\rb", "a\u{7f}", "\u{9b}c"])
    func refusesControlCharacters(text: String) { #expect(throws: ComposerDraftError.notText) { try ComposerDraft.cleaned(text) } }

    @Test(arguments: [(ComposerDraft.maximumBytes, true), (ComposerDraft.maximumBytes + 1, false), (1 << 20, false)])
    func boundsTheDraft(bytes: Int, isGood: Bool) throws {
        let text = String(repeating: "x", count: bytes)
        if isGood {
            try draft.save(text)
            #expect(try draft.load() == text)
        } else {
            #expect(throws: ComposerDraftError.tooLong) { try draft.save(text) }
        }
    }

    @Test func aRefusedDraftLeavesTheFormerOne() throws {
        try draft.save("former")
        #expect(throws: ComposerDraftError.self) { try draft.save("\u{1b}") }
        #expect(try draft.load() == "former")
    }

    @Test func aSentDraftGoesAndOneWrittenMeanwhileStays() throws {
        try draft.save("one")
        let sent = try #require(try draft.load())
        try draft.save("two")
        #expect(try !draft.clear(ifStill: sent))
        #expect(try draft.load() == "two")
        #expect(try draft.clear(ifStill: "two"))
        #expect(try !draft.clear(ifStill: "two"))
    }

    @Test(arguments: [[0xff, 0xfe], [0x61, 0xc3]] as [[UInt8]])
    func aFileThatIsNoTextIsToldAndKept(bytes: [UInt8]) throws {
        folder.put("state/composer.txt", bytes)
        #expect(throws: ComposerDraftError.notText) { try draft.load() }
        #expect(try !draft.clear(ifStill: "a"))
        #expect(folder.names("state").contains("composer.txt"))
    }

    @Test func aFileThatIsTooLongIsTold() {
        folder.put("state/composer.txt", String(repeating: "x", count: ComposerDraft.maximumBytes + 1))
        #expect(throws: ComposerDraftError.tooLong) { try draft.load() }
    }

    @Test func aLinkIsNotFollowed() {
        folder.put("secret", "secret")
        folder.link("state/composer.txt", to: folder("secret"))
        #expect(throws: ComposerDraftError.self) { try draft.load() }
    }

    @Test func anOpenFileIsClosedToOthers() throws {
        folder.put("state/composer.txt", "a", mode: 0o644)
        #expect(try draft.load() == "a")
        #expect(folder.mode("state/composer.txt") == 0o600)
    }

    @Test func noErrorTellsTheWords() {
        let canary = "canary-7391\u{1b}"
        let error = #expect(throws: ComposerDraftError.self) { try draft.save(canary) }
        #expect(error?.description.contains("canary") == false)
    }
}
