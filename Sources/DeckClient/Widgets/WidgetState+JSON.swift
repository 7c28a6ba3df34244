import JSON
import RelayProtocol

/// The file that widgets read. It is written by this program only, and read as if anybody could have written it.
extension WidgetState {
    /// The largest file that is read or written, in bytes.
    public static let maximumBytes = 65_536
    private static let version: Int64 = 1

    public func encoded() -> [UInt8] {
        JSONValue.object([
            "version": .number(Self.version), "writtenAt": .time(writtenAt), "slots": .array(slots.map { $0?.json ?? .null }),
            "current": current?.json ?? .null, "computers": .array(computers.map(\.json)), "fiveHour": fiveHour?.json ?? .null,
            "weekly": weekly?.json ?? .null, "usageAt": .time(usageAt), "unread": .number(unread), "follow": follow?.json ?? .null,
        ]).encoded()
    }

    /// - Returns: `nil` for anything that ``encoded()`` would not write.
    public init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.maximumBytes, let json = try? JSONParser(maximumDepth: 8).parse(bytes), json["version"]?.int == Self.version,
            let writtenAt = json["writtenAt"]?.time, let slots = json["slots"]?.array, slots.count == Snapshot.slotCount,
            let unread = json["unread"]?.int, let computers = json["computers"]?.array
        else { return nil }
        self.writtenAt = writtenAt
        self.slots = slots.map { Task(json: $0) }
        current = json["current"].flatMap { Task(json: $0) }
        self.computers = computers.prefix(Self.computersKept).compactMap { Computer(json: $0) }
        fiveHour = json["fiveHour"].flatMap { Window(json: $0) }
        weekly = json["weekly"].flatMap { Window(json: $0) }
        usageAt = json["usageAt"]?.time
        self.unread = Int(clamping: min(max(unread, 0), Int64(AttentionLedger.capacity)))
        follow = json["follow"].flatMap { Followed(json: $0) }
    }
}

private func clean(_ value: JSONValue?, _ limit: Int) -> String { DisplayText.sanitized(value?.string ?? "", maximumCharacters: limit) }
private func percent(_ value: JSONValue?) -> Int? { value?.int.flatMap { (0...100).contains($0) ? Int($0) : nil } }

extension WidgetState.Task {
    var json: JSONValue {
        [
            "id": .text(id?.uuid), "title": .string(title), "status": .string(status.rawValue), "host": .string(hostName),
            "badge": .string(badge.rawValue), "context": contextPercent.map { .number($0) } ?? .null, "activityAt": .time(activityAt),
            "selected": .bool(isSelected), "offline": .bool(isOffline),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard json["status"]?.string != nil, let badge = json["badge"]?.badge else { return nil }
        self.init(
            id: json["id"]?.task, title: clean(json["title"], AttentionEvent.titleLimit), status: TaskStatus(rawValue: clean(json["status"], 32)),
            hostName: clean(json["host"], AttentionEvent.hostNameLimit), badge: badge, contextPercent: percent(json["context"]),
            activityAt: json["activityAt"]?.time, isSelected: json["selected"]?.bool ?? false, isOffline: json["offline"]?.bool ?? true)
    }
}

extension WidgetState.Computer {
    fileprivate var json: JSONValue {
        [
            "id": .string(id.uuid), "name": .string(name), "badge": .string(badge.rawValue), "live": .bool(isLive), "selected": .bool(isSelected),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let id = json["id"]?.hostID, let badge = json["badge"]?.badge else { return nil }
        self.init(
            id: id, name: clean(json["name"], AttentionEvent.hostNameLimit), badge: badge, isLive: json["live"]?.bool ?? false,
            isSelected: json["selected"]?.bool ?? false)
    }
}

extension WidgetState.Window {
    var json: JSONValue { ["used": .number(usedPercent), "resetsAt": .time(resetsAt), "stale": .bool(isStale)] }

    fileprivate init?(json: JSONValue) {
        guard let used = percent(json["used"]) else { return nil }
        self.init(usedPercent: used, resetsAt: json["resetsAt"]?.time, isStale: json["stale"]?.bool ?? true)
    }
}

extension WidgetState.Followed {
    var json: JSONValue {
        [
            "task": .string(task.uuid), "title": .string(title), "words": .string(words), "place": .string(place),
            "context": contextPercent.map { .number($0) } ?? .null, "activityAt": .time(activityAt), "live": .bool(isLive),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let task = json["task"]?.task else { return nil }
        self.init(
            task: task, title: clean(json["title"], AttentionEvent.titleLimit), words: clean(json["words"], 32), place: clean(json["place"], 72),
            contextPercent: percent(json["context"]), activityAt: json["activityAt"]?.time, isLive: json["live"]?.bool ?? false)
    }
}
