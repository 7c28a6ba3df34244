import Files
import JSON
import Testing

@testable import DeckNode

struct ConversationFileTests {
    private let folder = TestFolder()
    private let document = ConversationMarkdown(title: "T", thread: .null, turns: [])

    private func directories() throws -> BaseDirectories { try BaseDirectories(environment: ["HOME": folder("home")]) }

    @Test func overwritesNothing() throws {
        let names = try (1...3).map { _ in try ConversationFile.write(document, title: "Fix: the/parser", date: 1_796_026_705, to: folder.path) }
        #expect(names == ["Fix-the-parser-2026-11-30.md", "Fix-the-parser-2026-11-30-2.md", "Fix-the-parser-2026-11-30-3.md"])
        #expect(folder.text(names[0]) == document.text)
        #expect(folder.mode(names[0]) == 0o600)
    }

    @Test func aLinkInTheWayIsNotFollowed() throws {
        folder.link("T-1970-01-01.md", to: folder("elsewhere"))
        #expect(try ConversationFile.write(document, title: "T", date: 0, to: folder.path) == "T-1970-01-01-2.md")
        #expect(folder.text("elsewhere") == nil)
    }

    @Test func aFolderThatIsNotThereIsSaid() {
        #expect(throws: FileError.self) { try ConversationFile.write(document, title: "T", date: 0, to: folder("gone")) }
    }

    @Test(arguments: [
        ("Fix the parser", "Fix-the-parser"), ("../../etc/passwd", "etc-passwd"), (".hidden", "hidden"),
        ("-rf", "rf"), ("", "conversation"), ("///", "conversation"),
        ("a\u{1b}]0;x\u{7}b\n", "a-0-xb"), ("日本語のタスク", "日本語のタスク"),
        ("a  --  b", "a-b"), ("v1.2_x+y", "v1.2_x+y"), ("…", "conversation"), ("a.", "a"),
    ])
    func namesAreSafe(title: String, name: String) { #expect(ConversationFile.name(title) == name) }

    @Test func longTitlesStillMakeAName() {
        #expect(ConversationFile.name(String(repeating: "é", count: 500)).utf8.count <= 130)
        #expect(ConversationFile.name("a" + String(repeating: "\u{301}", count: 5_000)).utf8.count <= 200)
    }

    @Test func goesToTheFolderForDownloads() throws {
        let downloads = folder.makeFolder("dl")
        #expect(try ConversationFile.folder(variables: ["XDG_DOWNLOAD_DIR": downloads + "/"], directories: directories()) == downloads)
        let german = folder.makeFolder("home/Meine Downloads")
        folder.put("home/.config/user-dirs.dirs", "# c\nXDG_DESKTOP_DIR=\"$HOME/x\"\nXDG_DOWNLOAD_DIR=\"$HOME/Meine Downloads\"\n")
        #expect(try ConversationFile.folder(variables: [:], directories: directories()) == german)
    }

    @Test(arguments: [
        "XDG_DOWNLOAD_DIR=\"$HOME/\"", "XDG_DOWNLOAD_DIR=\"$HOME/gone\"", "XDG_DOWNLOAD_DIR=\"relative\"", "XDG_DOWNLOAD_DIR=\"",
        "XDG_DOWNLOAD_DIR=/a /b", "",
    ])
    func elseToOneOfOurs(line: String) throws {
        folder.put("home/.config/user-dirs.dirs", line + "\n")
        let path = try ConversationFile.folder(variables: ["XDG_DOWNLOAD_DIR": "nowhere"], directories: directories())
        #expect(path == folder("home/.local/share/codex-deck/conversations"))
        #expect(folder.mode("home/.local/share/codex-deck/conversations") == 0o700)
    }
}
