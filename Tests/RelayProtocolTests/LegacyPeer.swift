import JSON

/// What the strictest of the existing peers accept, written down a second time and independently of the decoder.
enum LegacyPeer {
    private static let topLevel: Set<String> = ["type", "protocol", "host", "observedAt", "snapshot"]
    private static let statuses: Set<String> = ["idle", "working", "complete"]
    private static let kinds: Set<String> = ["five-hour", "weekly", "other"]

    /// The first reason to drop the message; `nil` when it is fine.
    static func complaint(_ message: JSONValue) -> String? {
        guard message["type"] == "snapshot", message["protocol"] == 1 else { return "type" }
        guard isTime(message["observedAt"]) else { return "observedAt" }
        guard let name = message["host"]?["hostName"]?.string, (1...128).contains(name.utf16.count) else { return "hostName" }
        guard let platform = message["host"]?["platform"]?.string, ["win32", "darwin"].contains(platform) else { return "platform" }
        if let version = message["host"]?["codexVersion"], version.string.map({ $0.utf16.count <= 64 }) != true { return "codexVersion" }
        guard let snapshot = message["snapshot"], let slots = snapshot["slots"]?.array, slots.count == 6 else { return "slots" }
        let observedAt = message["observedAt"]?.number ?? 0
        for (id, slot) in slots.enumerated() {
            if let complaint = complaint(slot: slot, id: id, observedAt: observedAt) { return complaint }
        }
        if let title = snapshot["activeThreadTitle"], title.string.map({ $0.utf16.count <= 240 }) != true { return "activeThreadTitle" }
        guard snapshot["layout"]?["version"] == 1, snapshot["layout"]?["slots"]?.object != nil else { return "layout" }
        guard let source = snapshot["agentSource"]?.string, ["pinned", "recent", "priority", "custom"].contains(source) else { return "agentSource" }
        guard snapshot["lightingAutoOff"]?.string != nil, ["light", "dark"].contains(snapshot["theme"]?.string) else { return "theme" }
        return complaint(usage: snapshot["usage"]) ?? complaint(sessions: snapshot["hostSessions"], observedAt: observedAt)
    }

    private static func complaint(slot: JSONValue, id: Int, observedAt: Double) -> String? {
        guard slot["id"]?.int == Int64(id), slot["status"]?.string != nil, slot["selected"]?.bool != nil else { return "slot" }
        for key in ["threadKey", "title"] { guard let value = slot[key], value.isNull || value.string != nil else { return key } }
        if let title = slot["title"]?.string, title.utf16.count > 240 || title.count > 120 { return "title" }
        if let time = slot["activityAt"], !isTime(time) { return "slot.activityAt" }
        return complaint(percent: slot["contextUsedPercent"]) ?? complaint(work: slot, observedAt)
    }

    private static func complaint(usage: JSONValue?) -> String? {
        guard let usage else { return nil }
        guard let windows = usage["windows"]?.array, windows.count <= 8, isTime(usage["observedAt"]) else { return "windows" }
        for window in windows {
            guard let id = window["id"]?.string, (1...64).contains(id.utf16.count) else { return "window id" }
            guard let kind = window["kind"]?.string, kinds.contains(kind) else { return "window kind" }
            guard let used = window["usedPercent"]?.number, let left = window["remainingPercent"]?.number else { return "window percent" }
            guard (0...100).contains(used), (0...100).contains(left) else { return "window percent" }
            guard let minutes = window["windowDurationMins"], minutes.isNull || minutes.number.map({ $0 > 0 }) == true else { return "duration" }
            guard let reset = window["resetsAt"], reset.isNull || isTime(reset) else { return "resetsAt" }
        }
        for key in ["resetCreditsAvailable", "resetCreditsApplicable"] {
            guard let value = usage[key], value.isNull || value.int.map({ $0 >= 0 }) == true else { return key }
        }
        return nil
    }

    private static func complaint(sessions: JSONValue?, observedAt: Double) -> String? {
        guard let sessions else { return nil }
        guard let list = sessions.array, list.count <= 128 else { return "hostSessions" }
        for session in list {
            guard session["threadId"]?.string?.count == 36, isTime(session["activityAt"]) else { return "session" }
            guard statuses.contains(session["status"]?.string ?? "") else { return "session status" }
            if let revision = session["completionRevision"], revision.number.map({ $0 >= 0 }) != true { return "revision" }
            if let complaint = complaint(percent: session["contextUsedPercent"]) ?? complaint(work: session, observedAt) { return complaint }
        }
        return nil
    }

    private static func complaint(percent: JSONValue?) -> String? {
        guard let percent else { return nil }
        return percent.number.map { (0...100).contains($0) } == true ? nil : "contextUsedPercent"
    }

    private static func complaint(work: JSONValue, _ observedAt: Double) -> String? {
        switch (work["workStartedAt"]?.number, work["workStartRevision"]?.number) {
        case (nil, nil): nil
        case (let at?, let revision?): at <= observedAt && revision >= 0 ? nil : "work"
        default: "half a work start"
        }
    }

    private static func isTime(_ value: JSONValue?) -> Bool { value?.number.map { $0 > 0 && $0.isFinite } == true }
}
