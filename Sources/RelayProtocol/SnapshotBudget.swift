import JSON

/// Brings a snapshot into the limits of the wire and encodes it.
///
/// A message never exceeds ``maximumBytes``, because the phone disconnects on one that does: the oldest of `hostSessions` go first, then
/// titles get shorter. What is left when all of that is gone has fixed limits far below 64 KiB.
public struct SnapshotBudget: Sendable {
    /// Bytes of the whole message.
    public let maximumBytes: Int
    /// Characters of each title, 1 … 240.
    public let maximumTitleCharacters: Int

    /// - Parameter maximumBytes: Below about 12 KiB a snapshot of worst-case texts may not fit even when everything was shed.
    public init(
        maximumBytes: Int = RelayLimits.maximumMessageBytes, maximumTitleCharacters: Int = RelayLimits.maximumTitleCharacters
    ) {
        self.maximumBytes = maximumBytes
        self.maximumTitleCharacters = min(max(maximumTitleCharacters, 1), RelayLimits.maximumTitleUTF16Units)
    }

    /// The snapshot message as the text to send.
    public func encoded(host: Host, observedAt: UnixMilliseconds, _ snapshot: Snapshot) -> [UInt8] {
        var snapshot = bounded(snapshot, observedAt: observedAt)
        var bytes = Self.encode(host, observedAt, snapshot)
        if bytes.count > maximumBytes, let sessions = snapshot.hostSessions, !sessions.isEmpty {
            snapshot.hostSessions = Self.shed(sessions, bytes: bytes.count - maximumBytes)
            bytes = Self.encode(host, observedAt, snapshot)
        }
        var characters = maximumTitleCharacters
        while bytes.count > maximumBytes, characters > 0 {
            characters /= 2
            Self.cutTitles(of: &snapshot, to: characters)
            bytes = Self.encode(host, observedAt, snapshot)
        }
        return bytes
    }

    private static func encode(_ host: Host, _ observedAt: UnixMilliseconds, _ snapshot: Snapshot) -> [UInt8] {
        var writer = JSONWriter(capacity: 4096 + (snapshot.hostSessions?.count ?? 0) * 224)
        writer.object { message in
            message.member("type", "snapshot")
            message.member("protocol", RelayLimits.version)
            message.member("host", object: host.write)
            message.member("observedAt", observedAt.value)
            message.member("snapshot", object: snapshot.write)
        }
        return writer.bytes
    }

    /// `sessions` in their order, without as many of the oldest as it takes to save `bytes`.
    private static func shed(_ sessions: [HostSession], bytes: Int) -> [HostSession] {
        var saved = 0
        var dropped: Set<Int> = []
        for index in oldestFirst(sessions) {
            if saved >= bytes { break }
            var writer = JSONWriter(capacity: 256)
            writer.object(sessions[index].write)
            saved += writer.bytes.count + (dropped.count == sessions.count - 1 ? 0 : 1)  // with its comma
            dropped.insert(index)
        }
        return sessions.indices.filter { !dropped.contains($0) }.map { sessions[$0] }
    }

    private static func oldestFirst(_ sessions: [HostSession]) -> [Int] {
        sessions.indices.sorted { left, right in
            (sessions[left].activityAt, sessions[left].threadID) < (sessions[right].activityAt, sessions[right].threadID)
        }
    }

    private static func cutTitles(of snapshot: inout Snapshot, to characters: Int) {
        func cut(_ title: String?) -> String? {
            guard let title, characters > 0 else { return nil }
            return DisplayText.clipped(title, maximumCharacters: characters, maximumUTF16Units: 2 * characters)
        }
        snapshot.activeThreadTitle = cut(snapshot.activeThreadTitle)
        for index in snapshot.slots.indices { snapshot.slots[index].title = cut(snapshot.slots[index].title) }
    }
}

// MARK: Limits of single fields

extension SnapshotBudget {
    /// The longest key: longer ones than a ``TaskKey`` can have are left out.
    private static let maximumKeyBytes = 256

