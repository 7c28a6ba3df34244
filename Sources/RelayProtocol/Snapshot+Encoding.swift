import JSON

extension Snapshot {
    /// Writes the members as they are; ``SnapshotBudget`` has brought them into their limits.
    func write(_ members: inout JSONWriter) {
        members.member("slots", array: { list in for slot in slots { list.object(slot.write) } })
        if let activeThreadKey { members.member("activeThreadKey", activeThreadKey) }
        if let activeThreadTitle { members.member("activeThreadTitle", activeThreadTitle) }
        members.member("layout", object: layout.write)
        members.member("agentSource", agentSource.rawValue)
        members.member("lightingAutoOff", lightingAutoOff)
        members.member("theme", theme.rawValue)
        if let usage { members.member("usage", object: usage.write) }
        if let hostSessions {
            members.member("hostSessions", array: { list in for session in hostSessions { list.object(session.write) } })
        }
    }
}

extension Slot {
    fileprivate func write(_ members: inout JSONWriter) {
        members.member("id", id)
        members.nullable("threadKey", threadKey)
        members.nullable("title", title)
        members.member("status", status.rawValue)
        members.member("selected", selected)
        if let activityAt { members.member("activityAt", activityAt.value) }
        if let ownedByHost { members.member("ownedByHost", ownedByHost) }
        if let contextUsedPercent { members.member("contextUsedPercent", contextUsedPercent) }
        members.workStart(workStartedAt, workStartRevision)
    }
}

extension HostSession {
    func write(_ members: inout JSONWriter) {
        members.member("threadId", threadID.uuid)
        members.member("activityAt", activityAt.value)
        members.member("status", status.rawValue)
        if let completionRevision { members.member("completionRevision", completionRevision) }
        if let contextUsedPercent { members.member("contextUsedPercent", contextUsedPercent) }
        members.workStart(workStartedAt, workStartRevision)
    }
}

extension KeyLayout {
    static let version: Int64 = 1

    fileprivate func write(_ members: inout JSONWriter) {
        members.member("version", Self.version)
        members.member("slots", object: { keys in
            for slot in ActionSlot.allCases {
                guard let key = slots[slot] else { continue }
                keys.member(slot.rawValue, object: { assignment in
                    assignment.member("keycapId", key.keycapID)
                    if let command = key.commandID { assignment.member("commandId", command) }
                })
            }
        })
        members.member("analogStick", object: { stick in
            for direction in JoystickDirection.allCases {
                if let name = analogStick[direction] { stick.member(direction.rawValue, name) }
            }
        })
    }
}

extension Usage {
    fileprivate func write(_ members: inout JSONWriter) {
        members.member("windows", array: { list in for window in windows { list.object(window.write) } })
        members.member("observedAt", observedAt.value)
        members.nullable("resetCreditsAvailable", resetCreditsAvailable)
        members.nullable("resetCreditsApplicable", resetCreditsApplicable)
    }
}

extension Usage.Window {
    static let maximumIDCharacters = 64

    fileprivate func write(_ members: inout JSONWriter) {
        members.member("id", id)
        members.member("kind", kind.rawValue)
        members.member("usedPercent", usedPercent)
        members.member("remainingPercent", remainingPercent)
        members.key("windowDurationMins")
        if let durationMinutes { members.number(durationMinutes) } else { members.null() }
        members.nullable("resetsAt", resetsAt?.value)
    }
}

extension JSONWriter {
    fileprivate mutating func nullable(_ key: String, _ text: String?) {
        self.key(key)
        if let text { string(text) } else { null() }
    }

    fileprivate mutating func nullable(_ key: String, _ number: (some FixedWidthInteger)?) {
        self.key(key)
        if let number { integer(number) } else { null() }
    }

    /// Both members or neither.
    fileprivate mutating func workStart(_ at: UnixMilliseconds?, _ revision: Int64?) {
        guard let at, let revision else { return }
        member("workStartedAt", at.value)
        member("workStartRevision", revision)
    }
}
