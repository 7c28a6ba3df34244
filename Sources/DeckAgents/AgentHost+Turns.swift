import CodexKit
import RelayProtocol

/// What happens in turns, told to whoever asked and to the deck.
extension AgentHost {
    /// Reads a turn to its end.
    func follow(_ turn: AgentEventStream, _ identity: TaskIdentity) async {
        // Whoever hears of the end may ask again at once: what runs after it is another turn.
        var hasEnded = false
        do {
            for try await event in turn where !hasEnded {
                hasEnded = Self.isEnd(event)
                await take(event, identity)
            }
        } catch {
            // The event `turnFailed` has told it; a stream that was cancelled by its reader tells nothing.
        }
        if !hasEnded { end(identity, .cut, told: .interrupted) }
        await takeConfiguration()
    }

    private func take(_ event: AgentEvent, _ identity: TaskIdentity) async {
        switch event {
        case .turnStarted(let turn):
            entries[identity]?.start?.at = Self.milliseconds(turn.startedAt)
            entries[identity]?.turnID = turn.id
            say(.turn(id: turn.id), identity)
        case .retrying(let attempt, _, let reason): say(.retrying(attempt: attempt, reason: reason.message), identity)
        case .assistantMessageDelta(_, _, let delta): return say(.delta(delta), identity)
        case .messageCommitted(let message):
            if message.role == .assistant { say(.message(message.text, images: message.images.count), identity) }
        case .toolCallStarted(let call):
            say(.toolStarted(id: call.id, tool: call.toolName, summary: ToolSummary.line(call)), identity)
        case .toolCallFinished(let result):
            say(
                .toolFinished(
                    id: result.invocationID, tool: result.toolName, succeeded: result.success, summary: ToolSummary.line(result)), identity)
        // A turn that goes on asks again what was answered to let it go on.
        case .approvalRequested(let request) where answerers[request.id] != nil: break
        case .approvalRequested(let request):
            let approval = await approval(request, identity)
            entries[identity]?.approvals.append(approval)
            let isAnother = entries[identity]?.hasAnswered == true
            entries[identity]?.followedAt = isAnother ? configuration.now() : nil
            say(.approvalRequested(approval), identity)
        case .approvalResolved(let resolution):
            entries[identity]?.approvals.removeAll { $0.id == resolution.requestID }
            entries[identity]?.hasAnswered = true
            entries[identity]?.followedAt = configuration.now()
            let by = answerers.removeValue(forKey: resolution.requestID)
            say(.approvalResolved(id: resolution.requestID, approved: resolution.decision == .approved, by: by), identity)
        case .turnCompleted(let summary): return end(identity, .completed, told: .completed(summary.usage))
        case .turnFailed(let error): return fail(identity, error)
        case .threadUpdated(let thread): entries[identity]?.thread = thread
        default: return
        }
        touch(identity)
        tell(identity)
    }

    private static func isEnd(_ event: AgentEvent) -> Bool {
        switch event {
        case .turnCompleted, .turnFailed: true
        default: false
        }
    }

    private func fail(_ identity: TaskIdentity, _ error: AgentRuntimeError) {
        guard error.code == .turnInterrupted else {
            return end(identity, .failed, told: .failed(code: error.code.rawValue, sentence: error.message))
        }
        let wasStopped = entries[identity]?.isStopping == true
        if wasStopped, let turn = entries[identity]?.turnID { book.change(identity) { $0.stoppedTurn = turn } }
        end(identity, wasStopped ? .stopped : .cut, told: .interrupted)
    }

    private func end(_ identity: TaskIdentity, _ end: Entry.End, told event: AgentAskEvent) {
        guard var entry = entries[identity] else { return }
        entry.isRunning = false
        entry.ended += 1
        entry.end = end
        for approval in entry.approvals { answerers[approval.id] = nil }
        entry.approvals = []
        let asker = entry.asker
        entry.asker = nil
        entries[identity] = entry
        if let tokens = meter.latest(entry.thread.id)?.tokens { book.change(identity) { $0.contextTokens = tokens } }
        saveBook()
        touch(identity)
        tell(identity)
        asker?.yield(event)
        asker?.finish()
    }

    private func say(_ event: AgentAskEvent, _ identity: TaskIdentity) { entries[identity]?.asker?.yield(event) }

    private func touch(_ identity: TaskIdentity) {
        guard let at = entries[identity]?.thread.updatedAt else { return }
        entries[identity]?.thread.updatedAt = max(at, date)
    }

    /// A question with everything a person decides by.
    func approval(_ request: ApprovalRequest, _ identity: TaskIdentity) async -> AgentApproval {
        // Tools of somebody else run nothing here.
        let finding = configuration.tools == nil ? await sandbox.finding() : .bubblewrap("")
        return ApprovalText(request: request, thread: identity, folder: folder(of: identity), sandbox: finding).approval
    }
}
