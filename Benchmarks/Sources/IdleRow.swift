import Glibc

/// What a node costs that has nothing to do.
enum IdleRow {
    static func measure(_ conditions: Conditions) throws -> [Measurement] {
        let service = try ServiceBench(codexHome: conditions.tree)
        let peer = try service.peer(.drain, ["3"])
        try peer.waitUntilReady()
        sleep(1)
        let seconds = UInt32(conditions.count(10, quick: 4))
        let before = processTime()
        sleep(seconds)
        let spent = processTime() - before
        peer.end()
        try service.stop()
        return [Measurement("of a core", spent / (Double(seconds) * 1e9) * 100, .percent, target: .value(0.05))]
    }
}
