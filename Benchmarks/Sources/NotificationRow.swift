import CBenchmarkFloor
import CodexAppServer
import Files

/// From a notification of the Codex daemon to the snapshot at a client, through the service of `decknode serve` as it is.
enum NotificationRow {
    static func measure(_ conditions: Conditions) throws -> [Measurement] {
        let home = try TemporaryFolder.make()
        defer { floor_remove_tree(home) }
        let socket = AppServerLink.socketPath(codexHome: home)
        try PrivateDirectory.ensure(home + "/app-server-control")
        let service = try ServiceBench(codexHome: home)
        let rounds = conditions.count(320, quick: 60)
        let peer = try service.peer(.notifications, [String(rounds), socket])
        try peer.waitUntilReady()
        let before = processTime()
        let times = try peer.work()
        let spent = processTime() - before
        peer.end()
        try service.stop()
        return [
            Measurement("p50", times[0], .nanoseconds, target: .value(10e6)),
            Measurement("p99", times[1], .nanoseconds, target: .value(50e6)),
            Measurement("CPU each", spent / Double(rounds), .nanoseconds, target: .value(1e6)),
        ]
    }
}
