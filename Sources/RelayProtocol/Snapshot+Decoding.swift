import JSON

extension Snapshot {
    /// See the rules at ``NodeMessage/init(decoding:)``.
    init(_ fields: WireFields, observedAt: UnixMilliseconds) throws(InvalidField) {
        let slotValues = try fields.array("slots")
        guard slotValues.count == Self.slotCount else { throw fields.invalid("slots") }
        var slots: [Slot] = []
        for (id, value) in slotValues.enumerated() {
            slots.append(try Slot(WireFields(value, "slot"), id: id, observedAt: observedAt))
        }
        let usage = try fields.given("usage").map { value throws(InvalidField) in try Usage(WireFields(value, "usage")) }
        self.init(
            slots: slots,
            activeThreadKey: try fields.optionalString("activeThreadKey"),
            activeThreadTitle: try fields.title("activeThreadTitle"),
            layout: try KeyLayout(fields.object("layout")),
            // A way of filling the slots that we do not know is the host's own.
            agentSource: AgentSource(rawValue: try fields.string("agentSource")) ?? .custom,
            lightingAutoOff: try fields.optionalString("lightingAutoOff") ?? "3-minutes",
            theme: try fields.optionalString("theme").flatMap(Theme.init) ?? .dark,
            usage: usage,
            hostSessions: try HostSession.list(fields, observedAt: observedAt))
    }
}

extension WireFields {
    /// A title is only read by people, so one that is too long is cut.
    fileprivate func title(_ key: String) throws(InvalidField) -> String? {
        try optionalString(key).map { DisplayText.clipped($0, maximumUTF16Units: RelayLimits.maximumTitleUTF16Units) }
    }

    /// When the work began: both members, valid and not later than the message, or nothing.
    fileprivate func workStart(observedAt: UnixMilliseconds) -> (at: UnixMilliseconds, revision: Int64)? {
        guard let at = self["workStartedAt"]?.number.flatMap({ UnixMilliseconds($0) }), at <= observedAt,
            let revision = self["workStartRevision"]?.int, revision >= 0
        else { return nil }
        return (at, revision)
    }
}

extension Slot {
    fileprivate init(_ fields: WireFields, id: Int, observedAt: UnixMilliseconds) throws(InvalidField) {
        guard fields["id"]?.int == Int64(id) else { throw fields.invalid("id") }
        let start = fields.workStart(observedAt: observedAt)
        self.init(
            id: id,
            threadKey: try fields.optionalString("threadKey"),
            title: try fields.title("title"),
            status: TaskStatus(rawValue: try fields.string("status")),
            selected: try fields.bool("selected"),
            activityAt: try fields.optionalTime("activityAt"),
            ownedByHost: try fields.optionalBool("ownedByHost"),
            contextUsedPercent: try fields.optionalPercent("contextUsedPercent"),
            workStartedAt: start?.at, workStartRevision: start?.revision)
    }
}

extension HostSession {
    fileprivate static func list(_ fields: WireFields, observedAt: UnixMilliseconds) throws(InvalidField) -> [HostSession]? {
        guard fields.given("hostSessions") != nil else { return nil }
        let values = try fields.array("hostSessions")
        guard values.count <= Snapshot.maximumSessions else { throw fields.invalid("hostSessions") }
        var sessions: [HostSession] = []
        for value in values {
            if let session = try HostSession(WireFields(value, "hostSession"), observedAt: observedAt) { sessions.append(session) }
        }
        return sessions
    }

    /// - Returns: `nil` when the id holds no UUID: such a session can be joined with nothing.
    private init?(_ fields: WireFields, observedAt: UnixMilliseconds) throws(InvalidField) {
        let activityAt = try fields.time("activityAt")
        let status = Status(rawValue: try fields.string("status")) ?? .idle
        let revision = try fields.optionalCount("completionRevision")
        let percent = try fields.optionalPercent("contextUsedPercent")
        guard let key = TaskKey(try fields.string("threadId")) else { return nil }
        let start = fields.workStart(observedAt: observedAt)
        self.init(
            threadID: key.identity, activityAt: activityAt, status: status, completionRevision: revision, contextUsedPercent: percent,
            workStartedAt: start?.at, workStartRevision: start?.revision)
    }
}

extension KeyLayout {
    fileprivate init(_ fields: WireFields) throws(InvalidField) {
        guard fields["version"]?.int == Self.version else { throw fields.invalid("version") }
        let keys = try fields.object("slots")
        var slots: [ActionSlot: Assignment] = [:]
        for slot in ActionSlot.allCases where keys.given(slot.rawValue) != nil {
            let key = try keys.object(slot.rawValue)
            slots[slot] = Assignment(keycapID: try key.string("keycapId"), commandID: try key.optionalString("commandId"))
        }
        // What a direction is called is only shown.
        let names = fields["analogStick"]
        var stick: [JoystickDirection: String] = [:]
        for direction in JoystickDirection.allCases { stick[direction] = names?[direction.rawValue]?.string }
        self.init(slots: slots, analogStick: stick)
    }
}

extension Usage {
    fileprivate init(_ fields: WireFields) throws(InvalidField) {
        let values = try fields.array("windows")
        guard values.count <= Self.maximumWindows else { throw fields.invalid("windows") }
        var windows: [Window] = []
        for value in values { windows.append(try Window(WireFields(value, "usage window"))) }
        self.init(
            windows: windows, observedAt: try fields.time("observedAt"),
            resetCreditsAvailable: try fields.optionalCount("resetCreditsAvailable").map(Int.init),
            resetCreditsApplicable: try fields.optionalCount("resetCreditsApplicable").map(Int.init))
    }
}

extension Usage.Window {
    fileprivate init(_ fields: WireFields) throws(InvalidField) {
        let id = try fields.string("id")
        guard (1...Self.maximumIDCharacters).contains(id.count) else { throw fields.invalid("id") }
        let duration = fields.given("windowDurationMins")
        if let duration { guard let minutes = duration.number, minutes > 0 else { throw fields.invalid("windowDurationMins") } }
        self.init(
            id: id,
            // An unknown kind must not pass for one of the two main windows.
            kind: Kind(rawValue: try fields.string("kind")) ?? .other,
            usedPercent: try fields.percent("usedPercent"), remainingPercent: try fields.percent("remainingPercent"),
            durationMinutes: duration?.number, resetsAt: try fields.optionalTime("resetsAt"))
    }
}
