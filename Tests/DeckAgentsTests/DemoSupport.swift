import RelayProtocol
import Synchronization
import Testing

@testable import DeckAgents

/// A demo on a clock of its own, and what its host has told.
final class DemoStand: Sendable {
    static let start = UnixMilliseconds(clamping: 1_800_000_000_000)
    static let cast = 6

    /// What a task was when.
    struct Moment: Hashable {
        var at: Duration
        var phase: AgentTask.Phase
    }

    private struct Told {
        var tasks: [TaskIdentity: AgentTask] = [:]
        var lives: [TaskIdentity: [Moment]] = [:]
        /// Changes of phase that no task may make.
        var illegal: [String] = []
    }

    let time = VirtualClock()
    let demo: DemoNode
    let host: AgentHost
    private let told: Recorder

    /// What the host tells, put down with its time.
    private final class Recorder: Sendable {
        let told = Mutex(Told())
        let time: VirtualClock

        init(_ time: VirtualClock) { self.time = time }

        func take(_ changes: [AgentChange]) {
            told.withLock { told in
                for change in changes {
                    switch change {
                    case .gone(let identity): told.tasks[identity] = nil
                    case .task(let task):
                        if let old = told.tasks.updateValue(task, forKey: task.identity), !DemoStand.isLegal(old.phase, task.phase) {
                            told.illegal.append("\(old.phase) -> \(task.phase)")
                        }
                        if told.lives[task.identity]?.last?.phase != task.phase {
                            told.lives[task.identity, default: []].append(Moment(at: time.now, phase: task.phase))
                        }
                    }
                }
            }
        }
    }

    init(seed: UInt64 = 7) async throws {
        let time = time
        let recorder = Recorder(time)
        told = recorder
        let now: @Sendable () -> UnixMilliseconds = { Self.start.advanced(byMilliseconds: Int64(time.now / .milliseconds(1))) }
        let demo = DemoNode(seed: seed, variables: [:], home: "/tmp", now: now, clock: time.clock)
        self.demo = demo
        host = AgentHost(configuration: demo.configuration) { changes in
            recorder.take(changes)
            demo.follow(changes)
        }
        try await demo.start(host)
        await time.settle(Self.cast)
        await hear()
    }

    static func isLegal(_ old: AgentTask.Phase, _ new: AgentTask.Phase) -> Bool {
        switch (old, new) {
        case (.finished(let before), .finished(let after)), (.failed(let before), .failed(let after)): before == after
        case (.idle, .finished), (.finished, .failed), (.failed, .finished), (.finished, .idle), (.failed, .idle): false
        case (.finished, .awaitingApproval), (.failed, .awaitingApproval), (.idle, .awaitingApproval): false
        case (.finished, .awaitingResponse), (.failed, .awaitingResponse), (.idle, .awaitingResponse): false
        default: true
        }
    }

    var now: UnixMilliseconds { Self.start.advanced(byMilliseconds: Int64(time.now / .milliseconds(1))) }
    var tasks: [AgentTask] { told.told.withLock { $0.tasks.values.sorted { $0.identity < $1.identity } } }
    var lives: [TaskIdentity: [Moment]] { told.told.withLock { $0.lives } }
    var illegal: [String] { told.told.withLock { $0.illegal } }
    func task(_ identity: TaskIdentity) -> AgentTask? { told.told.withLock { $0.tasks[identity] } }

    /// Wakes whoever is next, and waits until all is quiet and told.
    func step(upTo end: Duration, sleepers: Int = cast) async -> Bool {
        guard await time.step(upTo: end, sleepers: sleepers) else { return false }
        await hear()
        return true
    }

    /// Waits until the host has told what its threads have come to: it hears of that a little later, and the clock must not run ahead of it.
    func hear() async {
        while await !isToldOfAll() { await Task.yield() }
    }

    private func isToldOfAll() async -> Bool {
        guard let threads = try? await host.runtime?.threads() else { return false }
        return threads.allSatisfy { thread in
            guard let task = TaskIdentity(thread.id).flatMap({ task($0) }) else { return true }
            switch thread.status {
            case .waitingForApproval: return task.phase == .awaitingApproval
            case .streaming: return task.phase == .working
            case .runningTool:
                return task.phase == (demo.configuration.questions?.pending(in: thread.id) == nil ? .working : .awaitingResponse)
            case .idle: return task.phase == .idle || task.phase.isFinished
            case .failed: return task.phase.isFailed
            case .interrupted: return true
            }
        }
    }

    /// Lives on until a time, looking around after each step.
    func live(until end: Duration, sleepers: Int = cast, _ look: () -> Void = {}) async {
        while await step(upTo: end, sleepers: sleepers) { look() }
    }

    /// Lives on until a task is as wanted.
    func find(_ what: String, sleepers: Int = cast, within limit: Duration = .seconds(900), _ wanted: (AgentTask) -> Bool) async throws -> AgentTask {
        let end = time.now + limit
        while true {
            if let task = tasks.first(where: wanted) { return task }
            guard await step(upTo: end, sleepers: sleepers) else { throw Missing(what: what) }
        }
    }

    struct Missing: Error { var what: String }

    /// What the task has said and been told, oldest first.
    func texts(of identity: TaskIdentity) async throws -> [String] {
        let runtime = try #require(await host.runtime)
        let thread = try #require(await runtime.threads().first { TaskIdentity($0.id) == identity })
        return try await runtime.messages(for: thread.id).map(\.text)
    }

    /// Does something that lets a waiting task go on, and waits until it does: the demo's own patience with it ends with that.
    func act(sleepers: Int = cast, _ body: () async throws -> Void) async throws {
        let before = time.deadlines
        try await body()
        await time.settle { $0.count == sleepers && $0 != before }
        await hear()
    }
}

extension AgentTask.Phase {
    var isWaiting: Bool { self == .awaitingApproval || self == .awaitingResponse }
    var isFinished: Bool { if case .finished = self { true } else { false } }
    var isFailed: Bool { if case .failed = self { true } else { false } }
}