    /// `snapshot` with every field within what all peers accept.
    private func bounded(_ snapshot: Snapshot, observedAt: UnixMilliseconds) -> Snapshot {
        var result = snapshot
        result.slots = (0..<Snapshot.slotCount).map { id in
            snapshot.slots.indices.contains(id) ? slot(snapshot.slots[id], id: id, observedAt) : .empty(id: id)
        }
        result.activeThreadKey = Self.key(snapshot.activeThreadKey)
        result.activeThreadTitle = title(snapshot.activeThreadTitle)
        result.layout = Self.layout(snapshot.layout)
        result.lightingAutoOff = DisplayText.clipped(snapshot.lightingAutoOff, maximumUTF16Units: 64)
        result.usage = snapshot.usage.map(Self.usage)
        if var sessions = snapshot.hostSessions {
            if sessions.count > Snapshot.maximumSessions {
                let dropped = Set(Self.oldestFirst(sessions).prefix(sessions.count - Snapshot.maximumSessions))
                sessions = sessions.indices.filter { !dropped.contains($0) }.map { sessions[$0] }
            }
            for index in sessions.indices {
                sessions[index].contextUsedPercent = Self.percent(sessions[index].contextUsedPercent)
                if let revision = sessions[index].completionRevision, revision < 0 { sessions[index].completionRevision = nil }
                if !Self.isWorkStart(sessions[index].workStartedAt, sessions[index].workStartRevision, observedAt) {
                    sessions[index].workStartedAt = nil
                    sessions[index].workStartRevision = nil
                }
            }
            result.hostSessions = sessions
        }
        return result
    }

    private func slot(_ slot: Slot, id: Int, _ observedAt: UnixMilliseconds) -> Slot {
        var slot = slot
        slot.id = id
        slot.threadKey = Self.key(slot.threadKey)
        slot.title = title(slot.title)
        slot.status = TaskStatus(rawValue: DisplayText.clipped(slot.status.rawValue, maximumUTF16Units: 64))
        slot.contextUsedPercent = Self.percent(slot.contextUsedPercent)
        if !Self.isWorkStart(slot.workStartedAt, slot.workStartRevision, observedAt) {
            slot.workStartedAt = nil
            slot.workStartRevision = nil
        }
        return slot
    }

    private func title(_ title: String?) -> String? {
        title.map {
            DisplayText.clipped($0, maximumCharacters: maximumTitleCharacters, maximumUTF16Units: RelayLimits.maximumTitleUTF16Units)
        }
    }

    private static func key(_ key: String?) -> String? { key.flatMap { $0.utf8.count <= maximumKeyBytes ? $0 : nil } }
    private static func percent(_ percent: Int?) -> Int? { percent.map { min(max($0, 0), 100) } }

    private static func isWorkStart(_ at: UnixMilliseconds?, _ revision: Int64?, _ observedAt: UnixMilliseconds) -> Bool {
        guard let at, let revision else { return false }
        return at <= observedAt && revision >= 0
    }

    private static func layout(_ layout: KeyLayout) -> KeyLayout {
        KeyLayout(
            slots: layout.slots.mapValues { key in
                KeyLayout.Assignment(
                    keycapID: DisplayText.clipped(key.keycapID, maximumUTF16Units: 64),
                    commandID: key.commandID.map { DisplayText.clipped($0, maximumUTF16Units: 128) })
            },
            analogStick: layout.analogStick.mapValues { DisplayText.clipped($0, maximumUTF16Units: 128) })
    }

    /// Windows without an id or with numbers that are none are left out: missing is better than wrong.
    private static func usage(_ usage: Usage) -> Usage {
        var usage = usage
        usage.windows = usage.windows.filter { !$0.id.isEmpty && $0.usedPercent.isFinite && $0.remainingPercent.isFinite }
        if usage.windows.count > Usage.maximumWindows { usage.windows.removeLast(usage.windows.count - Usage.maximumWindows) }
        for index in usage.windows.indices {
            var window = usage.windows[index]
            window.id = DisplayText.clipped(window.id, maximumUTF16Units: Usage.Window.maximumIDCharacters)
            window.usedPercent = min(max(window.usedPercent, 0), 100)
            window.remainingPercent = min(max(window.remainingPercent, 0), 100)
            if let minutes = window.durationMinutes, !(minutes > 0 && minutes.isFinite) { window.durationMinutes = nil }
            usage.windows[index] = window
        }
        if let credits = usage.resetCreditsAvailable, credits < 0 { usage.resetCreditsAvailable = nil }
        if let credits = usage.resetCreditsApplicable, credits < 0 { usage.resetCreditsApplicable = nil }
        return usage
    }
}
