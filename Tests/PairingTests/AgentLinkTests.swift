import RelayProtocol
import Testing

@testable import Pairing

struct AgentLinkTests {
    static let uuid = "0194d2f0-7b1c-7000-8000-00000000abcd"

    @Test func readsAllParts() throws {
        let link = try AgentLink("codexdeck://agent/\(Self.uuid.uppercased())?title=Fix+the%20build&platform=win32&more=1")
        #expect(link == AgentLink(task: try #require(TaskIdentity(Self.uuid)), title: "Fix the build", platform: .windows))
    }

    @Test func needsNothingButTheIdentity() throws {
        #expect(try AgentLink("codexdeck://agent/\(Self.uuid)") == AgentLink(task: try #require(TaskIdentity(Self.uuid))))
    }

    @Test func writesWhatItReads() throws {
        let link = AgentLink(task: try #require(TaskIdentity(Self.uuid)), title: "a&b=c+ü", platform: .mac)
        #expect(try AgentLink(link.text) == link)
        #expect(AgentLink(task: link.task).text == "codexdeck://agent/\(Self.uuid)")
    }

    @Test("Scheme and host are read in any case, with blanks around them", arguments: [
        "CodexDeck://AGENT/\(uuid)", " codexdeck://agent/\(uuid)\r\n",
    ])
    func isTolerantOfCase(text: String) throws {
        #expect(try AgentLink(text).task.uuid == Self.uuid)
    }

    @Test func takesControlsOutOfTitles() throws {
        #expect(try AgentLink("codexdeck://agent/\(Self.uuid)?title=a%1b%5D52;c%07b").title == "a]52;cb")
        #expect(try AgentLink("codexdeck://agent/\(Self.uuid)?title=%0a%20").title == nil)
    }

    @Test func cutsLongTitlesBetweenCharacters() throws {
        let letter = "ü"
        let long = CodexDeckURL.encoded(String(repeating: letter, count: 241))
        #expect(try AgentLink("codexdeck://agent/\(Self.uuid)?title=\(long)").title == String(repeating: letter, count: 240))
    }

    @Test func forgetsUnknownPlatforms() throws {
        #expect(try AgentLink("codexdeck://agent/\(Self.uuid)?platform=amiga").platform == nil)
    }

    @Test("What names no task", arguments: [
        ("codexdeck://agent", AgentLinkError.notATaskLink), ("codexdeck://agent?title=x", .notATaskLink), ("codexdeck://pair?x=1", .notATaskLink),
        ("https://agent/\(uuid)", .notATaskLink), ("codexdeck://agent/", .noIdentity), ("codexdeck://agent/\(uuid)/", .noIdentity),
        ("codexdeck://agent/local:\(uuid)", .noIdentity), ("codexdeck://agent//\(uuid)", .noIdentity),
        ("codexdeck://agent:80/\(uuid)", .notATaskLink), ("codexdeck://me@agent/\(uuid)", .notATaskLink),
        ("codexdeck:agent/\(uuid)", .notATaskLink), ("codexdeck://agent/\(uuid)/approve", .noIdentity),
        ("codexdeck://agent/\(uuid)%20", .noIdentity), ("codexdeck://agent/\(uuid)0", .noIdentity),
        ("codexdeck://agent/\(uuid)#top", .malformed), ("codexdeck://agent/\(uuid)?title=%ff", .malformed),
        ("codexdeck://agent/\(uuid)?title=%00", .malformed), ("codexdeck://agent/\(uuid) x", .malformed), ("", .notATaskLink),
        ("codexdeck://agent/\(uuid)?title=%", .malformed), ("codexdeck://agent/\(uuid)?title=a&title=b", .malformed),
        ("codexdeck://agent/" + String(repeating: "x", count: 5000), .tooLong),
    ])
    func refuses(text: String, error: AgentLinkError) {
        #expect(throws: error) { try AgentLink(text) }
    }

    @Test func tellsTheTwoKindsApart() throws {
        #expect(try DeckLink("codexdeck://agent/\(Self.uuid)") == .agent(AgentLink("codexdeck://agent/\(Self.uuid)")))
        #expect(try DeckLink(Fixture.link()) == .pair(PairingLink(Fixture.link())))
        #expect(throws: PairingLinkError.notAPairingLink) { try DeckLink("codexdeck://format-disk") }
        #expect(throws: AgentLinkError.noIdentity) { try DeckLink("codexdeck://agent/x") }
    }
}
