/// A command of the user from start to exit.
enum StatusRow {
    static func measure(_ conditions: Conditions) throws -> [Measurement] {
        guard let decknode = conditions.decknode else { throw BenchmarkError("name the command with --decknode") }
        let node = try NodeProcess(decknode, codexHome: nil)
        defer { node.stop() }
        let pairs = try (0..<conditions.count(60, quick: 20)).map { _ in (ours: try node.command("status"), floor: try node.run(["/bin/true"])) }
        return [
            Measurement("p50", pairs.map(\.ours).median, .nanoseconds, floor: pairs.map(\.floor).median, target: .value(30e6)),
            Measurement("p99", pairs.map(\.ours).quantile(0.99), .nanoseconds),
        ]
    }
}
