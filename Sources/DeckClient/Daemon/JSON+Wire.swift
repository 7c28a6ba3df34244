import JSON
import RelayProtocol

/// Short words for reading and writing what goes over the socket of the engine.
extension JSONValue {
    static func number(_ value: Int64) -> JSONValue { .number(Double(value)) }
    static func number(_ value: Int) -> JSONValue { .number(Double(value)) }
    static func time(_ value: UnixMilliseconds?) -> JSONValue { value.map { .number(Double($0.value)) } ?? .null }
    static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
    static func revision(_ value: Acknowledgements.Revision?) -> JSONValue {
        switch value {
        case .number(let number): .number(number)
        case .unnumbered: true
        case nil: .null
        }
    }

    var time: UnixMilliseconds? { int.flatMap { UnixMilliseconds($0) } }
    var revision: Acknowledgements.Revision? { int.map { .number($0) } ?? (bool == true ? .unnumbered : nil) }
    var task: TaskIdentity? { string.flatMap { TaskIdentity($0) } }
    var hostID: HostID? { string.flatMap { HostID($0) } }
    var badge: HostBadge? { string.flatMap(HostBadge.init(rawValue:)) }
}

extension AttentionEvent {
    var json: JSONValue {
        [
            "id": .number(id), "kind": .string(kind.rawValue), "task": .string(task.uuid), "revision": .revision(revision), "title": .string(title),
            "host": .string(host.uuid), "hostName": .string(hostName), "badge": .string(badge.rawValue), "at": .time(at),
            "activityAt": .time(activityAt), "read": .bool(isRead), "endedAt": .time(endedAt),
        ]
    }

    init?(json: JSONValue) {
        guard let id = json["id"]?.int, let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)), let task = json["task"]?.task,
            let host = json["host"]?.hostID, let badge = json["badge"]?.badge, let at = json["at"]?.time
        else { return nil }
        self.init(
            id: id, kind: kind, task: task, revision: json["revision"]?.revision, title: json["title"]?.string ?? "", host: host,
            hostName: json["hostName"]?.string ?? "", badge: badge, at: at, activityAt: json["activityAt"]?.time,
            isRead: json["read"]?.bool ?? false, endedAt: json["endedAt"]?.time)
    }
}

extension Follow {
    var json: JSONValue {
        ["task": .string(task.uuid), "since": .time(since), "endsAt": .time(endsAt), "known": known?.json ?? .null]
    }

    init?(json: JSONValue) {
        guard let task = json["task"]?.task, let since = json["since"]?.time else { return nil }
        self.init(task, since: since, known: json["known"].flatMap(Known.init(json:)), endsAt: json["endsAt"]?.time)
    }
}

extension Follow.Known {
    fileprivate var json: JSONValue {
        [
            "title": .string(title), "status": .string(status.rawValue), "host": .string(host.uuid), "hostName": .string(hostName),
            "badge": .string(badge.rawValue), "activityAt": .time(activityAt), "context": contextPercent.map { .number($0) } ?? .null,
            "receivedAt": .time(receivedAt), "completion": .revision(completion),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let status = json["status"]?.string, let host = json["host"]?.hostID, let badge = json["badge"]?.badge,
            let receivedAt = json["receivedAt"]?.time
        else { return nil }
        self.init(
            title: json["title"]?.string ?? "", status: TaskStatus(rawValue: DisplayText.sanitized(status, maximumCharacters: 32)), host: host,
            hostName: json["hostName"]?.string ?? "", badge: badge, activityAt: json["activityAt"]?.time,
            contextPercent: json["context"]?.int.map { Int(clamping: min(max($0, 0), 100)) }, receivedAt: receivedAt,
            completion: json["completion"]?.revision)
    }
}

extension ReceiptRecord {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .number(id), "action": .string(action), "task": .text(task?.uuid), "title": .string(title), "hostName": .string(hostName),
            "at": .time(at),
        ]
        switch step {
        case .sending: members["step"] = "sending"
        case .confirmedByHost: members["step"] = "confirmed"
        case .finished(let kind, let word, let sentence):
            members["step"] = .string(kind.word)
            members["word"] = .string(word)
            members["sentence"] = .string(sentence)
        }
        return .object(members)
    }

    init?(json: JSONValue) {
        guard let id = json["id"]?.int, let action = json["action"]?.string, let at = json["at"]?.time, let name = json["step"]?.string else {
            return nil
        }
        let step: Step
        switch name {
        case "sending": step = .sending
        case "confirmed": step = .confirmedByHost
        default:
            guard let kind = CommandOutcome.Kind(word: name), let word = json["word"]?.string, let sentence = json["sentence"]?.string else {
                return nil
            }
            step = .finished(kind, word: word, sentence: sentence)
        }
        self.init(
            id: id, action: action, task: json["task"]?.task, title: json["title"]?.string ?? "", hostName: json["hostName"]?.string ?? "",
            step: step, at: at)
    }
}

extension CommandOutcome.Kind {
    var word: String {
        switch self {
        case .success: "success"
        case .warning: "warning"
        case .failure: "failure"
        }
    }

    init?(word: String) {
        switch word {
        case "success": self = .success
        case "warning": self = .warning
        case "failure": self = .failure
        default: return nil
        }
    }
}
