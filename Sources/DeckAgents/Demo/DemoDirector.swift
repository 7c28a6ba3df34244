import CodexKit
import RelayProtocol

/// Lets the tasks of the demo live: it asks them what their scenes say, at the times of the timetable, and answers what nobody else answers.
///
/// It does what the owner of real tasks does, through the same host; everything else follows from the answers of the pretended model.
actor DemoDirector {
    /// A task that lives by itself.
    private struct Member {
        var life: Task<Void, Never>
        var patience: [String: Task<Void, Never>] = [:]

        func cancel() {
            life.cancel()
            for task in patience.values { task.cancel() }
        }
    }

    private let host: AgentHost
    private let stage: DemoStage
    private let questions: AgentQuestions
    private let timetable: DemoTimetable
    private var members: [TaskIdentity: Member] = [:]
    /// Tasks that were looked at: members, and those that a person began with a question.
    private var known: Set<TaskIdentity> = []
    private var isOver = false

    init(host: AgentHost, stage: DemoStage, questions: AgentQuestions, timetable: DemoTimetable) {
        self.host = host
        self.stage = stage
        self.questions = questions
        self.timetable = timetable
    }

    private var clock: DemoClock { stage.clock }

    // MARK: Beginning

    /// Gives each task of the cast its past, and begins the turns that are under way.
    func begin(_ cast: [(identity: TaskIdentity, part: DemoPart, life: DemoLife)]) async {
        for (identity, part, life) in cast {
            known.insert(identity)
            stage.fill(identity, percent: life.context)
            let beginning = timetable.beginning(of: part)
            await play(life.scene(beginning.number - 1).past, beginning.past, in: identity)
        }
        for (identity, part, life) in cast {
            switch timetable.beginning(of: part) {
            case .rested(let number): enter(identity, life, part, after: number)
            case .working(let turn):
                let scene = life.scene(turn.number, fails: false)
                let first = Performance(scene: turn.decision == nil && scene.question != nil ? scene.withoutQuestion : scene, turn: turn)
                let events = await open(first, in: identity)
                enter(identity, life, part, after: turn.number, in: events)
            }
        }
    }

    private typealias Performance = DemoStage.Performance
    private typealias Events = AsyncStream<AgentAskEvent>

    private func enter(_ identity: TaskIdentity, _ life: DemoLife, _ part: DemoPart, after number: Int, in events: Events? = nil) {
        members[identity] = Member(life: Task { await self.live(identity, life, part, after: number, in: events) })
    }

    /// Ends all lives.
    func stop() {
        isOver = true
        for member in members.values { member.cancel() }
        members = [:]
    }

    // MARK: Living

    private func live(_ identity: TaskIdentity, _ life: DemoLife, _ part: DemoPart, after number: Int, in events: Events?) async {
        if let events { await watch(events, of: identity) }
        var turn = timetable.next(of: part, after: number, now: clock.elapsed())
        while await isAwake(turn.begin), members[identity] != nil {
            await play(life.scene(turn.number, fails: turn.mayFail && timetable.fails(part, turn.number)), turn, in: identity)
            turn = timetable.next(of: part, after: turn.number, now: clock.elapsed())
        }
    }

    /// - Returns: `false` when the task was cancelled.
    private func isAwake(_ until: Duration) async -> Bool {
        do {
            try await clock.sleep(until)
            return true
        } catch {
            return false
        }
    }

    private func play(_ scene: DemoScene, _ turn: DemoTimetable.Turn, in identity: TaskIdentity) async {
        guard let events = await open(Performance(scene: scene, turn: turn), in: identity) else { return }
        await watch(events, of: identity)
    }

    /// - Returns: `nil` when the turn could not begin, as when a person has just asked the task something.
    private func open(_ performance: Performance, in identity: TaskIdentity) async -> Events? {
        stage.begin(performance, in: identity)
        do {
            return try await host.ask(AgentAsk(text: performance.scene.prompt, thread: identity.uuid, isDetached: true))
        } catch {
            stage.end(in: identity)
            return nil
        }
    }

    /// Follows a turn to its end.
    private func watch(_ events: Events, of identity: TaskIdentity) async {
        for await event in events {
            switch event {
            case .approvalRequested(let approval):
                wait(approval.id, identity) { [host] in
                    // Somebody else may have been quicker.
                    try? await host.answer(approval: approval.id, approving: true, by: .demo)
                }
            case .approvalResolved(let id, _, _), .toolFinished(let id, _, _, _): members[identity]?.patience.removeValue(forKey: id)?.cancel()
            default: break
            }
        }
        stage.end(in: identity)
        await forgetPast(of: identity)
    }

    /// Answers in the end, so that an unattended demo keeps moving.
    private func wait(_ id: String, _ identity: TaskIdentity, _ answer: @escaping @Sendable () async -> Void) {
        let until = clock.elapsed() + DemoTimetable.patience
        members[identity]?.patience[id] = Task { if await self.isAwake(until) { await answer() } }
    }

    private func waitWithQuestion(of identity: TaskIdentity) {
        guard let id = questions.pending(in: identity.uuid)?.id, members[identity]?.patience[id] == nil else { return }
        wait(id, identity) { [questions] in questions.answer(identity.uuid, id: id, option: 0) }
    }

    /// A demo runs for days; what its threads have behind them must not grow with it.
    private func forgetPast(of identity: TaskIdentity) async {
        guard let runtime = await host.runtime,
            let thread = try? await runtime.threads().first(where: { TaskIdentity($0.id) == identity }),
            let records = try? await runtime.history(of: thread.id), records.count > Self.keptRecords
        else { return }
        let turns = Set(records.suffix(Self.keptRecords / 2).compactMap(\.turnID))
        let gone = records.filter { record in record.turnID.map { !turns.contains($0) } ?? true }
        // A turn of somebody else may have begun; the next end of a turn tries again.
        try? await runtime.deleteHistory(Set(gone.map(\.id)), in: thread.id)
    }

    private static let keptRecords = 80

    // MARK: What people do

    /// Tasks that people made come to life, and those that they took away end.
    func take(_ changes: [AgentChange]) async {
        guard !isOver else { return }
        for change in changes {
            switch change {
            case .gone(let identity):
                members.removeValue(forKey: identity)?.cancel()
                known.remove(identity)
                stage.forget(identity)
            case .task(let task):
                if task.phase == .awaitingResponse { waitWithQuestion(of: task.identity) }
                guard known.insert(task.identity).inserted, task.phase == .idle else { continue }
                await welcome(task)
            }
        }
    }

    /// A task that somebody made and asked nothing: a fork, or a new one, which has no title.
    private func welcome(_ task: AgentTask) async {
        let life = task.title == nil ? DemoLife.newTask : .fork
        let delay = task.title == nil ? Self.newTaskDelay : Self.forkDelay
        if task.title == nil {
            // It is shown under a title of the demo in any case.
            try? await host.rename(task.identity, to: life.title)
        }
        stage.fill(task.identity, percent: task.contextUsedPercent ?? life.context)
        enter(task.identity, life, .guest(begin: clock.elapsed() + delay), after: -1)
    }

    private static let newTaskDelay = Duration.seconds(8)
    private static let forkDelay = Duration.seconds(3)
}
