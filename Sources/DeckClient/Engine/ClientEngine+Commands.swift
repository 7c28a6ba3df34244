import EventLoop
import RelayProtocol

/// Commands, from the wish to the receipt.
extension ClientEngine {
    struct RequestKey: Hashable {
        var profileID: String
        var requestID: String
    }

    struct PendingResult {
        var command: Int
        var part: AnswerTransaction.Part?
        var phase: PressPhase
    }

    /// Carries out what the user asks for, to its end.
    func perform(_ request: ClientRequest) async -> CommandOutcome {
        await withCheckedContinuation { continuation in
            _ = begin(request) { continuation.resume(returning: $0) }
        }
    }

    /// Gives up waiting for commands; releases that are due still leave.
    ///
    /// - Parameter numbers: `nil` for all of them.
    func interruptCommands(_ numbers: Set<Int>? = nil) {
        for number in commands.keys.sorted() where numbers?.contains(number) ?? true {
            step(number) { $0.handle(.interrupted, of: nil, in: $1, now: $2) }
        }
    }

    /// - Parameter completion: Called on the loop, once; before this returns when nothing can be sent.
    /// - Returns: The number of the command.
    func begin(_ request: ClientRequest, completion: @escaping (CommandOutcome) -> Void) -> Int {
        lastCommand += 1
        let number = lastCommand
        guard !isStopping else {
            completion(.notSent(name: "the engine"))
            return number
        }
        merge()
        if let task = request.pressedTask, !presses.begin(task) {
            completion(.alreadyUnderWay)
            return number
        }
        let finish: (CommandOutcome) -> Void = { [weak self] outcome in
            if let task = request.pressedTask { self?.assumeIsolated { $0.presses.end(task) } }
            completion(outcome)
        }
        let receipt = openReceipt(request)
        guard let transaction = transaction(for: request) else {
            note(receipt, .finished(.missingTask))
            finish(.missingTask)
            return number
        }
        let command = RunningCommand(number: number, request: request, receipt: receipt, transaction: transaction, completion: finish)
        commands[number] = command
        step(command) { $0.begin(in: $1, now: $2) }
        return number
    }

    private func transaction(for request: ClientRequest) -> RunningCommand.Transaction? {
        switch request {
        case .open(let task): return .press(PressTransaction(.open(task)))
        case .approve(let task): return .answer(AnswerTransaction(.approve, task))
        case .decline(let task): return .answer(AnswerTransaction(.decline, task))
        case .control(let control, let aim):
            guard let (host, key) = target(of: aim, control) else { return nil }
            return .press(PressTransaction(.execute(plan(control, key, host), host: host)))
        }
    }

    private func target(of aim: ClientRequest.Aim, _ control: ClientRequest.Control) -> (host: HostID, task: TaskKey?)? {
        let board = state.board
        switch aim {
        case .task(let task): return board.task(task)?.target.map { ($0.host, $0.key) }
        case .host(let host): return (host, nil)
        case .selected:
            let host = control == .resetLimit ? board.usage?.host ?? board.selectedHost : board.selectedHost
            return host.map { ($0, nil) }
        }
    }

    private func plan(_ control: ClientRequest.Control, _ task: TaskKey?, _ host: HostID) -> CommandPlan {
        switch control {
        case .keycap(let keycap): .keycap(keycap, task: task)
        case .lowerKey(let slot): lowerKey(slot, of: host).plan(task: task)
        case .joystick(let direction): .joystick(direction, task: task)
        case .encoder: .encoder(task: task)
        case .reasoning(let direction): .reasoning(direction, task: task)
        case .resetLimit: .rateLimitReset
        }
    }

    private func lowerKey(_ slot: ActionSlot, of host: HostID) -> LowerKey {
        let keys = settings.layouts.keys(host: views.best(for: host)?.report?.snapshot.layout)
        return keys.first { $0.slot == slot } ?? LowerKey(slot: slot, keycap: nil, label: "", isAssigned: false)
    }

    // MARK: - Steps

    func step(_ number: Int, _ body: (RunningCommand, CommandContext, ContinuousClock.Instant) -> [RunningCommand.Step]) {
        if let command = commands[number] { step(command, body) }
    }

    func step(_ command: RunningCommand, _ body: (RunningCommand, CommandContext, ContinuousClock.Instant) -> [RunningCommand.Step]) {
        let before = command.stage
        let context = CommandContext(board: state.board, hosts: views, wall: environment.now())
        for step in body(command, context, .now) { perform(step, of: command) }
        if command.stage != before { note(command.receipt, command.stage) }
        armTimer(of: command)
    }

    private func perform(_ step: RunningCommand.Step, of command: RunningCommand) {
        switch step.action {
        case .finish(let outcome): end(command, with: outcome)
        case .send(let wire, let phase, let host):
            guard let link = link(to: host), let requestID = link.send(wire) else {
                // Not from inside the step that asked for it.
                let (number, part) = (command.number, step.part)
                return loop.later { [weak self] in
                    self?.assumeIsolated { engine in
                        engine.step(number) { $0.handle(.sendFailed(phase), of: part, in: $1, now: $2) }
                    }
                }
            }
            let key = RequestKey(profileID: link.profile.id, requestID: requestID)
            requests[key] = PendingResult(command: command.number, part: step.part, phase: phase)
            if phase == .release { unansweredReleases.insert(key) }
            command.carrier = link.profile.id
        }
    }

    private func link(to host: HostID) -> NodeLink? {
        guard let best = views.best(for: host) else { return nil }
        return links.first { $0.profile.id == best.profileID }
    }

    func end(_ command: RunningCommand, with outcome: CommandOutcome) {
        guard commands.removeValue(forKey: command.number) != nil else { return }
        requests = requests.filter { $0.value.command != command.number }
        if case .open(let task) = command.request, outcome == .stateConfirmed || outcome == .alreadyOpen {
            memory.acknowledge(task, in: views, now: environment.now())
            ledger.markRead(task)
            refresh()
        }
        command.finish(outcome)
        finishWhenQuiet()
    }

    /// Ends a command whose end nobody can await.
    func abandon(_ command: RunningCommand) {
        note(command.receipt, .finished(.interrupted))
        end(command, with: .interrupted)
    }

    private func armTimer(of command: RunningCommand) {
        command.timer?.cancel()
        guard commands[command.number] != nil, let deadline = command.nextDeadline else { return }
        let number = command.number
        command.timer = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { engine in engine.step(number) { $0.handleTimeout(in: $1, now: $2) } }
        }
    }

    // MARK: - Receipts

    private func openReceipt(_ request: ClientRequest) -> Int64 {
        let task = request.task.flatMap { state.board.task($0) }
        let host: HostID? =
            switch request {
            case .control(let control, let aim): target(of: aim, control)?.host
            case .open, .approve, .decline: task?.owner
            }
        return receipts.add(
            action: request.words, task: request.task, title: task?.title ?? "", hostName: host.flatMap { state.board.computer($0)?.name } ?? "",
            step: .sending, at: environment.now()
        ).id
    }

    private func note(_ receipt: Int64, _ stage: PressTransaction.Stage) {
        guard let step = ReceiptRecord.Step(stage), receipts.update(receipt, step: step, at: environment.now()) != nil else { return }
        refresh()
    }
}
