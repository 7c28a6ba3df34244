import CBenchmarkFloor
import Glibc

/// What clients and sessions cost in memory.
enum MemoryRow {
    static func measureClient(_ conditions: Conditions) throws -> [Measurement] {
        let bench = try RelayBench(SampleSnapshot.make())
        // What is needed once, however many clients there are.
        let first = try bench.peer(.drain, ["1"])
        try first.waitUntilReady()
        sleep(1)
        let before = floor_anonymous_memory()
        let count = 500
        let peer = try bench.peer(.drain, [String(count)])
        try peer.waitUntilReady()
        sleep(1)
        let after = floor_anonymous_memory()
        peer.end()
        first.end()
        try bench.stop()
        return [Measurement("each", Double(after - before) / Double(count), .bytes, target: .value(24 * 1_024))]
    }

    static func measureNode(_ conditions: Conditions) throws -> [Measurement] {
        guard let decknode = conditions.decknode else { return [try measureService(conditions)] }
        let node = try NodeProcess(decknode, codexHome: conditions.tree)
        defer { node.stop() }
        sleep(1)
        return [Measurement("resident, decknode serve", Double(floor_resident_memory(node.pid)), .bytes, target: .value(30 * 1_048_576))]
    }

    /// Without the built command: the service in this process, which has a client and more linked in.
    private static func measureService(_ conditions: Conditions) throws -> Measurement {
        let service = try ServiceBench(codexHome: conditions.tree)
        sleep(1)
        let resident = Double(floor_resident_memory(getpid()))
        try service.stop()
        return Measurement("resident, this program", resident, .bytes, target: .value(30 * 1_048_576))
    }
}
