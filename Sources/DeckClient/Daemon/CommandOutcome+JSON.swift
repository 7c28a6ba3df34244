import JSON
import RelayProtocol

extension CommandOutcome {
    var json: JSONValue {
        var members: [String: JSONValue] = ["word": .string(word)]
        switch self {
        case .offlineHost(let name), .timedOut(let name), .notSent(let name), .unknown(let name): members["name"] = .string(name)
        case .oldSnapshot(let name, let seconds):
            members["name"] = .string(name)
            members["seconds"] = seconds.map { .number($0) } ?? .null
        case .unsupported(let capability, let name):
            members["name"] = .string(name)
            members["capability"] = .string(capability.rawValue)
        case .rejected(let sentence): members["sentence"] = .string(sentence)
        case .unreadableKey: members["word"] = "unreadable-key"
        case .stateConfirmed, .alreadyOpen, .executed, .noConfirmingSnapshot, .missingTask, .changedMeanwhile, .interrupted, .alreadyUnderWay:
            break
        }
        return .object(members)
    }

    init?(json: JSONValue) {
        let name = json["name"]?.string ?? ""
        switch json["word"]?.string {
        case "state-confirmed": self = .stateConfirmed
        case "already-open": self = .alreadyOpen
        case "executed": self = .executed
        case "no-confirming-snapshot": self = .noConfirmingSnapshot
        case "offline-host": self = .offlineHost(name: name)
        case "old-snapshot": self = .oldSnapshot(name: name, seconds: json["seconds"]?.int.map { Int($0) })
        case "missing-task": self = .missingTask
        case "unreadable-key": self = .unreadableKey
        case "changed-meanwhile": self = .changedMeanwhile
        case "unsupported":
            guard let capability = json["capability"]?.string.flatMap(Capability.init(rawValue:)) else { return nil }
            self = .unsupported(capability, name: name)
        case "rejected": self = .rejected(json["sentence"]?.string ?? "")
        case "timeout": self = .timedOut(name: name)
        case "not-sent": self = .notSent(name: name)
        case "unknown": self = .unknown(name: name)
        case "interrupted": self = .interrupted
        case "already-under-way": self = .alreadyUnderWay
        default: return nil
        }
    }
}

extension ClientRequest {
    var json: JSONValue {
        switch self {
        case .open(let task): ["do": "open", "task": .string(task.uuid)]
        case .approve(let task): ["do": "approve", "task": .string(task.uuid)]
        case .decline(let task): ["do": "decline", "task": .string(task.uuid)]
        case .control(let control, let aim):
            .object(control.members.merging(aim.members) { first, _ in first })
        }
    }

    init?(json: JSONValue) {
        let task = json["task"]?.task
        switch (json["do"]?.string, task) {
        case ("open", let task?): self = .open(task)
        case ("approve", let task?): self = .approve(task)
        case ("decline", let task?): self = .decline(task)
        default:
            guard let control = Control(json: json), let aim = Aim(json: json) else { return nil }
            self = .control(control, aim)
        }
    }
}

extension ClientRequest.Control {
    fileprivate var members: [String: JSONValue] {
        switch self {
        case .keycap(let keycap): ["do": "keycap", "name": .string(keycap.rawValue)]
        case .lowerKey(let slot): ["do": "key", "name": .string(slot.rawValue)]
        case .joystick(let direction): ["do": "joystick", "name": .string(direction.rawValue)]
        case .encoder: ["do": "encoder"]
        case .reasoning(let direction): ["do": "reasoning", "name": .string(direction.rawValue)]
        case .resetLimit: ["do": "reset-limit"]
        }
    }

    fileprivate init?(json: JSONValue) {
        let name = json["name"]?.string ?? ""
        switch json["do"]?.string {
        case "keycap": if let keycap = Keycap(rawValue: name) { self = .keycap(keycap) } else { return nil }
        case "key": if let slot = ActionSlot(rawValue: name) { self = .lowerKey(slot) } else { return nil }
        case "joystick": if let direction = JoystickDirection(rawValue: name) { self = .joystick(direction) } else { return nil }
        case "encoder": self = .encoder
        case "reasoning": if let direction = ReasoningDirection(rawValue: name) { self = .reasoning(direction) } else { return nil }
        case "reset-limit": self = .resetLimit
        default: return nil
        }
    }
}

extension ClientRequest.Aim {
    fileprivate var members: [String: JSONValue] {
        switch self {
        case .selected: [:]
        case .task(let task): ["task": .string(task.uuid)]
        case .host(let host): ["host": .string(host.uuid)]
        }
    }

    /// A task or a host that cannot be read must not become another aim.
    fileprivate init?(json: JSONValue) {
        switch (json["task"], json["host"]) {
        case (nil, nil): self = .selected
        case (let task?, nil): if let task = task.task { self = .task(task) } else { return nil }
        case (nil, let host?): if let host = host.hostID { self = .host(host) } else { return nil }
        case (_?, _?): return nil
        }
    }
}
