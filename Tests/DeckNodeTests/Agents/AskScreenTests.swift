import CodexKit
import DeckAgents
import JSON
import RelayProtocol
import Testing

@testable import DeckNode

struct AskScreenTests {
    private static let identity = TaskIdentity("0189aabb-ccdd-4eef-8011-223344556677") ?? TaskIdentity.none
    private static let approval = AgentApproval(
        id: "a1", thread: identity, tool: "run_command", summary: "run ls", lines: ["command: ls", "folder: /w"], isSandboxed: true)

    private static func screen(_ manner: AskScreen.Manner = .init(isTerminal: true, canAsk: true)) -> AskScreen { AskScreen(manner) }

    /// What a screen does for events, one after another.
    private func play(_ events: [AgentAskEvent], on screen: inout AskScreen) -> [AskScreen.Action] { events.flatMap { screen.take($0.json) } }

    private func begin(_ screen: inout AskScreen) {
        _ = play([.thread(Self.identity, title: "t", folder: "/w", isNew: true), .turn(id: "1")], on: &screen)
    }

    @Test func theAnswerIsStandardOutputAndNothingElseIs() {
        var screen = Self.screen(.init())
        begin(&screen)
        let actions = play(
            [
                .delta("Hel"), .delta("lo"), .message("Hello", images: 0), .toolStarted(id: "1", tool: "read_file", summary: "a.txt"),
                .toolFinished(id: "1", tool: "read_file", succeeded: true, summary: "3 lines"), .delta("Done."), .message("Done.", images: 0),
                .completed(nil),
            ], on: &screen)
        let out = actions.compactMap { if case .out(let text) = $0 { text } else { nil } }.joined()
        #expect(out == "Hello\nDone.\n")
        let end = screen.finish(.success(.null))
        #expect(end == [.leave(0)])
        #expect(actions.contains(.note("→ read_file a.txt\n")))
        #expect(actions.contains(.note("✓ read_file 3 lines\n")))
    }

