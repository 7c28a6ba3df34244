import CBenchmarkFloor
import Glibc
import Relay

/// What it costs the server to deliver one snapshot to one client.
struct SnapshotRow {
    var clients: Int

    /// More than the relay's shortest time between two snapshots.
    private static let pause: UInt32 = 60_000

    func measure(_ conditions: Conditions) throws -> [Measurement] {
        let frame = SampleSnapshot.frame(SampleSnapshot.make())
        let bench = try RelayBench(SampleSnapshot.make())
        let ours = try bench.peer(.drain, [String(clients)])
        try ours.waitUntilReady()
        var floorPort: Int32 = 0
        let listener = floor_listen(&floorPort)
        let floor = try PeerProcess(.drain, port: Int(floorPort), token: nil, [String(clients)])
        guard let writer = floor_writer_open(bench.bareContext, listener, Int32(clients)) else { throw BenchmarkError("the floor has no clients") }
        try floor.waitUntilReady()
        let clock = try LoopClock(bench.loop)
        let rounds = conditions.count(60, quick: 20)
        var pairs: [(ours: Double, floor: Double)] = []
        for round in 0..<rounds + 3 {
            usleep(Self.pause)
            let before = clock.now
            let snapshot = SampleSnapshot.make(round: round)
            bench.loop.execute { [relay = bench.relay] in relay.publish(host: SampleSnapshot.host, snapshot: snapshot) }
            usleep(Self.pause)
            let spent = clock.now - before
            let bare = floor_writer_round(writer, frame, frame.count)
            guard bare >= 0 else { throw BenchmarkError("the floor could not write") }
            // The first rounds grow the buffers of the kernel.
            if round >= 3 { pairs.append((spent / Double(clients), Double(bare) / Double(clients))) }
        }
        let expected = Double(frame.count) * Double(clients * rounds)
        guard ours.end() >= expected, floor.end() >= expected else { throw BenchmarkError("not every snapshot was delivered") }
        try bench.stop()
        var result = Measurement(
            "CPU each (\(frame.count) B)", pairs.map(\.ours).median, .nanoseconds, floor: pairs.map(\.floor).median, target: .ratio(1.2))
        result.ratio = pairs.map { $0.ours / $0.floor }.median
        return [result]
    }
}
