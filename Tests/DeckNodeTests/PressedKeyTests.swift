import RelayProtocol
import Testing

@testable import DeckNode

struct PressedKeyTests {
    @Test func everyKeyHasOneName() {
        #expect(PressedKey.names.count == Keycap.allCases.count + ActionSlot.allCases.count + 4 + 2)
        #expect(Set(PressedKey.names).count == PressedKey.names.count)
    }

    @Test func everyNameIsAKeyOfItsOwn() {
        let commands = PressedKey.names.compactMap { PressedKey.command($0) }
        #expect(commands.count == PressedKey.names.count)
        #expect(Set(commands).count == commands.count)
        #expect(PressedKey.names.map { PressedKey.command($0.lowercased()) } == commands)
    }

    @Test(arguments: [
        ("APPR", Command.keycap(.approve, task: nil)), ("mind+", .keycap(.mindIncrease, task: nil)),
        ("ACT10_ACT11", .action(slot: .act10And11, phase: .press, task: nil)), ("Left", .joystick(direction: .left, distance: .press, task: nil)),
        ("encoder", .encoder(phase: .press, task: nil)), ("RESET", .rateLimitReset),
    ])
    func aNameIsAPress(name: String, command: Command) {
        #expect(PressedKey.command(name) == command)
    }

    @Test(arguments: ["", " ", "APPROVE", "ACT99", "UPP", "APPR ", "UP\0", "ß", String(repeating: "A", count: 10_000)])
    func anyOtherWordIsNoKey(name: String) {
        #expect(PressedKey.command(name) == nil)
    }

    /// What a key means reaches the node the same way from a command as from a screen.
    @Test func aPressIsInterpretedAsFromAScreen() {
        let deck = mutated(DeckTests.deck([DeckTests.task(1)])) { _ = $0.open(DeckTests.identity(1), now: DeckTests.start) }
        let verbs = PressedKey.names.compactMap { name -> DeckVerb? in
            guard let command = PressedKey.command(name) else { return nil }
            guard case .perform(let verb, _) = CommandInterpreter().interpret(command, deck: deck, now: DeckTests.start) else { return nil }
            return verb
        }
        #expect(verbs.count == PressedKey.names.count)
        #expect(Set(verbs).isSuperset(of: Keycap.allCases.map(DeckVerb.init)))
        #expect(Set(verbs).isSuperset(of: [.togglePlan, .previousTask, .nextTask, .nextSlot, .resetLimit]))
    }

    private func mutated<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
        var value = value
        change(&value)
        return value
    }
}
