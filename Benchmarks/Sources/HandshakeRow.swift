import CBenchmarkFloor
import RelayProtocol

/// What it costs the server to let a client in.
enum HandshakeRow {
    private static let each = 40

    static func measure(_ conditions: Conditions) throws -> [Measurement] {
        let floors = ["CPU each beside bare SSL_accept", "CPU each beside SSL_accept and two answers"]
        var result = try measure(conditions, .empty, floors)
        result[0].target = .ratio(1.3)
        return try result + measure(conditions, SampleSnapshot.make(), ["… with a first snapshot of 20 KiB"])
    }

    /// - Parameter names: What it is called beside a floor that only accepts, and beside one that also answers as the protocol demands.
    private static func measure(_ conditions: Conditions, _ snapshot: Snapshot, _ names: [String]) throws -> [Measurement] {
        let bench = try RelayBench(snapshot)
        let clock = try LoopClock(bench.loop)
        let ours = try Server(peer: bench.peer(.handshakes, [String(each)])) { clock.now }
        let floors = try names.indices.map { try floor(bench, answers: $0 > 0) }
        for server in [ours] + floors { _ = try server.block() }
        var rounds: [[Double]] = []
        for _ in 0..<conditions.count(20, quick: 6) { rounds.append(try ([ours] + floors).map { try $0.block() }) }
        for server in [ours] + floors { server.peer.end() }
        try bench.stop()
        return names.indices.map { index in
            var result = Measurement(names[index], rounds.map { $0[0] }.median, .nanoseconds, floor: rounds.map { $0[index + 1] }.median)
            result.ratio = rounds.map { $0[0] / $0[index + 1] }.median
            return result
        }
    }

    private static func floor(_ bench: RelayBench, answers: Bool) throws -> Server {
        var port: Int32 = 0
        let listener = floor_listen(&port)
        let clock = floor_accept(bench.bareContext, listener, answers ? 1 : 0)
        let peer = try PeerProcess(.handshakes, port: Int(port), token: answers ? RelayBench.token : nil, [String(each)])
        return try Server(peer: peer) { Double(floor_clock(clock)) }
    }

    /// One that lets clients in, with the clock of its thread.
    private struct Server {
        let peer: PeerProcess
        let time: () -> Double

        init(peer: PeerProcess, time: @escaping () -> Double) throws {
            self.peer = peer
            self.time = time
            try peer.waitUntilReady()
        }

        /// Lets some clients in; CPU time of one, in nanoseconds.
        func block() throws -> Double {
            let start = time()
            try peer.work()
            return (time() - start) / Double(each)
        }
    }
}