    @Test func nothingThatCommandsATerminalGetsThrough() {
        var screen = Self.screen(.init(isTerminal: true))
        begin(&screen)
        let actions = play(
            [
                .delta("a\u{1B}[31mb\r\u{9b}\u{202e}c"), .toolStarted(id: "1", tool: "x\u{1B}c", summary: "\u{7}\n"),
                .failed(code: "c", sentence: "bad\u{1B}]0;t\u{7}"),
            ], on: &screen) + screen.finish(.success(.null))
        for action in actions {
            guard case .out(let text) = action else {
                if case .note(let text) = action { #expect(text.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }) }
                continue
            }
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value < 0x7f })
        }
        #expect(actions.last == .leave(1))
    }

    @Test func everyEventIsALineOfJSON() throws {
        var screen = Self.screen(.init(isJSON: true))
        let events: [AgentAskEvent] = [
            .thread(Self.identity, title: nil, folder: "/w", isNew: true), .delta("x"), .approvalRequested(Self.approval), .completed(nil),
        ]
        let lines = play(events, on: &screen).compactMap { if case .out(let text) = $0 { text } else { nil } }
        #expect(lines.count == events.count)
        for (line, event) in zip(lines, events) {
            #expect(line.hasSuffix("\n"))
            #expect(AgentAskEvent(json: try JSONParser().parse(Array(line.dropLast().utf8))) == event)
        }
    }

    @Test func whatATerminalWouldObeyIsEscapedInJSON() throws {
        var screen = Self.screen(.init(isJSON: true))
        let event = AgentAskEvent.delta("a\u{1B}\u{7f}\u{9b}31m\u{80}\u{9f}\u{a0}ü")
        let actions = screen.take(event.json)
        guard case .out(let line)? = actions.first else { return #expect(Bool(false), "nothing is printed") }
        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) })
        #expect(AgentAskEvent(json: try JSONParser().parse(Array(line.dropLast().utf8))) == event)
    }

    @Test func whatIsNoEventIsPassedOver() {
        var screen = Self.screen(.init(isJSON: true))
        let actions = screen.take(.object(["event": "newer"])) + screen.take(.null)
        #expect(actions == [])
    }

    // MARK: Approvals

    @Test(arguments: [("y", true), (" YES ", true), ("n", false), ("No", false)])
    func aLineAnswers(line: String, approved: Bool) {
        var screen = Self.screen()
        begin(&screen)
        let asked = play([.approvalRequested(Self.approval)], on: &screen)
        #expect(asked.last == .listen(true))
        let answered = screen.typed(line)
        #expect(answered == [.listen(false), .answer(approval: "a1", approved: approved)])
        let again = screen.typed("y")
        #expect(again == [], "a question is answered once")
        let resolved = play([.approvalResolved(id: "a1", approved: approved, by: .terminal)], on: &screen)
        #expect(resolved == [], "who answered knows it")
    }

    @Test(arguments: ["", "maybe", "yes please", "yy", "1", "\u{1B}[A"])
    func anythingElseAnswersNothing(line: String) {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.approvalRequested(Self.approval)], on: &screen)
        let actions = screen.typed(line)
        #expect(!actions.contains { if case .answer = $0 { true } else { false } })
        #expect(!actions.contains(.listen(false)))
    }

    @Test func viewShowsAllThereIsToKnowAndAsksAgain() {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.approvalRequested(Self.approval)], on: &screen)
        let actions = screen.typed("v")
        #expect(actions.prefix(2) == [.note("  command: ls\n"), .note("  folder: /w\n")])
        let answered = screen.typed("y")
        #expect(answered.contains(.answer(approval: "a1", approved: true)))
    }

    @Test func howACommandIsConfinedIsShownWithTheQuestionHoweverLongItIs() {
        var screen = Self.screen()
        begin(&screen)
        var approval = Self.approval
        approval.lines = ["Run in /w:"] + (1...100).map { "> line \($0)" } + ["WITHOUT A SANDBOX", "For 60 s at most."]
        let asked = play([.approvalRequested(approval)], on: &screen)
        let notes = asked.compactMap { if case .note(let text) = $0 { text } else { nil } }
        #expect(notes.count == 15, "the tool, nine lines, the gap, three lines, the question")
        #expect(notes.contains("  WITHOUT A SANDBOX\n"))
        #expect(notes.contains("  … 91 more lines; v shows them …\n"))
        let viewed = screen.typed("v")
        #expect(viewed.count == 104, "all of them, and the question again")
    }

    /// Commands of which a part is left out at first, and those that are just short enough.
    private static let cuts: [(lines: [String], isCut: Bool)] = [
        ((1...13).map { "> line \($0)" }, true), ((1...12).map { "> line \($0)" }, false), ([String(repeating: "x", count: 401)], true),
        ([String(repeating: "x", count: 400)], false),
    ]

    @Test(arguments: cuts)
    func nobodySaysYesToWhatTheyHaveNotSeen(lines: [String], isCut: Bool) {
        var screen = Self.screen()
        begin(&screen)
        var approval = Self.approval
        approval.lines = lines
        let asked = play([.approvalRequested(approval)], on: &screen)
        #expect(asked.contains { if case .note(let text) = $0 { text.contains("v shows them") } else { false } } == isCut)
        guard isCut else { return #expect(screen.typed("y").contains(.answer(approval: "a1", approved: true))) }
        var declining = screen
        let declined = declining.typed("n")
        #expect(declined.contains(.answer(approval: "a1", approved: false)), "no can be said at any time")
        for word in ["y", "yes"] {
            let early = screen.typed(word)
            #expect(early == [.note("A part of it was not shown yet; v shows it: ")])
        }
        let viewed = screen.typed("v")
        #expect(viewed.dropLast() == lines.map { .note("  \($0)\n") }[...])
        let allowed = screen.typed("y")
        #expect(allowed == [.listen(false), .answer(approval: "a1", approved: true)])
    }

    @Test func theMiddleOfALongLineIsLeftOut() {
        var screen = Self.screen()
        begin(&screen)
        var approval = Self.approval
        approval.lines = [String(repeating: "a", count: 300) + String(repeating: "b", count: 300)]
        let asked = play([.approvalRequested(approval)], on: &screen)
        let (head, tail) = (String(repeating: "a", count: 200), String(repeating: "b", count: 200))
        #expect(asked.contains(.note("  \(head) … 200 more characters; v shows them … \(tail)\n")))
    }

    @Test func whoWasContradictedByAnotherTerminalIsTold() {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.approvalRequested(Self.approval)], on: &screen)
        _ = screen.typed("y")
        let actions = play([.approvalResolved(id: "a1", approved: false, by: .terminal)], on: &screen)
        #expect(actions == [.note("Answered before that in another terminal: declined.\n")])
    }

    @Test func aQuestionThatIsAnsweredElsewhereGoesAway() {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.approvalRequested(Self.approval)], on: &screen)
        let actions = play([.approvalResolved(id: "a1", approved: false, by: .screen)], on: &screen)
        #expect(actions == [.listen(false), .note("\n"), .note("Answered on another screen: declined.\n")])
        let late = screen.typed("y")
        #expect(late == [], "the answer that came first stays")
    }

    @Test func whoWasSlowerIsTold() {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.approvalRequested(Self.approval)], on: &screen)
        _ = screen.typed("y")
        let actions = play([.approvalResolved(id: "a1", approved: false, by: .deck)], on: &screen)
        #expect(actions == [.note("Answered before that at this computer: declined.\n")])
    }

    @Test func withoutAPersonItWaitsForOthers() {
        var screen = Self.screen(.init())
        begin(&screen)
        let actions = play([.approvalRequested(Self.approval)], on: &screen)
        #expect(!actions.contains(.listen(true)))
        #expect(actions.last == .note("It waits for an answer from another screen, or from `decknode press APPR --task 0189aabb` (REJ declines).\n"))
    }

    @Test func theEndOfTheTerminalAnswersNothing() {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.approvalRequested(Self.approval)], on: &screen)
        let actions = screen.typed(nil)
        #expect(actions.first == .listen(false))
        #expect(!actions.contains { if case .answer = $0 { true } else { false } })
    }

    @Test func declineAllDeclinesAtOnce() {
        var screen = Self.screen(.init(declinesAll: true))
        begin(&screen)
        let actions = play([.approvalRequested(Self.approval)], on: &screen)
        #expect(actions == [.note("Declined: run ls\n"), .answer(approval: "a1", approved: false)])
        let resolved = play([.approvalResolved(id: "a1", approved: false, by: .terminal)], on: &screen)
        #expect(resolved == [])
    }

    // MARK: The end

    @Test func controlCStopsAndTheSecondOneLeaves() {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.delta("half")], on: &screen)
        let first = screen.stop()
        #expect(first == [.out("\n"), .interrupt])
        let second = screen.stop()
        #expect(second == [.leave(130)])
    }

    @Test func controlCWhileItAsksIsNoAnswer() {
        var screen = Self.screen()
        begin(&screen)
        _ = play([.approvalRequested(Self.approval)], on: &screen)
        let actions = screen.stop()
        #expect(actions == [.listen(false), .note("\n"), .interrupt])
        let end = play([.interrupted], on: &screen) + screen.finish(.success(.null))
        #expect(end == [.note("decknode: Stopped; the answer so far is kept.\n"), .leave(130)])
    }

    @Test func endsThatNobodyHereAskedForAreFailures() {
        for event in [AgentAskEvent.interrupted, .failed(code: "network", sentence: "No.")] {
            var screen = Self.screen()
            begin(&screen)
            _ = play([event], on: &screen)
            let end = screen.finish(.success(.null))
            #expect(end.last == .leave(1))
        }
        var early = Self.screen()
        let refused = early.finish(.failure("No."))
        #expect(refused == [.note("decknode: No.\n"), .leave(1)])
        var silent = Self.screen()
        let silence = silent.finish(.success(.null))
        #expect(silence.last == .leave(1), "an answer without an end is none")
        var lost = Self.screen()
        let loss = lost.lost()
        #expect(loss.last == .leave(1))
    }

    @Test func detachingLeavesWithTheThread() {
        var screen = Self.screen(.init(detaches: true))
        _ = play([.thread(Self.identity, title: nil, folder: "/w", isNew: true)], on: &screen)
        let actions = play([.turn(id: "1")], on: &screen)
        #expect(actions == [.out("0189aabb\n"), .leave(0)])
    }
}

extension TaskIdentity {
    /// For a constant that is well formed.
    fileprivate static var none: TaskIdentity { TaskIdentity("00000000-0000-4000-8000-000000000000")! }
}
