import DeckClient
import RelayProtocol
import Testing

@testable import TerminalUI

struct DashboardPairingTests {
    private let link = "codexdeck://pair?token=qna1secret"

    private func typed(_ text: String) -> DashboardScreen {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("np" + text)
        return screen
    }

    @Test("A link is taken letter by letter, and never shown") func takesALink() {
        var screen = typed(link)
        #expect(!screen.text.contains("secret") && screen.text.contains("33 characters so far."))
        _ = screen.update(.key(.backspace))
        #expect(screen.update(.key(.enter)) == [.pair("codexdeck://pair?token=qna1secre")])
        #expect(screen.text.contains("Pairing…"))
        #expect(screen.update(.key(.enter)) == [], "one at a time")
        #expect(!"\(screen.view)".contains("secre"))
    }

    @Test func leavesWithoutPairing() {
        var screen = typed(link)
        #expect(screen.update(.key(.escape)) == [])
        #expect(screen.update(.key(.enter)) == [.test("profile-1")], "back among the nodes")
        var empty = typed("")
        #expect(empty.update(.key(.enter)) == [])
    }

    @Test func isBounded() {
        var screen = typed(String(repeating: "a", count: PairingEntry.limit + 10))
        #expect(screen.update(.key(.enter)) == [.pair(String(repeating: "a", count: PairingEntry.limit))])
    }

    @Test func saysWhatIsNoLinkAndClearsIt() {
        var screen = typed("https://")
        #expect(screen.text.contains("This does not begin with codexdeck://"))
        _ = screen.type("\u{15}")
        #expect(screen.text.contains("Waiting for a link."))
        _ = screen.type("c")
        #expect(screen.text.contains("1 character so far."))
    }

    @Test("A link that failed stays to be tried again; success leaves") func staysUntilItWorks() {
        var screen = typed(link)
        _ = screen.update(.key(.enter))
        _ = screen.update(.paired(ReceiptLine("The link is damaged.", .failure)))
        #expect(screen.text.contains("The link is damaged.") && screen.text.contains("33 characters so far."))
        #expect(screen.update(.key(.enter)) == [.pair(link)])
        #expect(!screen.text.contains("damaged"))
        _ = screen.update(.paired(ReceiptLine("Paired with desk.", .success)))
        #expect(screen.view == .nodes(chosen: nil))
        #expect(screen.text.contains("Paired with desk."))
    }

    @Test("An answer that comes after the view was left changes no view") func comesLate() {
        var screen = typed(link)
        _ = screen.update(.key(.enter))
        _ = screen.update(.key(.escape))
        _ = screen.type("p")
        _ = screen.update(.paired(ReceiptLine("Paired with desk.", .success)))
        #expect(screen.text.contains("Pair a computer") && screen.text.contains("Paired with desk."))
    }

    @Test("Without a computer the dashboard begins here, once") func firstRun() {
        var screen = Fixture.screen(80, 24, .empty)
        #expect(screen.text.contains("Welcome to Codex Deck"))
        _ = screen.update(.key(.escape))
        #expect(screen.view == .board)
        #expect(screen.text.contains("no computer is paired") && screen.text.contains("p pair a computer"))
        _ = screen.update(.state(.empty, now: Fixture.now))
        #expect(screen.view == .board, "who looked away is not called back")
        #expect(screen.click("no computer is paired") == [])
        #expect(screen.text.contains("Welcome to Codex Deck"))
        var paired = Fixture.screen(80, 24, Fixture.full)
        #expect(paired.view == .board)
        var state = ClientState.empty
        state.nodes = [Fixture.node(1, "desk", health: .connecting, host: nil, seen: nil)]
        paired = Fixture.screen(80, 24, state)
        #expect(paired.view == .board, "a computer that was not heard is paired all the same")
        var asked = Fixture.screen(80, 24, nil)
        _ = asked.update(.show(Fixture.identity(1)))
        _ = asked.update(.state(.empty, now: Fixture.now))
        #expect(asked.view != .pairing(PairingEntry()), "what was asked for comes first")
    }
}

struct DashboardPasteTests {
    private let link = "codexdeck://pair?token=qna1secret"

    @Test("Pasted text presses no keys", arguments: ["ay", "q", "1", "o\ny\n", "RRRRRR", ""]) func pressesNothing(text: String) {
        for keys in ["", "a", "b", "n", "l", "s", "h", "e", "k", "?", "R"] {
            var screen = Fixture.screen(80, 24, Fixture.full)
            _ = screen.type(keys)
            let (view, prompt) = (screen.view, screen.prompt)
            #expect(screen.update(.paste(text)) == [], "\(keys)")
            #expect(screen.view == view && screen.prompt == prompt, "\(keys)")
        }
    }

    @Test("A link that is broken over lines is put together, and waits for Enter", arguments: ["np", "", "n"]) func takesALink(keys: String) {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type(keys)
        #expect(screen.update(.paste(" codexdeck://pair?token\n=qna1\r\n secret\n")) == [])
        #expect(screen.text.contains("33 characters so far."))
        #expect(screen.update(.key(.enter)) == [.pair(link)])
        _ = screen.update(.paste("more"))
        #expect(screen.text.contains("Pairing…"))
    }

    @Test func aQuestionIsNotPushedAside() {
        var screen = Fixture.screen(80, 24, Fixture.full)
        _ = screen.type("a")
        _ = screen.update(.paste(link))
        #expect(screen.view == .board && screen.prompt != nil)
    }

    @Test func aTinyScreenTakesNothing() {
        var screen = Fixture.screen(20, 5, Fixture.full)
        _ = screen.update(.paste(link))
        #expect(screen.view == .board)
    }
}
