import RelayProtocol
import Testing

@testable import DeckNode

struct CommandInterpreterTests {
    let now = DeckTests.start
    let one = DeckTests.identity(1), two = DeckTests.identity(2)

    func key(_ identity: TaskIdentity) -> TaskKey { TaskKey(local: identity) }

    func deck(selected: TaskIdentity? = nil) -> Deck {
        var deck = DeckTests.deck([DeckTests.task(1), DeckTests.task(2, .awaitingResponse)])
        if let selected { _ = deck.open(selected, now: now) }
        return deck
    }

    @Test func agentOpensByIdentityWhateverTheSlot() {
        let interpreter = CommandInterpreter()
        #expect(interpreter.interpret(.agent(slot: 5, threadKey: key(one), phase: .press), deck: deck(), now: now) == .open(one))
        #expect(
            interpreter.interpret(.agent(slot: 0, threadKey: key(DeckTests.identity(9)), phase: .press), deck: deck(), now: now)
                == .refuse(RelayError.unknownTask))
    }

    @Test(arguments: [
        Command.agent(slot: 0, threadKey: TaskKey(local: DeckTests.identity(9)), phase: .release), .action(slot: .act07, phase: .release, task: nil),
        .joystick(direction: .left, distance: .release, task: nil), .encoder(phase: .release, task: nil),
    ])
    func releaseDoesNothing(command: Command) {
        #expect(CommandInterpreter().interpret(command, deck: deck(), now: now) == .nothing)
    }

    @Test func approveNeedsAnOpenTask() {
        #expect(CommandInterpreter().interpret(.keycap(.approve, task: nil), deck: deck(), now: now) == .refuse(RelayError.noOpenTask))
        #expect(CommandInterpreter().interpret(.keycap(.approve, task: nil), deck: deck(selected: one), now: now) == .perform(.approve, one))
    }

    @Test func connectionActsOnTheTaskItOpenedItself() {
        let interpreter = CommandInterpreter(opened: two)
        #expect(interpreter.interpret(.keycap(.approve, task: nil), deck: deck(selected: one), now: now) == .perform(.approve, two))
    }

    @Test func pressThatMeansAnotherTaskIsRefused() {
        let command = Command.keycap(.approve, task: key(two))
        #expect(CommandInterpreter().interpret(command, deck: deck(selected: one), now: now) == .refuse(RelayError.otherTask))
        #expect(CommandInterpreter().interpret(command, deck: deck(), now: now) == .refuse(RelayError.otherTask))
        #expect(CommandInterpreter(opened: two).interpret(command, deck: deck(selected: one), now: now) == .perform(.approve, two))
        #expect(CommandInterpreter().interpret(.keycap(.new, task: key(two)), deck: deck(selected: one), now: now) == .refuse(RelayError.otherTask))
    }

    @Test func actionTakesTheKeycapOfTheLayout() {
        var deck = deck(selected: one)
        #expect(CommandInterpreter().interpret(.action(slot: .act07, phase: .press, task: nil), deck: deck, now: now) == .perform(.approve, one))
        deck.assign(.git, to: .act07)
        #expect(CommandInterpreter().interpret(.action(slot: .act07, phase: .press, task: nil), deck: deck, now: now) == .perform(.commit, one))
    }

    @Test func encoderAnswersAQuestionElseOpensTheTerminal() {
        #expect(CommandInterpreter(opened: two).interpret(.encoder(phase: .press, task: nil), deck: deck(), now: now) == .perform(.answerQuestion, two))
        #expect(CommandInterpreter(opened: one).interpret(.encoder(phase: .press, task: nil), deck: deck(), now: now) == .perform(.terminal, one))
    }

    @Test func deckKeysWorkWithoutATask() {
        #expect(
            CommandInterpreter().interpret(.joystick(direction: .down, distance: .press, task: nil), deck: deck(), now: now) == .perform(.nextSlot, nil))
        #expect(CommandInterpreter().interpret(.rateLimitReset, deck: deck(), now: now) == .perform(.resetLimit, nil))
    }

    @Test func everyKeycapHasAVerbOfItsOwn() {
        #expect(Set(Keycap.allCases.map(DeckVerb.init)).count == 30)
    }
}
