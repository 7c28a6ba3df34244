import RelayProtocol
import Testing

@testable import DeckClient

struct CommandPlanTests {
    private static let wide = CommandPlan.held(
        press: .action(slot: .act10And11, phase: .press, task: nil), release: .action(slot: .act10And11, phase: .release, task: nil))

    @Test(arguments: ActionSlot.allCases)
    func aKeyLeftToTheHostGoesOutAsItsSlot(slot: ActionSlot) {
        #expect(
            CommandPlan.lowerKey(slot, assigned: nil, shown: .fast)
                == .held(press: .action(slot: slot, phase: .press, task: nil), release: .action(slot: slot, phase: .release, task: nil)))
    }

    @Test(arguments: Keycap.allCases.filter { $0 != .microphone })
    func anAssignedKeyGoesOutAsItsKeycap(keycap: Keycap) {
        let task = TaskKey(local: Lab.task(7))
        #expect(CommandPlan.lowerKey(.act06, assigned: keycap, shown: .microphone, task: task) == .single(.keycap(keycap, task: task)))
    }

    @Test(arguments: ActionSlot.allCases)
    func theMicrophoneIsAlwaysTheHeldWideKey(slot: ActionSlot) {
        #expect(CommandPlan.lowerKey(slot, assigned: .microphone) == Self.wide)
        #expect(CommandPlan.lowerKey(slot, assigned: nil, shown: .microphone) == Self.wide)
        #expect(CommandPlan.keycap(.microphone) == Self.wide)
    }

    @Test func sticksAndDialsComeBack() {
        #expect(
            CommandPlan.joystick(.left)
                == .held(
                    press: .joystick(direction: .left, distance: .press, task: nil),
                    release: .joystick(direction: .left, distance: .release, task: nil)))
        #expect(CommandPlan.encoder() == .held(press: .encoder(phase: .press, task: nil), release: .encoder(phase: .release, task: nil)))
        #expect(CommandPlan.reasoning(.increase) == .single(.reasoning(direction: .increase, task: nil)))
        #expect(CommandPlan.rateLimitReset.capability == .rateLimitReset)
    }
}
