import RelayProtocol
import WebSocket

/// A full snapshot of a busy computer: six tasks on keys and as many sessions as make 20 KiB.
enum SampleSnapshot {
    static let host = Host(id: hostID, name: "benchmark", platform: .mac, os: "linux")
    static let key = "local:" + uuid(0)

    private static let hostID: HostID = {
        guard let id = HostID("00000000-0000-4000-8000-000000000001") else { preconditionFailure("the text is a UUID") }
        return id
    }()

    /// The UUID of the task with this number.
    static func uuid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        let scattered = String(UInt32(truncatingIfNeeded: number &* 2_654_435_761), radix: 16)
        return pad(scattered, 8) + "-0000-7000-8000-" + pad(digits, 12)
    }

    private static func pad(_ text: String, _ length: Int) -> String { String(repeating: "0", count: length - text.utf8.count) + text }

    static func identity(_ number: Int) -> TaskIdentity {
        guard let identity = TaskIdentity(uuid(number)) else { preconditionFailure("the text is a UUID") }
        return identity
    }

    /// - Parameter round: Changes times and revisions, never the size.
    static func make(round: Int = 0, firstTask: Int = 0, sessions: Int = 86) -> Snapshot {
        let base: Int64 = 1_796_000_000_000 + Int64(round)
        func time(_ index: Int) -> UnixMilliseconds { UnixMilliseconds(clamping: base - Int64(index) * 1_000) }
        let statuses: [TaskStatus] = [.working, .idle, .complete, .awaitingApproval, .error, .unread]
        let slots = (0..<Snapshot.slotCount).map { index in
            Slot(
                id: index, threadKey: "local:" + uuid(firstTask + index),
                title: "Task number \(index) of this computer, with a title of usual length", status: statuses[index],
                selected: index == 2, activityAt: time(index), ownedByHost: true, contextUsedPercent: 40,
                workStartedAt: time(index + 60), workStartRevision: 1_000_000 + Int64(round % 1_000))
        }
        let list = (0..<sessions).map { index in
            HostSession(
                threadID: identity(firstTask + index), activityAt: time(index), status: index % 3 == 0 ? .working : .idle,
                completionRevision: 2_000_000 + Int64(index), contextUsedPercent: 10 + index % 80, workStartedAt: time(index + 60),
                workStartRevision: 1_000_000 + Int64(index))
        }
        return Snapshot(slots: slots, activeThreadKey: "local:" + uuid(firstTask + 2), activeThreadTitle: "Task number 2", hostSessions: list)
    }

    /// The frame that carries it, as a server sends it.
    static func frame(_ snapshot: Snapshot) -> [UInt8] {
        let now = UnixMilliseconds(clamping: wallClock())
        return FrameEncoder.serverFrame(text: NodeMessage.snapshot(host: host, observedAt: now, snapshot).encoded())
    }
}
