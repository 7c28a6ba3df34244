/// Whether a key went down or came up.
public enum PressPhase: Int, Sendable { case release = 0, press = 1 }

/// Everything a client can ask of a node. Nothing here carries text, a path, a shell line or a URL: that narrowness is the security model.
///
/// `task` is additive (see ``TaskKey``): the task the sender means. A node that knows the field refuses when the press would act on another.
public enum Command: Hashable, Sendable {
    /// `slot` 0 … 5; `threadKey` as the owner spelled it.
    case agent(slot: Int, threadKey: TaskKey, phase: PressPhase)
    case action(slot: ActionSlot, phase: PressPhase, task: TaskKey?)
    /// `distance` 0 is the stick back in the middle.
    case joystick(direction: JoystickDirection, distance: PressPhase, task: TaskKey?)
    case encoder(phase: PressPhase, task: TaskKey?)
    case reasoning(direction: ReasoningDirection, task: TaskKey?)
    case rateLimitReset
    case keycap(Keycap, task: TaskKey?)

    /// The capability a node must advertise for this command.
    public var capability: Capability {
        switch self {
        case .agent: .agent
        case .action: .action
        case .joystick: .joystick
        case .encoder: .encoder
        case .reasoning: .reasoning
        case .rateLimitReset: .rateLimitReset
        case .keycap: .keycap
        }
    }
}
