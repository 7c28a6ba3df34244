import JSON
import RelayProtocol

/// What a screen says to the engine, one JSON object a line.
enum EngineRequest: Sendable, Equatable {
    /// Send what you know now and whenever it changes; `shows` tells that this screen can show a task.
    case subscribe(shows: Bool)
    case perform(ClientRequest)
    /// Give up waiting for the commands of this connection.
    case interrupt
    case change(ClientChange)
    /// Answer once every node has answered or failed, or after that many milliseconds.
    case settle(milliseconds: Int64)
    /// Show a task where a dashboard is open, and answer whether one is; nothing is opened for it.
    case showIfOpen(TaskIdentity)
}

/// What the engine says, one JSON object a line.
enum EngineReply: Sendable, Equatable {
    /// The first line: which language this engine speaks.
    case hello(version: Int64)
    case frame(JSONValue)
    case outcome(id: Int64, CommandOutcome)
    case done(id: Int64)
    /// The answer to ``EngineRequest/showIfOpen(_:)``.
    case shown(id: Int64, Bool)
    case show(TaskIdentity)
}

enum EngineProtocol {
    /// Both programs are of one package; another number means that the running one is older or newer than this.
    static let version: Int64 = 1
    /// A frame may hold the snapshots of all nodes.
    static let maximumReplyBytes = 32 << 20
    static let maximumRequestBytes = 65_536
}

extension EngineRequest {
    func line(id: Int64) -> [UInt8] {
        var members: [String: JSONValue] = ["id": .number(id)]
        switch self {
        case .subscribe(let shows):
            members["ask"] = "subscribe"
            members["shows"] = .bool(shows)
        case .perform(let request):
            members["ask"] = "perform"
            members["request"] = request.json
        case .interrupt: members["ask"] = "interrupt"
        case .change(let change):
            members["ask"] = "change"
            members["change"] = change.json
        case .settle(let milliseconds):
            members["ask"] = "settle"
            members["milliseconds"] = .number(milliseconds)
        case .showIfOpen(let task):
            members["ask"] = "showIfOpen"
            members["task"] = .string(task.uuid)
        }
        return JSONValue.object(members).encoded() + [0x0a]
    }

    /// - Returns: `nil` for a line that makes no sense.
    static func read(_ line: [UInt8]) -> (id: Int64, request: EngineRequest)? {
        guard let json = try? JSONParser(maximumDepth: 8).parse(line), let id = json["id"]?.int else { return nil }
        switch json["ask"]?.string {
        case "subscribe": return (id, .subscribe(shows: json["shows"]?.bool ?? false))
        case "perform": return json["request"].flatMap(ClientRequest.init(json:)).map { (id, .perform($0)) }
        case "interrupt": return (id, .interrupt)
        case "change": return json["change"].flatMap(ClientChange.init(json:)).map { (id, .change($0)) }
        case "settle": return (id, .settle(milliseconds: min(max(json["milliseconds"]?.int ?? 0, 0), 60_000)))
        case "showIfOpen": return json["task"]?.task.map { (id, .showIfOpen($0)) }
        default: return nil
        }
    }
}

extension EngineReply {
    var line: [UInt8] {
        let json: JSONValue =
            switch self {
            case .hello(let version): ["hello": .number(version)]
            case .frame(let delta): ["frame": delta]
            case .outcome(let id, let outcome): ["id": .number(id), "outcome": outcome.json]
            case .done(let id): ["id": .number(id)]
            case .shown(let id, let isShown): ["id": .number(id), "shown": .bool(isShown)]
            case .show(let task): ["show": .string(task.uuid)]
            }
        return json.encoded() + [0x0a]
    }

    init?(line: [UInt8]) {
        guard let json = try? JSONParser(maximumDepth: 32).parse(line) else { return nil }
        if let version = json["hello"]?.int {
            self = .hello(version: version)
        } else if let delta = json["frame"] {
            self = .frame(delta)
        } else if let task = json["show"]?.task {
            self = .show(task)
        } else if let id = json["id"]?.int, let isShown = json["shown"]?.bool {
            self = .shown(id: id, isShown)
        } else if let id = json["id"]?.int {
            guard let outcome = json["outcome"] else {
                self = .done(id: id)
                return
            }
            guard let outcome = CommandOutcome(json: outcome) else { return nil }
            self = .outcome(id: id, outcome)
        } else {
            return nil
        }
    }
}

extension ClientChange {
    var json: JSONValue {
        switch self {
        case .mark(let ids, let read): ["to": "mark", "ids": .array(ids.map { .number($0) }), "read": .bool(read)]
        case .remove(let ids): ["to": "remove", "ids": .array(ids.map { .number($0) })]
        case .follow(let task): ["to": "follow", "task": .text(task?.uuid)]
        case .settings: ["to": "settings"]
        case .profiles(let renewed): ["to": "profiles", "renewed": .text(renewed)]
        case .reconnect: ["to": "reconnect"]
        case .show(let task): ["to": "show", "task": .string(task.uuid)]
        }
    }

    init?(json: JSONValue) {
        let ids = json["ids"]?.array?.compactMap(\.int) ?? []
        switch json["to"]?.string {
        case "mark": self = .mark(ids, read: json["read"]?.bool ?? true)
        case "remove": self = .remove(ids)
        case "follow":
            guard let task = json["task"] else { return nil }
            if task.isNull { self = .follow(nil) } else if let task = task.task { self = .follow(task) } else { return nil }
        case "settings": self = .settings
        case "profiles": self = .profiles(renewed: json["renewed"]?.string)
        case "reconnect": self = .reconnect
        case "show": if let task = json["task"]?.task { self = .show(task) } else { return nil }
        default: return nil
        }
    }
}
