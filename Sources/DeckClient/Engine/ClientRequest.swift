import RelayProtocol

/// What a user asks for.
public enum ClientRequest: Sendable, Hashable {
    case open(TaskIdentity)
    case approve(TaskIdentity)
    case decline(TaskIdentity)
    case control(Control, Aim)

    /// A touch of one of the controls of a computer.
    public enum Control: Sendable, Hashable {
        case keycap(Keycap)
        /// One of the six lower keys, with what the layout in use puts there.
        case lowerKey(ActionSlot)
        case joystick(JoystickDirection)
        case encoder
        case reasoning(ReasoningDirection)
        /// Spends a credit to reset the account's limit.
        case resetLimit
    }

    /// What a control is meant for.
    public enum Aim: Sendable, Hashable {
        /// Whatever the selected computer has open; for ``Control/resetLimit`` the computer with the freshest word on the account.
        case selected
        /// That task, on the computer that owns it.
        case task(TaskIdentity)
        /// Whatever that computer has open.
        case host(HostID)
    }

    /// A keycap, for a task or for whatever the selected computer has open.
    public static func keycap(_ keycap: Keycap, _ task: TaskIdentity?) -> Self { .control(.keycap(keycap), task.map(Aim.task) ?? .selected) }

    /// The task that is meant, where one is.
    public var task: TaskIdentity? {
        switch self {
        case .open(let task), .approve(let task), .decline(let task), .control(_, .task(let task)): task
        case .control(_, .selected), .control(_, .host): nil
        }
    }

    /// The task whose agent key is pressed, so that a second press can be swallowed.
    var pressedTask: TaskIdentity? {
        switch self {
        case .open(let task), .approve(let task), .decline(let task): task
        case .control: nil
        }
    }

    /// A word or two for receipts.
    public var words: String {
        switch self {
        case .open: "open"
        case .approve: "approve"
        case .decline: "decline"
        case .control(.keycap(let keycap), _): keycap.rawValue
        case .control(.lowerKey(let slot), _): slot.rawValue
        case .control(.joystick(let direction), _): "stick \(direction.rawValue)"
        case .control(.encoder, _): "dial"
        case .control(.reasoning(let direction), _): "reasoning \(direction.rawValue)"
        case .control(.resetLimit, _): "reset limit"
        }
    }
}
