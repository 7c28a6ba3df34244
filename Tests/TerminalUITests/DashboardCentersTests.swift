import RelayProtocol
import Testing

@testable import DeckClient
@testable import TerminalUI

struct DashboardDetailTests {
    @Test func showsAllThatIsKnown() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        #expect(screen.update(.key(.enter)) == [.apply(.mark([9], read: true))], "its events are read now")
        let texts = [
            "Fix the login redirect loop", "approve?, open", "L atelier (Linux), ready", "direct (nearby)", "45 %", "2 min ago, 09:58",
            "now, 10:00, fresh", "off",
        ]
        for text in texts { #expect(screen.text.contains(text), "\(text)") }
        #expect(screen.update(.state(Fixture.full, now: Fixture.now)) == [], "marked once")
        #expect(screen.type("f") == [.apply(.follow(Fixture.identity(1)))])
        #expect(screen.type("o") == [.open(Fixture.identity(1))])
        #expect(screen.type("F") == [.keycap(.fast, Fixture.identity(1))])
        #expect(screen.type("a") == [])
        #expect(screen.type("y") == [.approve(Fixture.identity(1))])
        #expect(screen.update(.key(.escape)) == [])
        #expect(screen.view == .board)
    }

    @Test("An event that comes while its task is looked at is read") func marksWhatComes() {
        var state = Fixture.full
        state.attention = []
        var screen = Fixture.screen(80, 24, state)
        #expect(screen.update(.show(Fixture.identity(1))) == [])
        #expect(screen.update(.state(Fixture.full, now: Fixture.now)) == [.apply(.mark([9], read: true))])
    }

    @Test func keysActOnTheShownTaskWhateverHasTheFocus() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.update(.show(Fixture.identity(3)))
        #expect(screen.focus.slot == 0)
        #expect(screen.type("o") == [.open(Fixture.identity(3))])
        #expect(screen.type("a") == [], "it does not wait")
        #expect(screen.prompt == nil)
    }

    @Test func aTaskThatGoesStaysAsARecord() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.update(.key(.enter))
        var state = Fixture.full
        state.board = .empty
        _ = screen.update(.state(state, now: Fixture.now))
        #expect(screen.text.contains("Fix the login redirect loop"))
        #expect(screen.text.contains("not on a key now: no computer shows this task"))
        #expect(screen.type("o") == [])
        #expect(screen.type("a") == [])
        #expect(screen.prompt == nil)
    }

    @Test func namesTheMirrors() {
        let slots = [Fixture.slot(0, "Shared", .working, task: 1)]
        var mirrored = slots
        mirrored[0].ownedByHost = false
        let views = [
            Fixture.view(1, "atelier", snapshot: Fixture.snapshot(slots)),
            Fixture.view(2, "studio", os: "macos", snapshot: Fixture.snapshot(mirrored)),
        ]
        var screen = Fixture.screen(80, 24, ClientState(board: Fixture.board(views), nodes: []))
        _ = screen.update(.key(.enter))
        #expect(screen.text.contains("direct (nearby), mirrored by studio"))
    }

    @Test("A wish to show a task drops the question about another one") func showDropsTheQuestion() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("a")
        _ = screen.update(.show(Fixture.identity(2)))
        #expect(screen.type("y") == [])
    }

    @Test("Even the smallest screen reaches every fact") func scrolls() {
        var screen = Fixture.screen(40, 12, Fixture.full)
        _ = screen.update(.key(.enter))
        var seen = screen.text
        for _ in 0..<12 {
            _ = screen.update(.key(.down))
            seen += screen.text
        }
        for name in ["State", "Key", "Owner", "Route", "Activity", "Context", "Heard", "Follow", "Id"] { #expect(seen.contains(" \(name) ")) }
    }
}

struct DashboardAttentionTests {
    private func center() -> DashboardScreen {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("b")
        return screen
    }

    @Test func marksAndRemoves() {
        var screen = center()
        #expect(screen.type(" ") == [.apply(.mark([9], read: true))])
        _ = screen.update(.key(.down))
        #expect(screen.type("x") == [.apply(.remove([8]))])
        #expect(screen.view == .attention(AttentionPlace(chosen: 7)), "the choice is on the event below")
        #expect(screen.type("A") == [.apply(.mark([9, 8, 7, 6, 5], read: true))])
        _ = screen.update(.key(.end))
        #expect(screen.type("x") == [.apply(.remove([5]))])
        #expect(screen.view == .attention(AttentionPlace(chosen: 6)))
    }

