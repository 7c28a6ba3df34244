import JSON

extension Command {
    /// - Returns: `nil` unless every field of the kind is there with its type and range; other fields are ignored.
    init?(_ value: JSONValue?) {
        guard let value, let kind = value["kind"]?.string else { return nil }
        switch kind {
        case "agent":
            guard let slot = value["slot"]?.int, (0..<Int64(Snapshot.slotCount)).contains(slot),
                let key = value["threadKey"]?.string.flatMap(TaskKey.init), let phase = PressPhase(value["act"])
            else { return nil }
            self = .agent(slot: Int(slot), threadKey: key, phase: phase)
        case "rate-limit-reset": self = .rateLimitReset
        default:
            // Absent means any task; present, even as null, it must be a key.
            let task = value["threadKey"]?.string.flatMap(TaskKey.init)
            guard task != nil || value["threadKey"] == nil else { return nil }
            self.init(kind: kind, value, task: task)
        }
    }

    /// The five kinds that may name a task.
    private init?(kind: String, _ value: JSONValue, task: TaskKey?) {
        switch kind {
        case "action":
            guard let slot = value["slot"]?.string.flatMap(ActionSlot.init), let phase = PressPhase(value["act"]) else { return nil }
            self = .action(slot: slot, phase: phase, task: task)
        case "joystick":
            guard let direction = value["direction"]?.string.flatMap(JoystickDirection.init), let distance = PressPhase(value["distance"]) else {
                return nil
            }
            self = .joystick(direction: direction, distance: distance, task: task)
        case "encoder":
            guard let phase = PressPhase(value["act"]) else { return nil }
            self = .encoder(phase: phase, task: task)
        case "reasoning":
            guard let direction = value["direction"]?.string.flatMap(ReasoningDirection.init) else { return nil }
            self = .reasoning(direction: direction, task: task)
        case "keycap":
            guard let keycap = value["keycapId"]?.string.flatMap(Keycap.init) else { return nil }
            self = .keycap(keycap, task: task)
        default: return nil
        }
    }

    func write(_ members: inout JSONWriter) {
        switch self {
        case .agent(let slot, let threadKey, let phase):
            members.member("kind", "agent")
            members.member("slot", slot)
            members.member("threadKey", threadKey.rawValue)
            members.member("act", phase.rawValue)
        case .action(let slot, let phase, let task):
            members.member("kind", "action")
            members.member("slot", slot.rawValue)
            members.member("act", phase.rawValue)
            members.task(task)
        case .joystick(let direction, let distance, let task):
            members.member("kind", "joystick")
            members.member("direction", direction.rawValue)
            members.member("distance", distance.rawValue)
            members.task(task)
        case .encoder(let phase, let task):
            members.member("kind", "encoder")
            members.member("act", phase.rawValue)
            members.task(task)
        case .reasoning(let direction, let task):
            members.member("kind", "reasoning")
            members.member("direction", direction.rawValue)
            members.task(task)
        case .rateLimitReset:
            members.member("kind", "rate-limit-reset")
        case .keycap(let keycap, let task):
            members.member("kind", "keycap")
            members.member("keycapId", keycap.rawValue)
            members.task(task)
        }
    }
}

extension PressPhase {
    /// Exactly the number 0 or 1.
    fileprivate init?(_ value: JSONValue?) {
        switch value {
        case .number(0): self = .release
        case .number(1): self = .press
        default: return nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func task(_ task: TaskKey?) {
        if let task { member("threadKey", task.rawValue) }
    }
}
