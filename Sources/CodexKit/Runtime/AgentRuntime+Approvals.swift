import FoundationEssentials

extension AgentRuntime {
    /// A question that a turn waits with.
    struct PendingApproval {
        let request: ApprovalRequest
        let continuation: CheckedContinuation<ApprovalDecision, any Error>
        let presenter: Task<Void, Never>
    }

    /// The calls that wait for a person: of turns that run, and of turns that were cut off while they waited.
    public func pendingApprovals() async throws -> [ApprovalRequest] {
        try await load()
        let live = approvals.values.map(\.request)
        let ids = Set(live.map(\.id))
        let kept = lastTurns.values.compactMap { $0.pendingDecision == nil ? $0.pendingApproval : nil }.filter { !ids.contains($0.id) }
        return (live + kept).sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// Answers a question from anywhere: the first answer, the presenter's included, counts. For a turn that was cut off the answer
    /// is kept, and used when it goes on.
    ///
    /// - Throws: ``AgentRuntimeError`` `approvalNotFound` when the question is answered already or was never asked.
    public func resolveApproval(_ requestID: String, _ decision: ApprovalDecision) async throws {
        try await load()
        if settle(requestID, .success(decision)) { return }
        guard var turn = lastTurns.values.first(where: { $0.pendingApproval?.id == requestID && $0.pendingDecision == nil }),
            turn.status == .interrupted
        else { throw AgentRuntimeError(code: .approvalNotFound, message: "Nothing waits for this answer; it may have been given already.") }
        turn.pendingDecision = decision
        lastTurns[turn.threadID] = turn
        let kept = turn
        try await store { try await $0.apply([.saveTurn(kept)]) }
    }

    /// Asks a person about a call; the question is kept for as long as it is open.
    func approve(_ invocation: ToolInvocation, _ definition: ToolDefinition, _ active: ActiveTurn) async throws -> ApprovalDecision {
        let given = active.turn.pendingApproval?.toolInvocation.id == invocation.id ? active.turn.pendingDecision : nil
        let request = earlierRequest(for: invocation, active)
            ?? ApprovalRequest(
                threadID: active.threadID, turnID: active.turn.id, toolInvocation: invocation, title: "Allow \(invocation.toolName)?",
                message: definition.approvalMessage ?? "The model wants to use \(invocation.toolName): \(definition.description)", createdAt: now)
        active.turn.pendingApproval = request
        try await setStatus(.waitingForApproval, active)
        emit(.approvalRequested(request), active)
        logging.log(.info, .approvals, "turn \(active.turn.id) waits for the approval of \(invocation.toolName)")
        let decision: ApprovalDecision = if let given { given } else { try await waitForDecision(on: request) }
        active.turn.pendingApproval = nil
        active.turn.pendingDecision = nil
        let resolution = ApprovalResolution(
            requestID: request.id, threadID: request.threadID, turnID: request.turnID, toolName: invocation.toolName, decision: decision,
            decidedAt: now)
        try await setStatus(.streaming, active, with: [.append([entry(.approval(resolution), active)])])
        emit(.approvalResolved(resolution), active)
        logging.log(.info, .approvals, "\(invocation.toolName) is \(decision.rawValue) in turn \(active.turn.id)")
        return decision
    }

    private func earlierRequest(for invocation: ToolInvocation, _ active: ActiveTurn) -> ApprovalRequest? {
        active.turn.pendingApproval.flatMap { $0.toolInvocation.id == invocation.id ? $0 : nil }
    }

    private func waitForDecision(on request: ApprovalRequest) async throws -> ApprovalDecision {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let presenter = configuration.approvalPresenter
                let task = Task {
                    do {
                        self.settleLater(request.id, .success(try await presenter.requestApproval(request)))
                    } catch {
                        // Nobody was asked, so nobody agreed.
                        self.settleLater(request.id, .success(.denied))
                    }
                }
                approvals[request.id] = PendingApproval(request: request, continuation: continuation, presenter: task)
            }
        } onCancel: {
            Task { await self.settleLater(request.id, .failure(AgentRuntimeError.cancelledTurn)) }
        }
    }

    private func settleLater(_ id: String, _ result: Result<ApprovalDecision, any Error>) { settle(id, result) }

    /// - Returns: Whether somebody waited for it.
    @discardableResult
    private func settle(_ id: String, _ result: Result<ApprovalDecision, any Error>) -> Bool {
        guard let pending = approvals.removeValue(forKey: id) else { return false }
        pending.presenter.cancel()
        pending.continuation.resume(with: result)
        return true
    }
}
