import Testing

@testable import DeckNode

struct TextEditorTests {
    private let folder = TestFolder()

    private func editor(_ script: String, name: String = "edit") -> String { folder.put("bin/\(name)", "#!/bin/sh\n\(script)\n", mode: 0o700) }

    @Test func returnsWhatTheEditorLeft() throws {
        let path = editor("/bin/cat \"$2\" >\"\(folder("seen"))\"; /bin/ls -l \"$2\" >\"\(folder("mode"))\"; echo \"$1 new\" >\"$2\"")
        let editor = try #require(TextEditor(variables: ["EDITOR": "'\(path)' --wait"]))
        #expect(try editor.edit("old", in: folder("state")) == "--wait new\n")
        #expect(folder.text("seen") == "old")
        #expect(folder.text("mode")?.hasPrefix("-rw-------") == true)
        #expect(folder.names("state") == [])
    }

    @Test func anEditorThatFailsChangesNothing() throws {
        let editor = try #require(TextEditor(variables: ["EDITOR": editor("exit 3")]))
        #expect(throws: TextEditorError.failed(3)) { try editor.edit("old", in: folder("state")) }
        #expect(folder.names("state") == [])
        let killed = try #require(TextEditor(variables: ["EDITOR": self.editor("kill -9 $$")]))
        #expect(throws: TextEditorError.failed(nil)) { try killed.edit("old", in: folder("state")) }
    }

    @Test func anEditorThatIsNotThereIsNamed() throws {
        let editor = try #require(TextEditor(variables: ["EDITOR": "/nowhere/ed"]))
        let error = #expect(throws: TextEditorError.self) { try editor.edit("", in: folder("state")) }
        #expect(error?.description.contains("/nowhere/ed") == true)
    }

    @Test func takesTheOwnersChoiceFirst() {
        let usual = editor("", name: "nano")
        let path = folder("bin")
        #expect(TextEditor(variables: ["VISUAL": "code --wait", "EDITOR": "vi", "PATH": path])?.command == ["code", "--wait"])
        #expect(TextEditor(variables: ["VISUAL": "", "EDITOR": "vi", "PATH": path])?.command == ["vi"])
        #expect(TextEditor(variables: ["VISUAL": "'", "PATH": path])?.command == [usual])
        #expect(TextEditor(variables: ["PATH": folder("none")]) == nil)
    }
}
