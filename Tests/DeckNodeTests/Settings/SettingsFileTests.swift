import Testing

@testable import DeckNode

struct SettingsFileTests {
    private let folder = TestFolder()
    private var file: SettingsFile { SettingsFile(path: folder("config/node.json")) }

    private func setting(_ key: String) throws -> Setting { try #require(SettingTable.row(key)) }

    private func put(_ text: String) { folder.put("config/node.json", text) }

    @Test func withoutAFileTheDefaultsHold() throws {
        let settings = try NodeSettings.load(path: file.path)
        #expect(settings == NodeSettings())
        #expect(settings.titles == .shown)
        #expect(!settings.codexAutostart)
        #expect(settings.playCommand == nil)
        #expect(!settings.commitPrompt.isEmpty && !settings.pullRequestPrompt.isEmpty)
    }

    @Test func readsEverySetting() throws {
        put(
            """
            {"titles": "hidden", "codex": {"home": "/c", "path": "/b/codex", "autostart": true}, "newTask": {"folder": "/w"},
             "prompts": {"commit": "c", "pullRequest": "p"}, "play": {"command": "make 'a b'"}, "review": {"baseBranch": "main"},
             "terminal": {"command": "kitty -1"}}
            """)
        var expected = NodeSettings()
        expected.titles = .hidden
        expected.codexHome = "/c"
        expected.codexPath = "/b/codex"
        expected.codexAutostart = true
        expected.newTaskFolder = "/w"
        expected.commitPrompt = "c"
        expected.pullRequestPrompt = "p"
        expected.playCommand = ["make", "a b"]
        expected.reviewBaseBranch = "main"
        expected.terminalCommand = ["kitty", "-1"]
        #expect(try NodeSettings.load(path: file.path) == expected)
    }

    @Test(arguments: [
        ("{", "not valid JSON"), ("", "not valid JSON"), ("[]", "must hold a JSON object"),
        ("{\"titles\":\"shown\",\"titles\":\"hidden\"}", "not valid JSON"),
        ("{\"titels\":\"hidden\"}", "\"titels\" is not known"), ("{\"titles\":true}", "\"titles\" must be \"shown\" or \"hidden\""),
        ("{\"codex\":{\"home\":\"x\"}}", "\"codex.home\" must be an absolute path"),
        ("{\"codex\":{\"hone\":\"/x\"}}", "\"codex.hone\" is not known"),
        ("{\"codex\":{\"autostart\":\"true\"}}", "\"codex.autostart\" must be true or false"), ("{\"codex\":\"/x\"}", "\"codex\" must be a JSON object"),
        ("{\"codex\":null}", "\"codex\" must be a JSON object"), ("{\"titles\":{\"a\":1}}", "\"titles\" must be"),
        ("{\"codex.autostart\":true}", "must not have a dot in its name"), ("{\"codex\":{\"a.b\":1}}", "is not known"), ("{\"\":1}", "is not known"),
        ("{\"play\":{\"command\":[\"make\"]}}", "\"play.command\" must be a command"), ("{\"codexHome\":\"/x\"}", "\"codexHome\" is not known"),
    ])
    func saysWhatIsWrong(text: String, words: String) {
        put(text)
        let error = #expect(throws: NodeSettingsError.self) { try NodeSettings.load(path: file.path) }
        let sentence = error?.description ?? ""
        #expect(sentence.contains(words))
        #expect(sentence.contains(file.path))
        #expect(!sentence.contains("\n"))
        #expect(folder.text("config/node.json") == text)
    }

    @Test func aKeyFromOutsideCannotCommandTheTerminal() {
        put("{\"\\u001b]52;c;x\\u0007\": 1}")
        let error = #expect(throws: NodeSettingsError.self) { try NodeSettings.load(path: file.path) }
        #expect(error?.description.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    }

    // MARK: Changing

    @Test func writesASettingIntoAFileThatIsNotThereYet() throws {
        #expect(try file.set(setting("codex.autostart"), to: .bool(true)))
        #expect(folder.text("config/node.json") == "{\n  \"codex\": {\n    \"autostart\": true\n  }\n}\n")
        #expect(folder.mode("config/node.json") == 0o600)
        #expect(folder.mode("config") == 0o700)
    }

    @Test func keepsWhatElseTheOwnerWrote() throws {
        put("{\"titles\":\"hidden\",\"codex\":{\"home\":\"/c\"}}")
        try file.set(setting("codex.path"), to: .string("/x/codex"))
        try file.set(setting("prompts.commit"), to: .string("a \"b\" \n é"))
        let settings = try file.load()
        #expect(settings.titles == .hidden)
        #expect(settings.codexHome == "/c")
        #expect(settings.codexPath == "/x/codex")
        #expect(settings.commitPrompt == "a \"b\" \n é")
    }

    @Test func takesASettingOut() throws {
        put("{\"titles\":\"hidden\",\"codex\":{\"home\":\"/c\"}}")
        #expect(try file.set(setting("codex.home"), to: nil))
        #expect(folder.text("config/node.json") == "{\n  \"titles\": \"hidden\"\n}\n")
        #expect(try !file.set(setting("codex.home"), to: nil))
    }

    @Test func takingOutOfNothingMakesNoFile() throws {
        #expect(try !file.set(setting("titles"), to: nil))
        #expect(folder.text("config/node.json") == nil)
    }

    @Test func theSameValueIsNoChange() throws {
        put("{\"titles\":\"hidden\"}")
        #expect(try !file.set(setting("titles"), to: .string("hidden")))
        #expect(folder.text("config/node.json") == "{\"titles\":\"hidden\"}")
    }

    @Test(arguments: ["{\"titles\":7}", "{\"titles\":null}"])
    func aGoodValueMendsABadOne(text: String) throws {
        put(text)
        try file.set(setting("titles"), to: .string("hidden"))
        #expect(try file.load().titles == .hidden)
    }

    @Test(arguments: [
        ("{\"titels\":1}", "titles", "hidden"), ("{", "titles", "hidden"), ("{\"codex\":7}", "codex.path", "/x"),
        ("{\"titles\":\"hidden\"}", "titles", "no"),
    ])
    func whatCannotBeUsedIsNotWritten(text: String, key: String, value: String) throws {
        put(text)
        let setting = try setting(key)
        #expect(throws: NodeSettingsError.self) { try file.set(setting, to: .string(value)) }
        #expect(folder.text("config/node.json") == text)
    }

    @Test func aLinkToTheOwnersOwnFileStays() throws {
        folder.put("dotfiles/node.json", "{}")
        folder.link("config/node.json", to: folder("dotfiles/node.json"))
        try file.set(setting("titles"), to: .string("hidden"))
        #expect(folder.isLink("config/node.json"))
        #expect(folder.text("dotfiles/node.json")?.contains("hidden") == true)
    }

    @Test func tellsASettingOfAFileThatIsNotAllGood() throws {
        put("{\"titles\":\"hidden\",\"x\":1}")
        #expect(try file.value(of: setting("titles")) == .string("hidden"))
        #expect(try file.value(of: setting("codex.home")) == nil)
    }
}
