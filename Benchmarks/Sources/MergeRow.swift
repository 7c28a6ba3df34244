import DeckClient
import RelayProtocol

/// One board from what sixteen computers say.
enum MergeRow {
    static func measure(_ conditions: Conditions) -> [Measurement] {
        let now: Int64 = 1_796_000_000_000
        let hosts = (0..<16).map { number -> HostView in
            let id = HostID(SampleSnapshot.uuid(0x900_000 + number)) ?? SampleSnapshot.host.id
            var view = HostView(
                host: Host(id: id, name: "host \(number)", platform: .mac, os: "linux"), profileID: "p\(number)", pairedOrder: number, health: .ready)
            view.receive(
                SampleSnapshot.make(round: number, firstTask: number * 1_000, sessions: Snapshot.maximumSessions),
                observedAt: UnixMilliseconds(clamping: now), receivedAt: UnixMilliseconds(clamping: now + Int64(number)))
            return view
        }
        let memory = MergeMemory()
        let clock = ContinuousClock()
        var times: [Double] = []
        for _ in 0..<conditions.count(2_000, quick: 500) {
            var board: Board?
            let time = clock.measure {
                board = DeckMerge.merge(
                    hosts: hosts, authority: nil, acknowledgements: memory.acknowledgements, joins: memory.joins,
                    now: UnixMilliseconds(clamping: now + 100))
            }
            precondition(board?.tasks.count == 16 * Snapshot.slotCount)
            times.append(Double(time.components.attoseconds) / 1e9)
        }
        return [
            Measurement("p50", times.median, .nanoseconds, target: .value(300_000)),
            Measurement("p99", times.quantile(0.99), .nanoseconds),
        ]
    }
}
