import DeckClient
import JSON
import RelayProtocol

/// The board as scripts read it. No endpoints, no tokens.
enum BoardJSON {
    static func state(_ state: ClientState) -> JSONValue {
        let board = state.board
        return .object([
            "slots": .array(board.slots.map { $0.map(task) ?? .null }),
            "rest": .array(board.rest.map(task)),
            "computers": .array(board.computers.map(computer)),
            "nodes": .array(state.nodes.map(node)),
            "usage": usage(board.usage),
            "mode": board.mode.map { .string($0.rawValue) } ?? .null,
        ])
    }

    static func task(_ task: BoardTask) -> JSONValue {
        var fields: [String: JSONValue] = [
            "status": .string(task.status.rawValue), "title": .string(DisplayText.singleLine(task.title ?? "")), "host": .string(task.owner.uuid),
            "hostName": .string(DisplayText.singleLine(task.ownerName)), "system": .string(task.badge.rawValue), "selected": .bool(task.selected),
            "active": .bool(task.active), "offline": .bool(task.offline), "mirrors": .array(task.mirrors.map { .string($0.uuid) }),
            "commandable": .bool(task.target != nil),
        ]
        if let identity = task.identity { fields["id"] = .string(identity.uuid) }
        if let percent = task.contextPercent { fields["contextUsedPercent"] = .number(Double(percent)) }
        if let at = task.activityAt { fields["activityAt"] = .number(Double(at.value)) }
        if let at = task.workStartedAt { fields["workStartedAt"] = .number(Double(at.value)) }
        return .object(fields)
    }

    static func usage(_ usage: BoardUsage?) -> JSONValue {
        guard let usage else { return .null }
        return .object([
            "fiveHour": window(usage.fiveHour), "weekly": window(usage.weekly), "observedAt": .number(Double(usage.observedAt.value)),
            "resetCreditsAvailable": usage.resetCreditsAvailable.map { .number(Double($0)) } ?? .null, "host": .string(usage.host.uuid),
        ])
    }

    private static func window(_ window: BoardUsage.Window) -> JSONValue {
        guard let known = window.window else { return .null }
        let isStale = if case .stale = window { true } else { false }
        return .object([
            "usedPercent": .number(known.usedPercent), "resetsAt": known.resetsAt.map { .number(Double($0.value)) } ?? .null, "stale": .bool(isStale),
        ])
    }

    /// How a paired node can be reached, also one that was never heard and so is none of the computers.
    private static func node(_ node: ClientState.Node) -> JSONValue {
        .object([
            "id": .string(node.id), "name": .string(DisplayText.singleLine(node.profile.name)), "mode": .string(node.profile.route.rawValue),
            "health": .string(node.health.word), "reason": node.health.reason.map { .string($0) } ?? .null,
            "hostId": (node.host?.id ?? node.profile.hostID).map { .string($0.uuid) } ?? .null,
        ])
    }

    private static func computer(_ computer: Board.Computer) -> JSONValue {
        .object([
            "id": .string(computer.id.uuid), "name": .string(DisplayText.singleLine(computer.name)), "system": .string(computer.badge.rawValue),
            "health": .string(computer.health.word), "reason": computer.health.reason.map { .string($0) } ?? .null, "live": .bool(computer.isLive),
            "route": .string(computer.route.rawValue),
        ])
    }
}
