import CodexAppServer
import CodexRollouts
import RelayProtocol

/// Makes one task of what the daemon and the session file say of it. The daemon knows what happens now; the file knows the rest.
struct TaskJoin {
    /// The daemon says that a turn is over some milliseconds before or after the file does. For so long the file's word is waited for.
    static let settlingMilliseconds: Int64 = 1_500

    var titles: NodeSettings.Titles
    /// Whether the node is connected to a daemon; without one, what `facts` there were are gone.
    var isConnected: Bool
    var now: UnixMilliseconds

    struct Result: Equatable {
        var task: DeckTask
        /// When to look again though nothing happens.
        var revisitAt: UnixMilliseconds?
    }

    /// - Returns: `nil` for what the daemon only lists: it is neither open nor among the newest session files.
    func task(facts: ThreadFacts?, session: RolloutSession?) -> Result? {
        if let facts, facts.status.isLoaded { return live(facts, session) }
        return session.map { Result(task: watched($0, facts: facts), revisitAt: nil) }
    }

    /// A session the daemon does not hold: its file is all there is, but the daemon may know its name.
    private func watched(_ session: RolloutSession, facts: ThreadFacts?) -> DeckTask {
        let rollouts = RolloutTasks(titles: titles)
        var task = rollouts.task(session)
        if isConnected {
            task.observedOnlyReason = session.hasWriter ? "runs in a process of its own, not in the shared Codex daemon" : "not open in Codex"
        }
        task.provenance = .init(status: .rollout, title: .rollout, context: task.contextUsedPercent.map { _ in .rollout })
        if let facts, session.name == nil, let name = facts.name {
            task.title = title(facts, session, name: name)
            task.provenance.title = .appServer
        }
        if task.phase == .idle, facts?.isUnread == true { task.phase = .unread }
        return task
    }

    private func live(_ facts: ThreadFacts, _ session: RolloutSession?) -> Result {
        let (phase, revisitAt) = phase(facts, session)
        let context = facts.contextUsedPercent ?? session?.state.contextUsedPercent
        let activity = [facts.activityAt, session?.activityAt].compactMap(\.self).max() ?? now
        var task = DeckTask(
            identity: facts.identity, title: title(facts, session, name: facts.name ?? session?.name), phase: phase, activityAt: min(activity, now),
            workStart: session?.state.workStart.map { .init(at: $0.at, revision: $0.revision) } ?? facts.turnStart,
            contextUsedPercent: context, origin: .appServer)
        task.provenance = .init(
            status: .appServer, title: Self.titleSource(facts, session),
            context: context.map { _ in facts.contextUsedPercent == nil ? .rollout : .appServer })
        return Result(task: task, revisitAt: revisitAt)
    }

    private static func titleSource(_ facts: ThreadFacts, _ session: RolloutSession?) -> DeckTask.Origin {
        if facts.name != nil { return .appServer }
        if session?.name != nil { return .rollout }
        return facts.preview == nil && session?.state.preview != nil ? .rollout : .appServer
    }

    // MARK: Phase

    private func phase(_ facts: ThreadFacts, _ session: RolloutSession?) -> (DeckTask.Phase, UnixMilliseconds?) {
        if facts.waitsForApproval { return (.awaitingApproval, nil) }
        if facts.waitsForResponse { return (.awaitingResponse, nil) }
        switch facts.status {
        case .active: return (.working, nil)
        case .idle, .systemError:
            let ended = end(facts, session)
            guard ended == nil, session?.state.lifecycle == .working else { return (ended ?? quiet(facts), nil) }
            // The file has not been read as far as the daemon has come, or its process died long ago.
            guard let since = facts.statusSince, case let until = since.advanced(byMilliseconds: Self.settlingMilliseconds), until > now else {
                return (quiet(facts), nil)
            }
            return (.working, until)
        case .notLoaded, .unknown: return (end(facts, session) ?? quiet(facts), nil)
        }
    }

    /// The end of the latest turn, where one is known; the file's revisions are the ones that last.
    private func end(_ facts: ThreadFacts, _ session: RolloutSession?) -> DeckTask.Phase? {
        let failed = facts.status == .systemError
        switch session?.state.lifecycle {
        case .complete(let revision), .failed(let revision):
            if case .failed = session?.state.lifecycle { return .failed(revision: revision) }
            return failed ? .failed(revision: revision) : .finished(revision: revision)
        case .working: return nil
        case .idle: return failed ? .failed(revision: 0) : nil
        case nil: break
        }
        switch facts.lastEnd {
        case .failed(let count): return .failed(revision: count)
        case .finished(let count): return failed ? .failed(revision: count) : .finished(revision: count)
        case .interrupted, nil: return failed ? .failed(revision: 0) : nil
        }
    }

    private func quiet(_ facts: ThreadFacts) -> DeckTask.Phase {
        if facts.status == .systemError { return .failed(revision: 0) }
        return facts.isUnread == true ? .unread : .idle
    }

    // MARK: Title

    private func title(_ facts: ThreadFacts, _ session: RolloutSession?, name: String?) -> String {
        let titles = RolloutTasks(titles: titles)
        let title = titles.title(identity: facts.identity, name: name, preview: facts.preview ?? session?.state.preview)
        guard facts.sideChatOf != nil else { return title }
        return DisplayText.sanitized("Side chat: " + title, maximumCharacters: RelayLimits.maximumTitleCharacters)
    }
}
