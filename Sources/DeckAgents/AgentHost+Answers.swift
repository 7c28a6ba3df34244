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
        if let since = entries[identity]?.followedAt, configuration.now().milliseconds(since: since) < Self.reactionTime { throw Self.answeredElsewhere }
        try await answer(approval: approval.id, approving: approving, by: answerer)
    }

    /// Nobody reads a question and presses a key in less milliseconds.
    private static let reactionTime: Int64 = 1_000

    /// Answers a question by its id; the first answer counts. The question of a turn that was cut off lets the turn go on.
    ///
    /// - Throws: ``AgentHostError`` `answered_elsewhere` when somebody was quicker or the turn is over.
    public func answer(approval id: String, approving: Bool, by answerer: AgentAnswerer) async throws(AgentHostError) {
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
