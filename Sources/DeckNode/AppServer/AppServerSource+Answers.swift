import CodexAppServer
import JSON
import RelayProtocol

/// Answers to what the daemon asks. The first answer of anybody counts; a press is told what became of its own.
extension AppServerSource {
    enum Decision: Sendable { case approve, decline, firstOption }

    /// Answers the oldest request of a task that the decision fits.
    func answer(_ identity: TaskIdentity, _ decision: Decision) async -> ActionOutcome {
        guard connection != nil else { return .refused(Refusal.notConnected) }
        if fitting(decision, identity).isEmpty, mayStillArrive(identity) {
            _ = await requests.wait(for: identity, limit: limits.arrival)
            guard connection != nil else { return .refused(Refusal.connectionLost) }
        }
        guard let request = fitting(decision, identity).first else {
            return .refused(decision == .firstOption ? Refusal.noQuestion : nothingToApprove(identity))
        }
        // Another screen pressed first, and its answer is on the way. The next request is none that this press was meant for.
        guard !answering.contains(request.id) else { return .refused(RelayError.answeredElsewhere) }
        guard let answer = Self.answer(to: request, decision) else { return .refused(Self.why(request, decision)) }
        return await give(answer, to: request, isApproval: decision != .decline)
    }

    private func fitting(_ decision: Decision, _ identity: TaskIdentity) -> [ServerRequest] {
        book.pending(of: identity).filter { request in
            decision == .firstOption ? !request.isApproval : request.isApproval
        }
    }

    /// The daemon says that the task waits, but has not sent the request yet: the subscription is still under way.
    private func mayStillArrive(_ identity: TaskIdentity) -> Bool {
        guard book.pending(of: identity).isEmpty, let facts = book.facts(identity) else { return false }
        return facts.waitsForApproval || facts.waitsForResponse
    }

    private func nothingToApprove(_ identity: TaskIdentity) -> String {
        let isUnknown = book.pending(of: identity).contains { if case .unknown = $0.kind { true } else { false } }
        return isUnknown ? Refusal.unknownRequest : RelayError.nothingToApprove
    }

    private static func answer(to request: ServerRequest, _ decision: Decision) -> JSONValue? {
        switch decision {
        case .approve: request.approval
        case .decline: request.refusal
        case .firstOption: request.firstOptions
        }
    }

    private static func why(_ request: ServerRequest, _ decision: Decision) -> String {
        switch (request.kind, decision) {
        case (.unknown, _): Refusal.unknownRequest
        case (_, .firstOption), (.elicitation, _): Refusal.needsWords
        default: Refusal.notListed
        }
    }

    private func give(_ answer: JSONValue, to request: ServerRequest, isApproval: Bool) async -> ActionOutcome {
        let epoch = epoch
        answering.insert(request.id)
        // The item of a refused request may end in the same breath as the request: it is watched from before the answer leaves.
        if let item = request.itemID { watchedItems.insert(item) }
        defer {
            // The ids of another connection's requests begin anew.
            if self.epoch == epoch { answering.remove(request.id) }
            if let item = request.itemID {
                watchedItems.remove(item)
                itemEnds[item] = nil
            }
        }
        let resolved: Void? = await resolutions.wait(for: request.id, limit: limits.confirmation) {
            connection?.answer(request.id, with: answer)
        }
        guard resolved != nil else { return .refused(self.epoch == epoch ? Refusal.unconfirmed : Refusal.connectionLost) }
        // A turn that was cut ends its items without a word.
        if wasCut(request) { return .refused(RelayError.answeredElsewhere) }
        let end = await ending(of: request, limit: isApproval ? limits.contradiction : limits.refusal)
        return Self.judge(request, isApproval: isApproval, end: end, wasCut: wasCut(request))
    }

    /// How the item of a request ended, or ends soon after the answer; `nil` for one that goes on, and for kinds whose end tells nothing.
    private func ending(of request: ServerRequest, limit: Duration) async -> ItemRecord.Status? {
        switch request.kind {
        case .command, .fileChange: break
        case .permissions, .question, .elicitation, .unknown: return nil
        }
        guard let item = request.itemID else { return nil }
        if let end = itemEnds[item] { return end }
        return await items.wait(for: item, limit: limit)
    }

    /// Somebody ended the whole turn instead of answering.
    private func wasCut(_ request: ServerRequest) -> Bool {
        guard let thread = request.thread, let entry = book.entries[thread], entry.lastEnd == .interrupted else { return false }
        return request.turnID.map { $0 == entry.interruptedTurn } ?? (entry.runningTurn == nil)
    }

    static func judge(_ request: ServerRequest, isApproval: Bool, end: ItemRecord.Status?, wasCut: Bool) -> ActionOutcome {
        if wasCut { return .refused(RelayError.answeredElsewhere) }
        switch request.kind {
        case .command, .fileChange:
            let wasDeclined = end == .declined
            return wasDeclined == !isApproval ? .done : .refused(RelayError.answeredElsewhere)
        case .permissions, .question, .elicitation, .unknown: return .done
        }
    }
}
