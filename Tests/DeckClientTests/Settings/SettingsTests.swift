import JSON
import RelayProtocol
import Testing

@testable import DeckClient

struct SettingsTests {
    private static func document(_ text: String) throws -> SettingsDocument { try SettingsDocument(decoding: Array(text.utf8)) }

    @Test func nothingWrittenMeansTheDefaults() throws {
        let (settings, problems) = try Self.document("{}").settings()
        #expect(settings == ClientSettings())
        #expect(problems == [])
        #expect(!settings.notifications)
        #expect(!settings.showTaskTitles)
        #expect(settings.receipts == .minimal)
        #expect(settings.alwaysShowCriticalErrors)
        #expect(settings.contextRings)
        #expect(!settings.bell)
    }

    @Test func everySettingGoesThroughTheFile() throws {
        for setting in ClientSetting.all {
            let words: [String] =
                switch setting.kind {
                case .boolean: ["true", "false"]
                case .choice(let words): words
                case .host: [Lab.hostID(3).uuid]
                }
            for word in words {
                var document = SettingsDocument()
                document.set(setting, to: try setting.value(ofWord: word))
                let (settings, problems) = try SettingsDocument(decoding: document.encoded()).settings()
                #expect(setting.text(settings) == word, "\(setting.key)")
                #expect(problems == [], "\(setting.key)")
                #expect(SettingsDocument(settings).settings().settings == settings, "\(setting.key)")
                document.set(setting, to: nil)
                #expect(document == SettingsDocument(), "\(setting.key)")
            }
        }
    }

    @Test func keysAreUniqueAndFoundInAnyCase() {
        #expect(Set(ClientSetting.all.map(\.key)).count == ClientSetting.all.count)
        #expect(ClientSetting.named("SHOWTASKTITLES")?.key == "showTaskTitles")
        #expect(ClientSetting.named("layouts.coding.act10_act11")?.key == "layouts.coding.ACT10_ACT11")
        #expect(ClientSetting.named("layouts") == nil)
    }

    @Test(arguments: [("notifications", "maybe"), ("receipts", "loud"), ("authority", "vm"), ("layout", "mine"), ("layouts.coding.ACT06", "NONE")])
    func wordsThatDoNotFitAreRefused(key: String, word: String) throws {
        let setting = try #require(ClientSetting.named(key))
        #expect(throws: SettingsError.invalid(key: key, requirement: setting.kind.requirement)) { try setting.value(ofWord: word) }
    }

    @Test(arguments: [("yes", true), ("ON", true), ("false", false), ("no", false)])
    func flagsTakeTheUsualWords(word: String, value: Bool) throws {
        #expect(try ClientSetting.named("bell")?.value(ofWord: word) == .bool(value))
    }

    @Test func aValueThatDoesNotFitCountsAsItsDefaultAndIsNamed() throws {
        let text = #"{"notifications": "yes", "receipts": "detailed", "layouts": {"coding": {"ACT06": "PLAY", "ACT07": 7}}, "future": {"x": 1}}"#
        let (settings, problems) = try Self.document(text).settings()
        #expect(!settings.notifications)
        #expect(settings.receipts == .detailed)
        #expect(settings.layouts.keycap(on: .act06, in: .coding) == .play)
        #expect(settings.layouts.keycap(on: .act07, in: .coding) == .approve)
        #expect(problems.count == 3)
        #expect(problems.contains { $0.contains("\"future\"") })
    }

