import DeckAgents
import Files
import RelayProtocol

/// What each key does to a task of the node's own agents.
extension NodeService {
    func carryOut(_ verb: DeckVerb, onAgent identity: TaskIdentity, for presser: Presser) async -> ActionOutcome {
        guard let agents, let task = agentTasks[identity] else { return .refused(RelayError.unknownTask) }
        let answerer: AgentAnswerer = presser == .owner ? .deck : .screen
        switch verb {
        case .approve: return await attempt { () throws(AgentHostError) in try await agents.answer(identity, approving: true, by: answerer) }
        case .decline: return await attempt { () throws(AgentHostError) in try await agents.answer(identity, approving: false, by: answerer) }
        case .answerQuestion: return await attempt { () throws(AgentHostError) in try await agents.answerQuestion(identity) }
        case .increaseReasoning: return await attempt { () throws(AgentHostError) in try await agents.changeEffort(identity, upwards: true) }
        case .decreaseReasoning: return await attempt { () throws(AgentHostError) in try await agents.changeEffort(identity, upwards: false) }
        case .archive: return await attempt { () throws(AgentHostError) in try await agents.archive(identity) }
        case .fork: return await open { () throws(AgentHostError) in try await agents.fork(identity) }
        case .sideChat: return await open { () throws(AgentHostError) in try await agents.fork(identity, asSideChat: true) }
        case .newTask: return await newAgentTask(in: task.folder)
        case .sendDraft: return await sendDraft { [self] in await ask($0, of: identity) }
        case .commit: return await ask(environment.settings.commitPrompt, of: identity)
        case .pullRequest: return await ask(environment.settings.pullRequestPrompt, of: identity)
        case .reviewChanges, .reviewBranch, .reviewMerge: return demo == nil ? await reviewByAgent(verb, task) : .refused(Refusal.demo)
        case .copyConversation: return await copyConversation(ofAgent: identity)
        case .play: return await play(byAgentIn: task.folder)
        case .terminal: return .refused(demo == nil ? Refusal.agentTerminal(identity) : Refusal.demo)
        case .fast: return .refused(Refusal.agentFast)
        case .togglePlan: return .refused(Refusal.agentPlan)
        default: return .refused(Refusal.notInThisVersion)
        }
    }

    /// Whether a verb is for the agents though no task, or none of theirs, is open.
    var agentsTakeNewTasks: Bool { demo != nil || (!condition.isConnected && (agentsSeemUsable || !agentTasks.isEmpty)) }

    func newAgentTask(in folder: String) async -> ActionOutcome {
        guard let agents else { return .refused(Refusal.notConnected) }
        return await open { () throws(AgentHostError) in try await agents.newThread(in: folder) }
    }

    // MARK: Asking

    private func ask(_ text: String, of identity: TaskIdentity) async -> ActionOutcome {
        guard let agents else { return .refused(Refusal.notConnected) }
        return await attempt { () throws(AgentHostError) in try await agents.send(text, to: identity) }
    }

    /// A review is a turn like any other here: the agent looks at the changes with commands, each of which is asked for.
    private func reviewByAgent(_ verb: DeckVerb, _ task: AgentTask) async -> ActionOutcome {
        guard !task.folder.isEmpty else { return .refused(Refusal.folderUnknown) }
        let repository = GitRepository(folder: task.folder, variables: environment.variables, loop: loop)
        guard await repository.exists() else { return .refused(Refusal.noRepository) }
        if verb == .reviewChanges {
            return await ask(
                "Review the changes in this repository that are not committed, untracked files included. " + Self.reviewWish, of: task.identity)
        }
        guard let base = await reviewBase(of: repository) else { return .refused(Refusal.noBaseBranch) }
        guard let commit = await repository.mergeBase(with: base) else { return .refused(Refusal.noBaseBranch) }
        let (what, range) = verb == .reviewBranch ? ("the branch '\(base)'", "\(base)...HEAD") : ("commit \(commit)", "\(commit) HEAD")
        return await ask("Review this branch against \(what): `git diff \(range)` shows the changes. " + Self.reviewWish, of: task.identity)
    }

    private static let reviewWish = "Change nothing. Give prioritized, actionable findings."

    // MARK: Documents and commands

    private func copyConversation(ofAgent identity: TaskIdentity) async -> ActionOutcome {
        guard let agents, let title = deck.tasks[identity]?.title else { return .refused(RelayError.unknownTask) }
        do throws(AgentHostError) {
            let conversation = try await agents.conversation(of: identity)
            return await hand(over: ConversationMarkdown(title: title, thread: conversation.thread, turns: conversation.turns), title: title)
        } catch {
            return .refused(Self.sentence(error))
        }
    }

    private func play(byAgentIn folder: String) async -> ActionOutcome {
        guard demo == nil else { return .refused(Refusal.demo) }
        guard let words = environment.settings.playCommand else { return .refused(Refusal.noPlayCommand) }
        guard let agents else { return .refused(Refusal.notConnected) }
        return await attempt { () throws(AgentHostError) in try await agents.run(words, in: folder) }
    }

    // MARK: Outcomes

    private func attempt(_ body: () async throws(AgentHostError) -> Void) async -> ActionOutcome {
        do throws(AgentHostError) {
            try await body()
            return .done
        } catch {
            return .refused(Self.sentence(error))
        }
    }

    private func open(_ body: () async throws(AgentHostError) -> AgentTask) async -> ActionOutcome {
        do throws(AgentHostError) {
            return .openedAgent(try await body())
        } catch {
            return .refused(Self.sentence(error))
        }
    }

    /// Screens show a sentence, not a document.
    private static func sentence(_ error: AgentHostError) -> String {
        switch error.code {
        case "still_working": RelayError.stillWorking
        case "thread_not_found": RelayError.unknownTask
        default: DisplayText.sanitized(SessionHint.ours(error.description), maximumCharacters: RelayError.maximumUTF16Units / 2)
        }
    }
}

extension Refusal {
    static let agentFast = "A task of the node's own agents has no fast mode; its effort can be lowered."
    static let agentPlan = "A task of the node's own agents has no plan mode; ask it for a plan instead."

    static func agentTerminal(_ identity: TaskIdentity) -> String {
        "This task runs in the node, not in a terminal; go on with `decknode ask --thread \(identity.uuid.prefix(8))`."
    }
}