    @Test("Enter looks the task up now") func opens() {
        var screen = center()
        #expect(screen.update(.key(.enter)) == [.apply(.mark([9], read: true))])
        #expect(screen.view == .detail(Fixture.identity(1), title: "Fix the login redirect loop", offset: 0))
        _ = screen.update(.key(.escape))
        for _ in 0..<2 { _ = screen.update(.key(.down)) }
        #expect(screen.update(.key(.enter)) == [.apply(.mark([7], read: true))])
        #expect(screen.text.contains("the event stays as a record"))
    }

    @Test("New events do not move the choice") func staysWithItsEvent() {
        var screen = center()
        _ = screen.update(.key(.down))
        var state = Fixture.full
        state.attention.insert(Fixture.event(10, .error, task: 5, "New"), at: 0)
        _ = screen.update(.state(state, now: Fixture.now))
        #expect(screen.type("x") == [.apply(.remove([8]))])
    }

    @Test("Filters go round", arguments: [("h", 3, 2), ("o", 4, 0), ("k", 6, 0)]) func filters(key: String, steps: Int, second: Int) {
        var screen = center()
        let all = screen.render()
        var shown: Set<String> = []
        for _ in 0..<steps {
            _ = screen.type(key)
            shown.insert(screen.text)
        }
        #expect(screen.render() == all, "after the last value all are shown again")
        #expect(shown.count == steps)
    }

    @Test func filtersByHostAndReadMark() {
        var screen = center()
        _ = screen.type("hh")
        #expect(screen.text.contains("Write the release notes"))
        #expect(!screen.text.contains("Find the memory leak"))
        #expect(screen.type("A") == [.apply(.mark([7, 5], read: true))], "only what is shown")
        _ = screen.type("hu")
        #expect(!screen.text.contains("Import the customers"))
        #expect(screen.text.contains("Find the memory leak"))
    }

