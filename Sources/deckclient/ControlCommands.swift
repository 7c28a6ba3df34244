import CommandLineKit
import DeckClient
import RelayProtocol

/// `deckclient press`, `joystick`, `encoder`, `reasoning` and `reset-limit`: the controls of a computer.
enum ControlCommands {
    static func run(_ invocation: Invocation, _ environment: ClientEnvironment) async throws {
        let control = try control(invocation)
        if control == .resetLimit { try confirmReset(invocation) }
        let outcome = try await OneShot.with(environment) { session, state in
            try BoardCommands.requireNodes(state)
            return await TaskCommands.perform(.control(control, try aim(invocation, state)), in: session)
        }
        try TaskCommands.report(outcome, invocation)
    }

    private static func control(_ invocation: Invocation) throws -> ClientRequest.Control {
        switch invocation.command {
        case "encoder": return .encoder
        case "reset-limit": return .resetLimit
        case "joystick":
            guard let direction = invocation.argument("DIRECTION").flatMap(JoystickDirection.init(rawValue:)) else {
                throw invocation.refusal("there is no such direction")
            }
            return .joystick(direction)
        case "reasoning":
            guard let direction = invocation.argument("DIRECTION").flatMap(ReasoningDirection.init(rawValue:)) else {
                throw invocation.refusal("there is no such direction")
            }
            return .reasoning(direction)
        default:
            let word = invocation.argument("KEY")?.uppercased() ?? ""
            if let slot = ActionSlot(rawValue: word) { return .lowerKey(slot) }
            guard let keycap = Keycap(rawValue: word) else { throw invocation.refusal("there is no such key") }
            return .keycap(keycap)
        }
    }

    private static func aim(_ invocation: Invocation, _ state: ClientState) throws -> ClientRequest.Aim {
        let task = invocation.option("task")
        let host = invocation.option("host")
        guard task == nil || host == nil else { throw invocation.refusal("--task and --host exclude each other") }
        if let task { return .task(try TargetResolver.resolve(task, on: state.board)) }
        if let host { return .host(try ComputerFinder.find(host, in: state)) }
        return .selected
    }

    /// A credit is spent for good.
    private static func confirmReset(_ invocation: Invocation) throws {
        guard !invocation.flag("yes") else { return }
        guard try Prompt.confirm("Spend a reset credit now? It cannot be taken back.") else { throw CommandFailure("Nothing was sent.") }
    }
}
