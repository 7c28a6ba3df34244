import DeckClient
import RelayProtocol

/// What sixteen busy computers say: six slots and 128 sessions each.
enum SampleHosts {
    static let count = 16
    /// The moment at which they say it.
    static let now: Int64 = 1_796_000_000_000

    /// - Parameter round: Changes times and revisions, never the size.
    static func make(round: Int = 0) -> [HostView] {
        (0..<count).map { number in
            let id = HostID(SampleSnapshot.uuid(0x900_000 + number)) ?? SampleSnapshot.host.id
            var view = HostView(
                host: Host(id: id, name: "host \(number)", platform: .mac, os: "linux"), profileID: "p\(number)", pairedOrder: number, health: .ready)
            view.receive(
                SampleSnapshot.make(round: number + round, firstTask: number * 1_000, sessions: Snapshot.maximumSessions),
                observedAt: UnixMilliseconds(clamping: now), receivedAt: UnixMilliseconds(clamping: now + Int64(number)))
            return view
        }
    }
}
