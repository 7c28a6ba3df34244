import JSON
import RelayProtocol

@testable import CodexAppServer

/// Messages of a daemon, and what stands in them.
enum Wire {
    static let start = UnixMilliseconds(clamping: 1_796_000_000_000)

    static func id(_ number: UInt8) -> TaskIdentity { TaskIdentity(bytes: [1, 0xa2, 0x2b, 0x92, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number]) }

    static func later(_ milliseconds: Int64) -> UnixMilliseconds { start.advanced(byMilliseconds: milliseconds) }

    // MARK: Values

    static let idle: JSONValue = ["type": "idle"]
    static let notLoaded: JSONValue = ["type": "notLoaded"]
    static let systemError: JSONValue = ["type": "systemError"]

    static func active(_ flags: String...) -> JSONValue { ["type": "active", "activeFlags": .array(flags.map { .string($0) })] }

    static func thread(_ number: UInt8, _ status: JSONValue = idle, _ more: [String: JSONValue] = [:]) -> JSONValue {
        let basic: [String: JSONValue] = [
            "id": .string(id(number).uuid), "status": status, "cwd": "/work", "ephemeral": false, "preview": .string("words of \(number)"),
            "recencyAt": 1_795_999_000,
        ]
        return .object(basic.merging(more) { $1 })
    }

    static func helper(_ number: UInt8, of parent: UInt8, _ status: JSONValue = idle) -> JSONValue {
        thread(number, status, ["parentThreadId": .string(id(parent).uuid), "source": ["subAgent": "review"]])
    }

    static func readState(unread: Bool, _ revision: String = "r1") -> JSONValue {
        ["firstUnread": unread ? ["type": "threadStart"] : .null, "revision": .string(revision)]
    }

    static func settings(effort: String? = "medium", tier: String? = nil, mode: String = "default", model: String = "gpt-5.5") -> JSONValue {
        [
            "model": .string(model), "effort": effort.map { .string($0) } ?? .null, "serviceTier": tier.map { .string($0) } ?? .null,
            "collaborationMode": ["mode": .string(mode), "settings": [:]], "sandboxPolicy": ["type": "readOnly"],
        ]
    }

    // MARK: Notifications

    static func note(_ method: String, _ number: UInt8, _ more: [String: JSONValue] = [:]) -> JSONValue {
        ["method": .string(method), "params": .object(["threadId": .string(id(number).uuid)].merging(more) { $1 })]
    }

    static func started(_ thread: JSONValue) -> JSONValue { ["method": "thread/started", "params": ["thread": thread]] }
    static func status(_ number: UInt8, _ status: JSONValue) -> JSONValue { note("thread/status/changed", number, ["status": status]) }
    static func resolved(_ request: Int, of number: UInt8) -> JSONValue {
        note("serverRequest/resolved", number, ["requestId": .number(Double(request))])
    }

    static func settingsUpdated(_ number: UInt8, _ settings: JSONValue) -> JSONValue {
        note("thread/settings/updated", number, ["threadSettings": settings])
    }

    static func turnStarted(_ number: UInt8, _ turn: String = "turn") -> JSONValue {
        note("turn/started", number, ["turn": ["id": .string(turn), "status": "inProgress"]])
    }

    static func turnCompleted(_ number: UInt8, _ status: String, _ turn: String = "turn") -> JSONValue {
        note("turn/completed", number, ["turn": ["id": .string(turn), "status": .string(status)]])
    }

    static func itemCompleted(_ number: UInt8, _ status: String, _ item: String = "item") -> JSONValue {
        note("item/completed", number, ["turnId": "turn", "item": ["id": .string(item), "type": "commandExecution", "status": .string(status)]])
    }

    // MARK: Requests

    static let commandMethod = "item/commandExecution/requestApproval"

    static func request(_ request: Int, of number: UInt8, _ method: String = commandMethod, _ more: [String: JSONValue] = [:]) -> JSONValue {
        let basic: [String: JSONValue] = ["threadId": .string(id(number).uuid), "turnId": "turn", "itemId": "item"]
        return ["id": .number(Double(request)), "method": .string(method), "params": .object(basic.merging(more) { $1 })]
    }

    static func question(_ request: Int, of number: UInt8, options: [String]) -> JSONValue {
        let options = JSONValue.array(options.map { ["label": .string($0)] })
        return Self.request(request, of: number, "item/tool/requestUserInput", ["questions": [["id": "q", "options": options]]])
    }

    // MARK: Read

    /// The event a notification or a request is for the product.
    static func event(_ message: JSONValue) -> AppServerEvent {
        let method = message["method"]?.string ?? ""
        if let id = RequestID(message["id"]) { return .request(ServerRequest(id: id, method: method, params: message["params"] ?? .null)) }
        guard let event = AppServerEvent(method: method, params: message["params"] ?? .null) else { preconditionFailure("no event: \(message)") }
        return event
    }

    static func record(_ thread: JSONValue) -> ThreadRecord {
        guard let record = ThreadRecord(thread) else { preconditionFailure("no thread: \(thread)") }
        return record
    }

    static func opened(_ thread: JSONValue, tier: JSONValue = .null) -> JSONValue {
        ["thread": thread, "model": "gpt-5.5", "reasoningEffort": "medium", "serviceTier": tier, "sandbox": ["type": "readOnly"]]
    }
}
