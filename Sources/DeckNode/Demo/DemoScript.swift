import RelayProtocol

/// Six made-up tasks that live believable lives, so that screens can be tried on a computer without Codex.
///
/// A value: time comes in, changed tasks go out. An approval matters: declining one makes its task fail, accepting lets it finish.
public struct DemoScript: Sendable {
    /// How one task goes round: for how long it does what.
    private struct Life: Sendable {
        var title: String
        /// Seconds of work before and after the interruption.
        var work: ClosedRange<Int>
        var interruption: Interruption
        var rest: ClosedRange<Int>
    }

    private enum Interruption: Sendable { case none, approval, question }

    private enum Stage: Sendable { case resting, firstWork, interrupted, secondWork }

    private struct Actor: Sendable {
        var life: Life
        var task: DeckTask
        var stage: Stage
        var until: UnixMilliseconds
        var turns: Int64
    }

    private static let lives = [
        Life(title: "Demo: fix the flaky login test", work: 4...9, interruption: .approval, rest: 8...15),
        Life(title: "Demo: port the importer to async", work: 10...18, interruption: .none, rest: 6...12),
        Life(title: "Demo: write release notes", work: 3...6, interruption: .question, rest: 10...20),
        Life(title: "Demo: find the memory leak", work: 12...24, interruption: .none, rest: 12...24),
        Life(title: "Demo: upgrade the database schema", work: 6...10, interruption: .approval, rest: 14...22),
        Life(title: "Demo: review the payment module", work: 8...14, interruption: .none, rest: 16...30),
    ]

    /// How long an unanswered question waits before the demo answers it itself, so that an unattended demo keeps moving. Milliseconds.
    private static let patience: Int64 = 25_000

    private var actors: [Actor] = []
    private var random: SplitMix64
    private var used = 12.0

    /// - Parameter seed: The same seed and the same times give the same lives.
    public init(seed: UInt64, now: UnixMilliseconds) {
        random = SplitMix64(state: seed)
        for (index, life) in Self.lives.enumerated() {
            let working = index < 3
            let start = now.advanced(byMilliseconds: Int64(-20_000 - index * 7_000))
            let task = DeckTask(
                identity: Self.identity(index: UInt64(index), random: &random), title: life.title,
                phase: working ? .working : (index == 3 ? .finished(revision: 1) : .idle), activityAt: start,
                workStart: .init(at: start, revision: 1), contextUsedPercent: 8 + index * 13, origin: .demo)
            let until = now.advanced(byMilliseconds: Int64(2_000 + index * 1_500))
            actors.append(Actor(life: life, task: task, stage: working ? .firstWork : .resting, until: until, turns: 1))
        }
    }

    /// All tasks as they are now.
    public var tasks: [DeckTask] { actors.map(\.task) }

    /// Account limits that move with the work. Made up, like everything here.
    public func usage(now: UnixMilliseconds) -> Usage {
        let weekly = min(used / 3 + 20, 100)
        return Usage(
            windows: [
                .init(
                    id: "five-hour", kind: .fiveHour, usedPercent: used.rounded(), remainingPercent: (100 - used).rounded(), durationMinutes: 300,
                    resetsAt: now.advanced(byMilliseconds: 2 * 3_600_000)),
                .init(
                    id: "weekly", kind: .weekly, usedPercent: weekly.rounded(), remainingPercent: (100 - weekly).rounded(), durationMinutes: 10_080,
                    resetsAt: now.advanced(byMilliseconds: 4 * 86_400_000)),
            ], observedAt: now)
    }

    /// When the next task moves on.
    public var nextDeadline: UnixMilliseconds? { actors.map(\.until).min() }

    /// Moves on every task that is due.
    ///
    /// - Returns: The tasks that changed.
    public mutating func handleTimeout(now: UnixMilliseconds) -> [DeckTask] {
        var changed: [DeckTask] = []
        for index in actors.indices where actors[index].until <= now {
            advance(index, now: now)
            changed.append(actors[index].task)
        }
        return changed
    }

    /// Carries out what a key asks for.
    ///
    /// - Returns: The task as it is afterwards, or a sentence that says why nothing was done.
    public mutating func perform(_ verb: DeckVerb, on identity: TaskIdentity?, now: UnixMilliseconds) -> Result<DeckTask, DemoRefusal> {
        guard let index = actors.firstIndex(where: { $0.task.identity == identity }) else { return .failure(.init(sentence: RelayError.noOpenTask)) }
        switch (verb, actors[index].task.phase) {
        case (.approve, .awaitingApproval), (.answerQuestion, .awaitingResponse):
            begin(.secondWork, index, now: now)
        case (.decline, .awaitingApproval):
            end(index, .failed(revision: actors[index].turns + 1), now: now)
        case (.approve, _), (.decline, _): return .failure(.init(sentence: RelayError.nothingToApprove))
        default: return .failure(.init(sentence: Refusal.demo))
        }
        return .success(actors[index].task)
    }

    private mutating func advance(_ index: Int, now: UnixMilliseconds) {
        switch (actors[index].stage, actors[index].life.interruption) {
        case (.resting, _): begin(.firstWork, index, now: now)
        case (.firstWork, .none), (.secondWork, _): end(index, .finished(revision: actors[index].turns + 1), now: now)
        case (.firstWork, .approval): interrupt(index, .awaitingApproval, now: now)
        case (.firstWork, .question): interrupt(index, .awaitingResponse, now: now)
        case (.interrupted, _): begin(.secondWork, index, now: now)
        }
    }

    private mutating func begin(_ stage: Stage, _ index: Int, now: UnixMilliseconds) {
        if stage == .firstWork { actors[index].task.workStart = .init(at: now, revision: actors[index].turns * 1_000) }
        actors[index].stage = stage
        actors[index].task.phase = .working
        actors[index].task.activityAt = now
        actors[index].until = now.advanced(byMilliseconds: seconds(actors[index].life.work))
        let context = (actors[index].task.contextUsedPercent ?? 0) + Int.random(in: 1...6, using: &random)
        // A full window is compacted, as the real ones are.
        actors[index].task.contextUsedPercent = context > 95 ? 18 : context
        used = used > 92 ? 4 : used + 0.7
    }

    private mutating func interrupt(_ index: Int, _ phase: DeckTask.Phase, now: UnixMilliseconds) {
        actors[index].stage = .interrupted
        actors[index].task.phase = phase
        actors[index].task.activityAt = now
        actors[index].until = now.advanced(byMilliseconds: Self.patience)
    }

    private mutating func end(_ index: Int, _ phase: DeckTask.Phase, now: UnixMilliseconds) {
        actors[index].turns += 1
        actors[index].stage = .resting
        actors[index].task.phase = phase
        actors[index].task.activityAt = now
        actors[index].until = now.advanced(byMilliseconds: seconds(actors[index].life.rest))
    }

    private mutating func seconds(_ range: ClosedRange<Int>) -> Int64 { Int64(Int.random(in: range, using: &random)) * 1_000 }

    private static func identity(index: UInt64, random: inout SplitMix64) -> TaskIdentity {
        var bytes: [UInt8] = []
        for word in [random.next(), random.next()] { for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift * 8))) } }
        return TaskIdentity(bytes: bytes)
    }
}

/// Why the demo did nothing.
public struct DemoRefusal: Error, Hashable, Sendable {
    public var sentence: String
}

/// A small generator with a visible state (Steele, Lea and Flood, 2014): the demo and tests need the same numbers again, not good ones.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(state: UInt64) { self.state = state }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
