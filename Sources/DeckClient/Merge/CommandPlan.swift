import RelayProtocol

/// What one touch of a control sends.
public enum CommandPlan: Sendable, Hashable {
    case single(Command)
    /// A press, and 90 ms later the release.
    case held(press: Command, release: Command)

    public var first: Command {
        switch self {
        case .single(let command), .held(let command, _): command
        }
    }

    public var capability: Capability { first.capability }

    /// Opens a task.
    public static func open(_ target: CommandTarget) -> Self {
        .held(
            press: .agent(slot: target.slot, threadKey: target.key, phase: .press),
            release: .agent(slot: target.slot, threadKey: target.key, phase: .release))
    }

    /// One of the six lower keys.
    ///
    /// - Parameters:
    ///   - assigned: What the client's own layout puts there; `nil` for a key it leaves to the host, which goes out as the slot itself.
    ///   - shown: What the host has there. The microphone needs holding: on whichever key, it is the held wide key of the host.
    ///   - task: The task the user means, as its owner spells it.
    public static func lowerKey(_ slot: ActionSlot, assigned: Keycap?, shown: Keycap? = nil, task: TaskKey? = nil) -> Self {
        if let assigned { return keycap(assigned, task: task) }
        return action(shown == .microphone ? .act10And11 : slot, task: task)
    }

    /// A keycap by its name; the microphone goes out as the held wide key.
    public static func keycap(_ keycap: Keycap, task: TaskKey? = nil) -> Self {
        keycap == .microphone ? action(.act10And11, task: task) : .single(.keycap(keycap, task: task))
    }

    public static func action(_ slot: ActionSlot, task: TaskKey? = nil) -> Self {
        .held(press: .action(slot: slot, phase: .press, task: task), release: .action(slot: slot, phase: .release, task: task))
    }

    /// The stick in a direction and back.
    public static func joystick(_ direction: JoystickDirection, task: TaskKey? = nil) -> Self {
        .held(
            press: .joystick(direction: direction, distance: .press, task: task),
            release: .joystick(direction: direction, distance: .release, task: task))
    }

    /// A click of the dial.
    public static func encoder(task: TaskKey? = nil) -> Self {
        .held(press: .encoder(phase: .press, task: task), release: .encoder(phase: .release, task: task))
    }

    public static func reasoning(_ direction: ReasoningDirection, task: TaskKey? = nil) -> Self {
        .single(.reasoning(direction: direction, task: task))
    }

    public static var rateLimitReset: Self { .single(.rateLimitReset) }
}
