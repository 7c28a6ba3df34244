import CBenchmarkFloor

/// A command and its result beside a bare echo, with the same clients.
struct CommandRow {
    var clients: Int
    /// All clients send before any is answered; otherwise one after another.
    var atOnce: Bool

    func measure(_ conditions: Conditions) throws -> [Measurement] {
        let bench = try RelayBench(SampleSnapshot.make())
        var floorPort: Int32 = 0
        let listener = floor_listen(&floorPort)
        floor_echo(bench.bareContext, listener)
        let rounds = conditions.count(6_000, quick: 1_500) / clients
        let work = [String(clients), String(atOnce ? FLOOR_AT_ONCE : FLOOR_IN_TURN), String(rounds)]
        let ours = try bench.peer(.commands, work)
        let floor = try PeerProcess(.commands, port: Int(floorPort), token: nil, work)
        try ours.waitUntilReady()
        try floor.waitUntilReady()
        _ = try (ours.work(), floor.work())
        // Alternately, so that both see the same neighbours on the machine.
        var pairs: [(ours: [Double], floor: [Double])] = []
        for _ in 0..<conditions.count(15, quick: 5) { pairs.append((try ours.work(), try floor.work())) }
        ours.end()
        floor.end()
        try bench.stop()
        return [
            quantity("p50", pairs, 0, limit: atOnce ? 1.6 : 1.3),
            quantity("p99", pairs, 1, limit: atOnce ? nil : 2),
        ]
    }

    private func quantity(_ name: String, _ pairs: [(ours: [Double], floor: [Double])], _ index: Int, limit: Double?) -> Measurement {
        var result = Measurement(
            name, pairs.map { $0.ours[index] }.median, .nanoseconds, floor: pairs.map { $0.floor[index] }.median, target: limit.map { .ratio($0) })
        result.ratio = pairs.map { $0.ours[index] / $0.floor[index] }.median
        return result
    }
}
