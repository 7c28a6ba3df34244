import CodexKit
import RelayProtocol

extension AgentHost {
    /// All questions that wait for a person, the oldest first within each thread.
    public func approvals() -> [AgentApproval] { entries.keys.sorted().flatMap { entries[$0]?.approvals ?? [] } }

    /// The questions of one thread.
    public func approvals(of identity: TaskIdentity) -> [AgentApproval] { entries[identity]?.approvals ?? [] }

    /// Answers the oldest question of a task.
    ///
    /// - Throws: ``AgentHostError`` `nothing_pending`, or `answered_elsewhere` when somebody was quicker.
    public func answer(_ identity: TaskIdentity, approving: Bool, by answerer: AgentAnswerer) async throws(AgentHostError) {
        guard let approval = entries[identity]?.approvals.first else { throw AgentHostError(code: "nothing_pending", RelayError.nothingToApprove) }
        guard !hasJustFollowed(identity) else { throw Self.answeredElsewhere }
        try await answer(approval: approval.id, approving: approving, by: answerer)
    }

    /// Milliseconds. Nobody reads a question and presses a key in less.
    private static let reactionTime: Int64 = 1_000

    /// Whether a key that is pressed now was meant for another question than the oldest one.
    private func hasJustFollowed(_ identity: TaskIdentity) -> Bool {
        guard let since = entries[identity]?.followedAt else { return false }
        // A clock that was set back must not refuse for as long.
        return (0..<Self.reactionTime).contains(configuration.now().milliseconds(since: since))
    }

    /// Answers a question by its id; the first answer counts. The question of a turn that was cut off lets the turn go on.
    ///
    /// - Throws: ``AgentHostError`` `answered_elsewhere` when somebody was quicker or the turn is over.
    public func answer(approval id: String, approving: Bool, by answerer: AgentAnswerer) async throws(AgentHostError) {
        try await keepingRuntime { () async throws(AgentHostError) in try await answerNow(id, approving, answerer) }
    }

    private func answerNow(_ id: String, _ approving: Bool, _ answerer: AgentAnswerer) async throws(AgentHostError) {
        guard let (identity, entry) = entries.first(where: { $0.value.approvals.contains { $0.id == id } }), answerers[id] == nil, let runtime else {
            throw Self.answeredElsewhere
        }
        answerers[id] = answerer
        do {
            // Before the answer is kept: a turn that cannot go on must not have taken it.
            if !entry.isRunning { try await requireSession(runtime) }
            try await runtime.resolveApproval(id, approving ? .approved : .denied)
        } catch {
            answerers[id] = nil
            if case AgentRuntimeError.Code.approvalNotFound = error { throw Self.answeredElsewhere }
            throw .wrapping(error)
        }
        if !entry.isRunning { try await goOn(with: identity) }
    }

    /// Goes on with a turn that was cut off, without anybody who listens.
    private func goOn(with identity: TaskIdentity) async throws(AgentHostError) {
        do throws(AgentHostError) {
            _ = try await ask(AgentAsk(text: "", thread: identity.uuid, isDetached: true))
        } catch {
            // Somebody else was quicker to let it go on, perhaps to its end; the answer is kept and counts there.
            guard [Self.stillWorking.code, AgentRuntimeError.Code.nothingToResume.rawValue].contains(error.code) else { throw error }
        }
    }

    /// Answers the question that a task's model asks with the first of the answers it offers.
    ///
    /// - Throws: ``AgentHostError`` `nothing_pending`.
    public func answerQuestion(_ identity: TaskIdentity) throws(AgentHostError) {
        guard let id = entries[identity]?.thread.id, configuration.questions?.answer(id, option: 0) == true else {
            throw AgentHostError(code: "nothing_pending", "No question is waiting.")
        }
    }

    private static let answeredElsewhere = AgentHostError(code: "answered_elsewhere", RelayError.answeredElsewhere)
}
