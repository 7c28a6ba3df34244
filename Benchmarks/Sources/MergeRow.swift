import DeckClient
import RelayProtocol

/// One board from what sixteen computers say.
enum MergeRow {
    static func measure(_ conditions: Conditions) -> [Measurement] {
        let hosts = SampleHosts.make()
        let memory = MergeMemory()
        let clock = ContinuousClock()
        var times: [Double] = []
        for _ in 0..<conditions.count(2_000, quick: 500) {
            var board: Board?
            let time = clock.measure {
                board = DeckMerge.merge(
                    hosts: hosts, authority: nil, acknowledgements: memory.acknowledgements, joins: memory.joins,
                    now: UnixMilliseconds(clamping: SampleHosts.now + 100))
            }
            precondition(board?.tasks.count == SampleHosts.count * Snapshot.slotCount)
            times.append(Double(time.components.attoseconds) / 1e9)
        }
        return [
            Measurement("p50", times.median, .nanoseconds, target: .value(300_000)),
            Measurement("p99", times.quantile(0.99), .nanoseconds),
        ]
    }
}
