/// From a record in a rollout to the snapshot at a client.
enum ChangeRow {
    static func measure(_ conditions: Conditions) throws -> [Measurement] {
        let node = try WiredNode(codexHome: conditions.tree)
        let result = try measure(conditions) { try node.bench.peer(.changes, $0) }
        try node.bench.stop()
        return result
    }

    static func measureService(_ conditions: Conditions) throws -> [Measurement] {
        let service = try ServiceBench(codexHome: conditions.tree)
        let result = try measure(conditions) { try service.peer(.changes, $0) }
        try service.stop()
        return result
    }

    private static func measure(_ conditions: Conditions, _ makePeer: ([String]) throws -> PeerProcess) throws -> [Measurement] {
        // Even, so that every turn that begins also ends.
        let rounds = conditions.count(320, quick: 60)
        let peer = try makePeer([String(rounds), try RolloutTree.newest(in: conditions.tree)])
        try peer.waitUntilReady()
        let before = processTime()
        let times = try peer.work()
        let spent = processTime() - before
        peer.end()
        return [
            Measurement("p50", times[0], .nanoseconds, target: .value(10e6)),
            Measurement("p99", times[1], .nanoseconds, target: .value(50e6)),
            Measurement("CPU each", spent / Double(rounds), .nanoseconds, target: .value(1e6)),
        ]
    }
}
