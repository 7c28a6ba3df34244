import FoundationEssentials

extension AgentRuntime {
    /// Somebody who follows threads.
    enum Observer: Sendable {
        case thread(id: String, AsyncStream<AgentEvent>.Continuation)
        case all(AsyncStream<AgentThreadEvent>.Continuation)
        case snapshot(AgentThreadSnapshot, AsyncStream<AgentThreadSnapshot>.Continuation)

        func finish() {
            switch self {
            case .thread(_, let continuation): continuation.finish()
            case .all(let continuation): continuation.finish()
            case .snapshot(_, let continuation): continuation.finish()
            }
        }
    }

    /// The state of a thread now and after each change. A reader that is slower than the changes sees the latest state and not those
    /// in between. Ends with the deletion of the thread or the end of the runtime.
    ///
    /// - Throws: ``AgentRuntimeError`` `threadNotFound` or `stateStoreFailed`.
    public func observeThread(id: String) async throws -> AsyncStream<AgentThreadSnapshot> {
        let snapshot = try await snapshot(of: id)
        let (stream, continuation) = AsyncStream<AgentThreadSnapshot>.makeStream(bufferingPolicy: .bufferingNewest(1))
        continuation.yield(snapshot)
        register(.snapshot(snapshot, continuation)) { continuation.onTermination = $0 }
        return stream
    }

    /// The state of a thread now.
    ///
    /// - Throws: ``AgentRuntimeError`` `threadNotFound` or `stateStoreFailed`.
    public func snapshot(of id: String) async throws -> AgentThreadSnapshot {
        while true {
            let count = eventCounts[id]
            let messages = try await messages(for: id)
            // What happened while the messages were read may or may not be in them.
            guard eventCounts[id] == count else { continue }
            let thread = try known(id)
            let turn = lastTurns[id]
            let failure = turn?.failure.map { AgentRuntimeError(code: $0.code, message: $0.message) }
            var snapshot = AgentThreadSnapshot(
                thread: thread, messages: messages, streamingText: activeTurns[id]?.streamingText ?? "", pendingApproval: turn?.pendingApproval,
                lastFailure: turn?.status == .interrupted ? .cancelledTurn : failure)
            snapshot.activeTool = activeTurns[id]?.activeTool
            return snapshot
        }
    }

    /// What happens in a thread from now on, in all its turns.
    public func observeEvents(in threadID: String) -> AsyncStream<AgentEvent> {
        let (stream, continuation) = AsyncStream<AgentEvent>.makeStream()
        register(.thread(id: threadID, continuation)) { continuation.onTermination = $0 }
        return stream
    }

    /// What happens in all threads from now on.
    public func observeEvents() -> AsyncStream<AgentThreadEvent> {
        let (stream, continuation) = AsyncStream<AgentThreadEvent>.makeStream()
        register(.all(continuation)) { continuation.onTermination = $0 }
        return stream
    }

    private func register<Reason>(_ observer: Observer, _ whenOver: (@escaping @Sendable (Reason) -> Void) -> Void) {
        let id = UUID()
        observers[id] = observer
        whenOver { [weak self] _ in
            Task { await self?.removeObserver(id) }
        }
    }

    private func removeObserver(_ id: UUID) { observers[id] = nil }

    /// Tells observers, and nobody else.
    func tell(_ event: AgentEvent, of threadID: String) {
        // Of deltas an answer has thousands, and no message changes with them.
        if case .assistantMessageDelta = event {} else { eventCounts[threadID, default: 0] += 1 }
        for (key, observer) in observers {
            switch observer {
            case .all(let continuation): continuation.yield(AgentThreadEvent(threadID: threadID, event: event))
            case .thread(let id, let continuation): if id == threadID { continuation.yield(event) }
            case .snapshot(var snapshot, let continuation):
                guard snapshot.thread.id == threadID else { continue }
                snapshot.apply(event)
                observers[key] = .snapshot(snapshot, continuation)
                continuation.yield(snapshot)
                if snapshot.isDeleted { continuation.finish() }
            }
        }
    }
}