    @Test func whatThisVersionDoesNotKnowStaysInTheFile() throws {
        var document = try Self.document(#"{"future": [1, {"a": null}], "layouts": {"new": {"ACT06": "FAST"}}}"#)
        document.set(try #require(ClientSetting.named("bell")), to: true)
        document.set(layouts: LayoutBook())
        #expect(
            String(decoding: document.encoded(), as: UTF8.self).filter { !$0.isWhitespace }
                == #"{"bell":true,"future":[1,{"a":null}],"layouts":{"new":{"ACT06":"FAST"}}}"#)
    }

    @Test(arguments: ["", "[]", "true", "{", "{\"a\":1,}", String(repeating: "[", count: 100), "{\"a\":1} x"])
    func whatIsNoObjectIsDamaged(text: String) {
        #expect(throws: SettingsError.damaged) { try Self.document(text) }
    }

    @Test func aFileThatIsTooLargeIsDamaged() {
        #expect(throws: SettingsError.damaged) { try Self.document("{\"a\":\"" + String(repeating: "x", count: 65_536) + "\"}") }
    }
}

struct LayoutTests {
    private static let computer = KeyLayout(
        slots: [
            .act06: .init(keycapID: "BUG"), .act07: .init(keycapID: "NOT-YET-KNOWN"), .act08: .init(keycapID: "MIC"),
            .act10And11: .init(keycapID: "SPLIT", commandID: "x"),
        ], analogStick: [:])

    private static func labels(_ book: LayoutBook) -> [String] { book.keys(host: computer).map(\.label) }

    @Test(arguments: [
        (LayoutProfile.coding, ["FAST", "APPR", "REJ", "SPLIT", "MIC", "CODEX"]), (.review, ["DIFF", "APPR", "REJ", "BRCH", "MRG", "PR"]),
        (.mobile, ["FAST", "APPR", "REJ", "NEW", "MIC", "CODEX"]), (.automatic, ["BUG", "NOT-YET-KNOWN", "MIC", "", "SPLIT", ""]),
    ])
    func profilesBringTheirKeys(profile: LayoutProfile, expected: [String]) {
        var book = LayoutBook()
        book.active = profile
        #expect(Self.labels(book) == expected)
    }

    @Test func keysOfTheComputerGoOutAsTheirPlaceAndOwnOnesByName() throws {
        var book = LayoutBook()
        var keys = book.keys(host: Self.computer)
        #expect(keys[0].plan() == .action(.act06))
        #expect(keys[1].plan() == .action(.act07))
        #expect(keys[2].plan() == .action(.act10And11))
        book.assign(.diff, to: .act07, in: .automatic)
        keys = book.keys(host: Self.computer)
        #expect(keys[1].plan() == .keycap(.diff))
        #expect(keys[0].plan() == .action(.act06))
        book.active = .coding
        #expect(book.keys(host: nil)[4].plan() == .action(.act10And11))
        #expect(book.keys(host: nil)[0].plan() == .single(.keycap(.fast, task: nil)))
    }

    @Test func profilesDoNotShareTheirKeys() {
        var book = LayoutBook()
        book.assign(.play, to: .act06, in: .coding)
        #expect(book.keycap(on: .act06, in: .coding) == .play)
        #expect(book.keycap(on: .act06, in: .mobile) == .fast)
        book.assign(nil, to: .act06, in: .coding)
        #expect(book == LayoutBook())
        book.assign(.fast, to: .act06, in: .coding)
        #expect(book == LayoutBook())
        book.assign(.play, to: .act06, in: .coding)
        book.reset(.coding)
        #expect(book == LayoutBook())
    }

    @Test func onlyKnownKeysAreImported() {
        var book = LayoutBook()
        book.active = .review
        let copied = book.importKeys(of: Self.computer)
        #expect(copied == [.act06, .act08, .act10And11])
        #expect(Self.labels(book) == ["BUG", "APPR", "MIC", "BRCH", "SPLIT", "PR"])
        #expect(book.keycap(on: .act06, in: .coding) == .fast)
    }

    @Test func aNameOfAnotherComputerIsMadeHarmless() {
        let hostile = KeyLayout(slots: [.act06: .init(keycapID: "A\u{1b}[2J" + String(repeating: "x", count: 99))], analogStick: [:])
        #expect(LayoutBook().keys(host: hostile)[0].label == "A[2Jxxxxxxxxxxxx")
    }
}