    @Test func nothingToDoWithoutEvents() {
        var screen = Fixture.screen(80, 24, Fixture.one)
        _ = screen.type("b")
        for key in ["x", " ", "A"] { #expect(screen.type(key) == []) }
        #expect(screen.update(.key(.enter)) == [])
        #expect(screen.text.contains("Nothing happened in the last 7 days."))
    }
}

struct DashboardNodesTests {
    @Test func testsAndCopies() throws {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("n")
        let texts = ["atelier", "wss://10.66.0.1:47653", "0.163.0", "Pinned", "rollouts", "agent keycap usage"]
        for text in texts { #expect(screen.text.contains(text), "\(text)") }
        #expect(screen.type("t") == [.test("profile-1")])
        #expect(screen.type("t") == [], "one at a time")
        _ = screen.update(.tested("profile-1", .answered(milliseconds: 42)))
        #expect(screen.text.contains("answered within 42 ms"))
        let effects = screen.type("c")
        guard case .copy(let text)? = effects.first else {
            Issue.record("nothing was copied")
            return
        }
        #expect(text.contains("system: Linux") && text.contains("test: 42 ms"))
        _ = screen.type(" ")
        #expect(screen.text.contains("10.66.0.1:47653"), "what has room is not scrolled away")
        for secret in ["atelier", "studio", "10.66", "10000000-", "Fix the login", "profile-"] { #expect(!text.contains(secret), "\(secret)") }
        _ = screen.update(.key(.down))
        #expect(screen.type("t") == [.test("profile-2")])
        _ = screen.update(.tested("profile-2", .failed("no\u{1b}[2J route")))
        #expect(screen.text.contains("no[2J route"))
        #expect(screen.type("r") == [.reconnect])
    }
}

struct DashboardFactsTests {
    @Test("Even the smallest screen reaches every fact of a node, and comes back to the first") func scrolls() {
        var screen = Fixture.screen(40, 12, Fixture.full)
        _ = screen.type("n")
        let first = screen.text
        #expect(first.contains("Space more"))
        var seen = first
        for _ in 0..<8 {
            _ = screen.type(" ")
            seen += screen.text
        }
        let names = ["State", "Test", "System", "Codex", "Route", "Pinned", "Protocol", "Bridge", "Snapshot", "Can", "Address", "Computer", "Remove"]
        for name in names {
            #expect(seen.contains(" \(name) "), "\(name)")
        }
        var back = false
        for _ in 0..<20 where !back {
            _ = screen.type(" ")
            back = screen.text == first
        }
        #expect(back)
    }
}

struct DashboardAbsenceTests {
    private let stranger = Fixture.identity(77)

    private func text(_ nodes: [ClientState.Node], _ attention: [AttentionEvent] = []) -> String {
        var screen = Fixture.screen(80, 24, nil)
        _ = screen.update(.show(stranger))
        #expect(screen.text.contains("State       not known yet"), "nothing at all is known")
        var state = ClientState(board: .empty, nodes: nodes)
        state.attention = attention
        _ = screen.update(.state(state, now: Fixture.now))
        #expect(screen.type("o") == [])
        return screen.text
    }

    @Test("Before all computers were heard nothing is said to be gone") func isNotGoneBeforeItIsKnown() {
        let heard = Fixture.node(1, "desk", host: nil)
        let coming = Fixture.node(2, "box", health: .connecting, host: nil, seen: nil)
        let away = Fixture.node(3, "bo\u{1b}[2Jx", health: .offline(reason: "no route"), host: nil, seen: nil)
        var duplicate = coming
        duplicate.profile.duplicateOf = "profile-1"
        #expect(text([heard]).contains("not on a key now: no computer shows this task"))
        #expect(text([heard, coming, away]).contains("not known yet: box has not told its tasks so far"))
        #expect(text([heard, away]).contains("not known: bo[2Jx was not reached so far"))
        #expect(text([heard, duplicate]).contains("not on a key now: "))
    }

    @Test("An event names the computer to wait for") func eventNamesTheComputer() {
        let event = Fixture.event(1, .approval, task: 77, "Old")
        let other = Fixture.node(2, "box", health: .connecting, host: nil, seen: nil)
        var owner = Fixture.node(1, "atelier", health: .connecting, host: nil, seen: nil)
        owner.profile.hostID = Fixture.hostID(1)
        #expect(text([other], [event]).contains("not on a key now: "))
        #expect(text([other, owner], [event]).contains("not known yet: atelier has not"))
        var screen = Fixture.screen(80, 24, nil)
        var state = ClientState(board: .empty, nodes: [owner])
        state.attention = [event]
        _ = screen.update(.state(state, now: Fixture.now))
        _ = screen.type("b")
        #expect(!screen.text.contains("no key"))
        #expect(screen.update(.key(.enter)) == [.apply(.mark([1], read: true))])
        #expect(screen.text.contains("not known yet: atelier"), "it is looked at, and comes when it is heard")
    }
}

struct DashboardChoosersTests {
    @Test func layouts() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("l")
        _ = screen.update(.key(.down))
        #expect(screen.update(.key(.enter)) == [.edit(.set(key: "layout", word: "coding"))])
        for _ in 0..<3 { _ = screen.update(.key(.down)) }
        #expect(screen.type("x") == [.edit(.assign(nil, .act06))])
        _ = screen.update(.key(.enter))
        #expect(screen.view == .keycaps(chosen: 0, use: .assign(.act06)))
        _ = screen.update(.key(.end))
        #expect(screen.update(.key(.enter)) == [.edit(.assign(.apps, .act06))], "put there, and sent to nobody")
        #expect(screen.type("X") == [.edit(.resetLayout)])
    }

    @Test func importsOnlyWhatWasHeard() {
        var screen = Fixture.screen(80, 24, .empty)
        _ = screen.update(.key(.escape))
        _ = screen.type("l")
        #expect(screen.type("i") == [])
        #expect(screen.text.contains("was not heard yet"))
    }

    @Test("Every setting can be changed") func settings() {
        for (index, setting) in DashboardScreen.listedSettings.enumerated() {
            var screen = Fixture.screen(80, 24, Fixture.full)
            _ = screen.type("s")
            for _ in 0..<index { _ = screen.update(.key(.down)) }
            #expect(screen.text.contains("▶\(setting.key)"))
            let effects = screen.update(.key(.enter))
            guard setting.kind != .host else {
                #expect(screen.view == .hosts(chosen: 0))
                continue
            }
            guard case .edit(.set(setting.key, let word?))? = effects.first else {
                Issue.record("\(setting.key) is not changed")
                continue
            }
            #expect(throws: Never.self) { try setting.value(ofWord: word) }
            #expect(word != setting.text(ClientSettings()))
            #expect(screen.type("x") == [.edit(.set(key: setting.key, word: nil))])
        }
    }

    @Test func hosts() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("h")
        _ = screen.update(.key(.down))
        #expect(screen.update(.key(.enter)) == [.edit(.set(key: "authority", word: Fixture.hostID(1).uuid))])
        _ = screen.type("h")
        #expect(screen.update(.key(.enter)) == [.edit(.set(key: "authority", word: nil))])
    }
}
