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
        ("{\"titles\":true}", "\"titles\" must be \"shown\" or \"hidden\""),
        ("{\"codex\":{\"home\":\"x\"}}", "\"codex.home\" must be an absolute path"),
        ("{\"codex\":{\"autostart\":\"true\"}}", "\"codex.autostart\" must be true or false"), ("{\"codex\":\"/x\"}", "\"codex\" must be a JSON object"),
        ("{\"codex\":null}", "\"codex\" must be a JSON object"), ("{\"titles\":{\"a\":1}}", "\"titles\" must be"),
        ("{\"play\":{\"command\":[\"make\"]}}", "\"play.command\" must be a command"),
        ("{\"titels\":1,\"titles\":7}", "\"titles\" must be"),
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

    @Test("What is no setting is told and has no effect", arguments: [
        ("{\"titels\":\"hidden\"}", "\"titels\" is not known"), ("{\"codex\":{\"hone\":\"/x\"}}", "\"codex.hone\" is not known"),
        ("{\"codex.autostart\":true}", "\"codex.autostart\" is ignored, as it has a dot in its name"),
        ("{\"codex\":{\"a.b\":1}}", "is not known"), ("{\"\":1}", "\"\" is not known"), ("{\"codexHome\":\"/x\"}", "\"codexHome\" is not known"),
        ("{\"z\":1,\"a\":{\"b\":2},\"m.n\":3}", "\"a\" and 2 more are not known"),
    ])
    func unknownKeys(text: String, words: String) throws {
        put(text)
        var settings = try file.load()
        let remark = try #require(file.remark(on: settings))
        #expect(remark.contains(words) && remark.contains(file.path) && !remark.contains("\n"))
        settings.unknownKeys = []
        #expect(settings == NodeSettings())
        #expect(folder.text("config/node.json") == text)
    }

    @Test func aFileOfSettingsOnlyIsNotRemarkedOn() throws {
        put("{\"titles\":\"hidden\",\"codex\":{\"autostart\":true}}")
        let settings = try file.load()
        #expect(file.remark(on: settings) == nil)
        #expect(settings.unknownKeys.isEmpty)
    }

    @Test func aKeyFromOutsideCannotCommandTheTerminal() throws {
        put("{\"\\u001b]52;c;x\\u0007\": 1}")
        let remark = try #require(file.remark(on: try file.load()))
        #expect(remark.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func unknownKeysStayWhenASettingChanges() throws {
        put("{\"titels\":1,\"codex\":{\"hone\":[2]}}")
        try file.set(setting("codex.home"), to: .string("/c"))
        let settings = try file.load()
        #expect(settings.codexHome == "/c")
        #expect(settings.unknownKeys == ["codex.hone", "titels"])
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
        ("{\"play\":{\"command\":1}}", "titles", "hidden"), ("{", "titles", "hidden"), ("{\"codex\":7}", "codex.path", "/x"),
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
