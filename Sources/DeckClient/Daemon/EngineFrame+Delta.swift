import JSON
import RelayProtocol

/// Frames travel as what changed since the one before, as a node's whole snapshot may be 64 KiB and mostly only its age changes.
extension EngineFrame {
    /// What has to be said to someone who knows `old`, or nothing yet; `nil` when nothing has.
    func delta(from old: EngineFrame?) -> JSONValue? {
        var members: [String: JSONValue] = [:]
        let known = Dictionary(uniqueKeysWithValues: (old?.nodes ?? []).map { ($0.state.id, $0) })
        let changed = nodes.filter { known[$0.state.id] != $0 }
        if !changed.isEmpty { members["nodes"] = .array(changed.map { $0.json(since: known[$0.state.id]) }) }
        let order = nodes.map(\.state.id)
        if old?.nodes.map(\.state.id) != order { members["order"] = .array(order.map { .string($0) }) }
        if old?.memory != memory { members["memory"] = .string(String(decoding: memory.encoded(), as: UTF8.self)) }
        if old?.events != events { members["events"] = .array(events.map(\.json)) }
        if old?.receipts != receipts { members["receipts"] = .array(receipts.map(\.json)) }
        if old?.settings != settings { members["settings"] = .string(String(decoding: SettingsDocument(settings).encoded(), as: UTF8.self)) }
        if old == nil || old?.follow != follow { members["follow"] = follow?.json ?? .null }
        return members.isEmpty ? nil : .object(members)
    }

    /// Takes what ``delta(from:)`` says.
    ///
    /// - Returns: `false` when it cannot be understood: then the two programs are of different versions.
    mutating func apply(_ delta: JSONValue) -> Bool {
        var known = Dictionary(uniqueKeysWithValues: nodes.map { ($0.state.id, $0) })
        for json in delta["nodes"]?.array ?? [] {
            guard let id = json["id"]?.string, let node = Node(json: json, former: known[id]) else { return false }
            known[id] = node
        }
        let order = delta["order"]?.array?.compactMap(\.string) ?? nodes.map(\.state.id)
        guard Set(order).count == order.count else { return false }
        nodes = order.compactMap { known[$0] }
        if let text = delta["memory"]?.string {
            guard let memory = try? MergeMemory(decoding: Array(text.utf8)) else { return false }
            self.memory = memory
        }
        if let list = delta["events"]?.array { events = list.compactMap(AttentionEvent.init(json:)) }
        if let list = delta["receipts"]?.array { receipts = list.compactMap(ReceiptRecord.init(json:)) }
        if let text = delta["settings"]?.string {
            guard let document = try? SettingsDocument(decoding: Array(text.utf8)) else { return false }
            settings = document.settings().settings
        }
        if let json = delta["follow"] { follow = Follow(json: json) }
        return true
    }
}

extension EngineFrame.Node {
    fileprivate func json(since former: Self?) -> JSONValue {
        var members: [String: JSONValue] = ["id": .string(state.id), "health": state.health.json, "bridge": .text(state.bridge)]
        members["capabilities"] = .array(state.capabilities.map { .string($0) })
        members["at"] = .time(state.lastSnapshotAt)
        if former?.state.profile != state.profile { members["profile"] = state.profile.json }
        members["view"] = view?.json(since: former?.view) ?? .null
        return .object(members)
    }

    fileprivate init?(json: JSONValue, former: Self?) {
        var profile = former?.state.profile
        if let text = json["profile"] { profile = try? NodeProfile(json: text) }
        guard let profile, let health = json["health"].flatMap(HostHealth.init(json:)), let capabilities = json["capabilities"]?.array else {
            return nil
        }
        var view: HostView?
        if let viewJSON = json["view"], !viewJSON.isNull {
            view = HostView(json: viewJSON, profile: profile, health: health, former: former?.view)
            if view == nil { return nil }
        }
        self.view = view
        state = ClientState.Node(
            profile: profile, health: health, host: view?.host, bridge: json["bridge"]?.string, capabilities: capabilities.compactMap(\.string),
            lastSnapshotAt: json["at"]?.time)
    }
}

extension HostHealth {
    var json: JSONValue { ["word": .string(word), "reason": .text(reason)] }

    init?(json: JSONValue) {
        let reason = json["reason"]?.string
        switch json["word"]?.string {
        case "connecting": self = .connecting
        case "ready": self = .ready
        case "degraded": self = .degraded(reason: reason ?? "")
        case "offline": self = .offline(reason: reason)
        case "re-pair required": self = .rePairRequired(reason: reason ?? "")
        default: return nil
        }
    }
}

extension HostView {
    fileprivate func json(since former: HostView?) -> JSONValue {
        var members: [String: JSONValue] = ["cached": .bool(isCached), "order": .number(pairedOrder)]
        members["health"] = health.json
        members["can"] = capabilities.map { .array($0.map(\.rawValue).sorted().map { .string($0) }) } ?? .null
        if let report {
            members["observedAt"] = .time(report.observedAt)
            members["receivedAt"] = .time(report.receivedAt)
            members["shift"] = .number(report.clockShift)
        }
        if former?.host != host || former?.report?.snapshot != report?.snapshot {
            // A host is always told with a snapshot, which is empty when there is none.
            let message = NodeMessage.snapshot(
                host: host, observedAt: report?.observedAt ?? UnixMilliseconds(clamping: 1), report?.snapshot ?? .empty)
            members["message"] = .string(String(decoding: message.encoded(), as: UTF8.self))
        }
        return .object(members)
    }

    fileprivate init?(json: JSONValue, profile: NodeProfile, health: HostHealth, former: HostView?) {
        var host = former?.host
        var snapshot = former?.report?.snapshot ?? .empty
        if let text = json["message"]?.string {
            guard case .snapshot(let named, _, let sent)? = try? NodeMessage(decoding: Array(text.utf8)[...]) else { return nil }
            (host, snapshot) = (named, sent)
        }
        guard let host, let order = json["order"]?.int, let isCached = json["cached"]?.bool else { return nil }
        let report = Self.report(json, snapshot, former: former?.report)
        let capabilities = json["can"]?.array.map { Set($0.compactMap { $0.string.flatMap(Capability.init(rawValue:)) }) }
        self.init(
            host: host, profileID: profile.id, route: profile.route, pairedOrder: Int(clamping: order),
            health: json["health"].flatMap(HostHealth.init(json:)) ?? health, capabilities: capabilities, cached: report)
        if !isCached, let report { receive(report.snapshot, observedAt: report.observedAt, receivedAt: report.receivedAt) }
    }

    /// The report with the very shift of the clock that the sender reads: every time on the board depends on it.
    private static func report(_ json: JSONValue, _ snapshot: Snapshot, former: HostReport?) -> HostReport? {
        guard let observedAt = json["observedAt"]?.time, let receivedAt = json["receivedAt"]?.time, let shift = json["shift"]?.int else { return nil }
        let kept = HostReport(snapshot: snapshot, observedAt: observedAt, receivedAt: receivedAt, previous: former)
        if kept.clockShift == shift { return kept }
        let anchored = HostReport(snapshot: snapshot, observedAt: observedAt, receivedAt: observedAt.advanced(byMilliseconds: shift))
        return HostReport(snapshot: snapshot, observedAt: observedAt, receivedAt: receivedAt, previous: anchored)
    }
}
