import RelayProtocol

/// How full the demo's threads are and how much of its account it has used. Made up, and moved by the work alone.
struct DemoMeter: Sendable {
    /// Tokens that the pretended model reads at most.
    static let window = 272_000
    private static let fiveHours: Int64 = 5 * 3_600_000
    private static let week: Int64 = 7 * 86_400_000

    private struct Limit {
        var used: Double
        var resetsAt: UnixMilliseconds
        let length: Int64
        /// Of what is left, the part that one answer uses, so that no limit is ever spent.
        let appetite: Double

        mutating func pass(to now: UnixMilliseconds) {
            let late = now.milliseconds(since: resetsAt)
            guard late >= 0 else { return }
            used = 0
            resetsAt = resetsAt.advanced(byMilliseconds: (late / length + 1) * length)
        }

        mutating func use() { used += (97 - used) * appetite }
    }

    private var limits: [Limit]
    private var contexts: [TaskIdentity: Int] = [:]

    init(now: UnixMilliseconds) {
        limits = [
            Limit(used: 34, resetsAt: now.advanced(byMilliseconds: 133 * 60_000), length: Self.fiveHours, appetite: 1.0 / 700),
            Limit(used: 41, resetsAt: now.advanced(byMilliseconds: 4 * 86_400_000 + 7_200_000), length: Self.week, appetite: 1.0 / 9_000),
        ]
    }

    /// Lets a thread begin with a full past.
    ///
    /// - Parameter percent: Of the window.
    mutating func begin(_ thread: TaskIdentity, percent: Int) { contexts[thread] = Self.window * percent / 100 }

    mutating func forget(_ thread: TaskIdentity) { contexts[thread] = nil }

    /// Counts an answer.
    ///
    /// - Returns: The tokens that were read for it, and those that were written.
    mutating func answered(_ thread: TaskIdentity, random: inout SplitMix64) -> (input: Int, output: Int) {
        let output = Int.random(in: 180...900, using: &random)
        var input = contexts[thread] ?? 9_000
        input += Int.random(in: 900...2_600, using: &random)
        // A full window is compacted, as the real ones are.
        if input > Self.window * 92 / 100 { input = Self.window * 18 / 100 }
        contexts[thread] = input + output
        for index in limits.indices { limits[index].use() }
        return (input, output)
    }

    /// The limits of the account. Their resets stay where they are until they pass.
    mutating func usage(now: UnixMilliseconds) -> Usage {
        for index in limits.indices { limits[index].pass(to: now) }
        let windows = zip(limits, [(id: "five-hour", kind: Usage.Window.Kind.fiveHour), (id: "weekly", kind: .weekly)]).map { limit, name in
            Usage.Window(
                id: name.id, kind: name.kind, usedPercent: limit.used.rounded(), remainingPercent: 100 - limit.used.rounded(),
                durationMinutes: Double(limit.length / 60_000), resetsAt: limit.resetsAt)
        }
        return Usage(windows: windows, observedAt: now)
    }
}
