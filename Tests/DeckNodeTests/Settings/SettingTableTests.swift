import CommandLineKit
import JSON
import Testing

@testable import DeckNode

struct SettingTableTests {
    @Test func theTableIsSound() {
        let keys = SettingTable.rows.map(\.key)
        #expect(Set(keys).count == keys.count)
        for setting in SettingTable.rows {
            #expect(setting.summary.hasSuffix("."))
            #expect(!setting.fallback.isEmpty)
            // A setting that is an object of settings as well could not be written down.
            #expect(!keys.contains { $0.hasPrefix(setting.key + ".") })
        }
        #expect(NodeCommands.spec.problems() == [])
    }

    @Test func helpTellsEverySetting() throws {
        let help = try Program(NodeCommands.spec, version: "1").help(["config"], columns: 100)
        for setting in SettingTable.rows { #expect(help.contains(setting.key)) }
    }

    /// Each value must reach the settings: a row that stores nothing would go unnoticed.
    @Test(arguments: [
        ("titles", .string("hidden")), ("codex.home", .string("/c")), ("codex.path", .string("/c/codex")), ("codex.autostart", .bool(true)),
        ("newTask.folder", .string("/w")), ("prompts.commit", .string("commit")), ("prompts.pullRequest", .string("pr")),
        ("play.command", .string("make test")), ("review.baseBranch", .string("main")), ("terminal.command", .string("kitty --hold")),
        ("agents.session", .string("codex")), ("agents.model", .string("m")), ("agents.effort", .string("high")), ("agents.sessionFile", .bool(true)),
        ("agents.baseUrl", .string("http://127.0.0.1:8080/v1")), ("agents.issuer", .string("https://sign.example")), ("agents.clientId", .string("c")),
    ] as [(String, JSONValue)])
    func everySettingIsStored(key: String, value: JSONValue) throws {
        let setting = try #require(SettingTable.row(key))
        #expect(setting.kind.accepts(value))
        var settings = NodeSettings()
        setting.store(&settings, value)
        #expect(settings != NodeSettings())
    }

    @Test func theListOfSamplesAboveIsComplete() { #expect(SettingTable.rows.count == 17) }

    @Test(arguments: [
        ("titles", "shown", true), ("titles", "Hidden", false), ("titles", "", false),
        ("codex.autostart", "true", true), ("codex.autostart", "off", true), ("codex.autostart", "YES", true), ("codex.autostart", "1", false),
        ("codex.home", "/a", true), ("codex.home", "a", false), ("codex.home", "~/a", false), ("codex.home", "", false), ("codex.home", "/a\n", false),
        ("prompts.commit", " x ", true), ("prompts.commit", " \n", false), ("prompts.commit", "a\u{0}b", false),
        ("play.command", "make test", true), ("play.command", "", false), ("play.command", "''", false), ("play.command", "a 'b", false),
        ("play.command", "a\nb", false),
        ("review.baseBranch", "origin/main", true), ("review.baseBranch", "-x", false), ("review.baseBranch", "a..b", false),
        ("review.baseBranch", "a b", false), ("review.baseBranch", "", false), ("review.baseBranch", "a^", false), ("review.baseBranch", "a/", false),
        ("agents.effort", "xhigh", true), ("agents.effort", "huge", false), ("agents.session", "other", false),
        ("agents.baseUrl", "https://a.example/x", true), ("agents.baseUrl", "http://localhost:8080", true), ("agents.baseUrl", "http://[::1]:1/v1", true),
        ("agents.baseUrl", "http://127.9.9.9", true), ("agents.baseUrl", "http://a.example", false), ("agents.baseUrl", "http://127.0.0.1.a.example", false),
        ("agents.baseUrl", "http://localhost@a.example", false), ("agents.baseUrl", "http://127.0.0.1:0", false), ("agents.baseUrl", "https://", false),
        ("agents.baseUrl", "http://127.0.0.1:99999", false), ("agents.baseUrl", "http://127.0.0.256", false), ("agents.baseUrl", "ftp://localhost", false),
        ("agents.baseUrl", "https://a?b", false), ("agents.baseUrl", "https://a b", false), ("agents.baseUrl", "http://[::1", false),
        ("agents.issuer", "http://192.168.1.2", false), ("agents.baseUrl", "http://localhost\\@a.example", false), ("agents.baseUrl", "", false),
    ])
    func wordsAreChecked(key: String, word: String, isGood: Bool) throws {
        let kind = try #require(SettingTable.row(key)?.kind)
        #expect(kind.accepts(kind.value(ofWord: word)) == isGood)
    }

    @Test(arguments: [(8_192, true), (8_193, false)])
    func textIsBounded(bytes: Int, isGood: Bool) { #expect(SettingKind.text.accepts(.string(String(repeating: "x", count: bytes))) == isGood) }

    @Test(arguments: [JSONValue.null, .number(1), .array([]), .object([:]), .string("true")])
    func aBooleanIsNothingElse(value: JSONValue) { #expect(!SettingKind.boolean.accepts(value)) }
}
