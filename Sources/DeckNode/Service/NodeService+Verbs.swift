import CodexAppServer
import Files
import RelayProtocol
import TLS

/// What each key does to the tasks of Codex and to the desktop. The answer comes when the effect is known.
extension NodeService {
    func carryOut(_ verb: DeckVerb, on identity: TaskIdentity?, for presser: Presser) async -> ActionOutcome {
        if let identity, agentTasks[identity] != nil, Self.isForAgents(verb) { return await carryOut(verb, onAgent: identity, for: presser) }
        if demo != nil, verb != .newTask { return .refused(verb.needsTask ? RelayError.noOpenTask : Refusal.demo) }
        if let target = DesktopTarget(verb) { return await open(target, identity) }
        if verb == .resetLimit { return await resetLimit() }
        if verb == .newTask { return await newTask(beside: identity) }
        if verb == .play { return await play(in: identity) }
        guard let identity, deck.tasks[identity] != nil else { return .refused(RelayError.noOpenTask) }
        guard let appServer else { return .refused(Refusal.notConnected) }
        if let obstacle = obstacle(verb, deck.tasks[identity]) { return .refused(obstacle) }
        switch verb {
        case .approve: return await appServer.answer(identity, .approve)
        case .decline: return await appServer.answer(identity, .decline)
        case .answerQuestion: return await appServer.answer(identity, .firstOption)
        case .fast: return await appServer.toggleFast(identity)
        case .increaseReasoning: return await appServer.changeEffort(identity, upwards: true)
        case .decreaseReasoning: return await appServer.changeEffort(identity, upwards: false)
        case .togglePlan: return await appServer.togglePlan(identity)
        case .fork: return await appServer.fork(identity, asSideChat: false)
        case .sideChat: return await appServer.fork(identity, asSideChat: true)
        case .archive: return await archive(identity)
        case .sendDraft: return await sendDraft { await appServer.send($0, to: identity) }
        case .commit: return await appServer.send(environment.settings.commitPrompt, to: identity)
        case .pullRequest: return await appServer.send(environment.settings.pullRequestPrompt, to: identity)
        case .reviewChanges, .reviewBranch, .reviewMerge: return await review(verb, identity)
        case .copyConversation: return await copyConversation(identity)
        default: return .refused(Refusal.notInThisVersion)
        }
    }

    /// The rest is about the desktop, the account or the deck, whatever task is open.
    private static func isForAgents(_ verb: DeckVerb) -> Bool { verb.needsTask || verb == .newTask || verb == .play }

    /// Why a verb cannot be carried out on a task that Codex holds elsewhere; `nil` when it can.
    private func obstacle(_ verb: DeckVerb, _ task: DeckTask?) -> String? {
        guard let task, task.observedOnlyReason != nil else { return nil }
        let hasWriterElsewhere = sessions[task.identity]?.hasWriter == true
        switch verb {
        case .approve, .decline, .answerQuestion:
            // A file does not tell that its session waits, so the node must not claim that nothing does.
            return task.phase == .working ? Refusal.observedOnly : RelayError.nothingToApprove
        // The daemon does these to any thread, held or not; but a file that another process writes is not moved away from it.
        case .fork, .sideChat, .copyConversation: return condition.isConnected ? nil : Refusal.notConnected
        case .archive: return hasWriterElsewhere ? Refusal.observedOnly : condition.isConnected ? nil : Refusal.notConnected
        default: return hasWriterElsewhere ? Refusal.observedOnly : condition.isConnected ? Refusal.notLoaded : Refusal.notConnected
        }
    }

    // MARK: Threads

    private func archive(_ identity: TaskIdentity) async -> ActionOutcome {
        guard let appServer else { return .refused(Refusal.notConnected) }
        switch deck.tasks[identity]?.phase {
        case .working where deck.tasks[identity]?.stalled == false, .awaitingApproval, .awaitingResponse: return .refused(RelayError.stillWorking)
        default: break
        }
        let outcome = await appServer.archive(identity)
        if case .done = outcome { apply([AppServerChange.gone(identity, isRemoved: true)]) }
        return outcome
    }

    private func newTask(beside identity: TaskIdentity?) async -> ActionOutcome {
        let folder = identity.flatMap(folder) ?? environment.settings.newTaskFolder ?? environment.directories.home
        if agentsTakeNewTasks { return await newAgentTask(in: folder) }
        guard let appServer else { return .refused(Refusal.notConnected) }
        return await appServer.startThread(in: folder)
    }

    /// The folder that a task works in, if it is known.
    private func folder(of identity: TaskIdentity) -> String? {
        if let folder = agentTasks[identity]?.folder, !folder.isEmpty { return folder }
        return facts[identity]?.folder
    }

    func sendDraft(by send: (String) async -> ActionOutcome) async -> ActionOutcome {
        let draft = ComposerDraft(directory: environment.directories.stateHome)
        let text: String
        do {
            let found = try await fileLoop.value { () throws(ComposerDraftError) in try draft.load() }
            guard let found else { return .refused(Refusal.noDraft) }
            text = found
        } catch {
            return refused(error)
        }
        let outcome = await send(text)
        guard case .done = outcome else { return outcome }
        do { _ = try await fileLoop.value { () throws(ComposerDraftError) in try draft.clear(ifStill: text) } } catch {
            // It was sent: a refusal would have it sent again.
            logger.warning("A draft that was sent could not be removed: \(error)")
        }
        return outcome
    }

    private func refused(_ error: ComposerDraftError) -> ActionOutcome {
        logger.info("The draft cannot be used: \(error)")
        return .refused(error.screenSentence)
    }

    private func review(_ verb: DeckVerb, _ identity: TaskIdentity) async -> ActionOutcome {
        guard let appServer else { return .refused(Refusal.notConnected) }
        guard let folder = facts[identity]?.folder else { return .refused(Refusal.folderUnknown) }
        let repository = GitRepository(folder: folder, variables: environment.variables, loop: loop)
        guard await repository.exists() else { return .refused(Refusal.noRepository) }
        if verb == .reviewChanges { return await appServer.review(identity, .uncommittedChanges) }
        guard let base = await reviewBase(of: repository) else { return .refused(Refusal.noBaseBranch) }
        if verb == .reviewBranch { return await appServer.review(identity, .baseBranch(base)) }
        guard let commit = await repository.mergeBase(with: base) else { return .refused(Refusal.noBaseBranch) }
        let instructions = """
            Review the changes from commit \(commit), the merge base of this branch and '\(base)', to HEAD; `git diff \(commit) HEAD` shows them. \
            Leave out what is not committed. Give prioritized, actionable findings.
            """
        return await appServer.review(identity, .custom(instructions: instructions))
    }

    /// What a branch is compared with: the owner's choice, else the repository's default branch.
    func reviewBase(of repository: GitRepository) async -> String? {
        guard let set = environment.settings.reviewBaseBranch else { return await repository.baseBranch() }
        return await repository.has(set) ? set : nil
    }

    // MARK: Owner's own

    private func play(in identity: TaskIdentity?) async -> ActionOutcome {
        guard let words = environment.settings.playCommand else { return .refused(Refusal.noPlayCommand) }
        guard let appServer else { return .refused(Refusal.notConnected) }
        guard let identity else { return .refused(RelayError.noOpenTask) }
        guard let folder = facts[identity]?.folder else { return .refused(Refusal.folderUnknown) }
        return await appServer.play(words, in: folder, of: identity)
    }

    private func resetLimit() async -> ActionOutcome {
        guard let appServer else { return .refused(Refusal.noCredit) }
        do throws(TLSError) {
            return await appServer.resetLimit(key: TaskIdentity(bytes: try SecureRandom.bytes(16)).uuid)
        } catch {
            return .refused("\(error)")
        }
    }

    // MARK: Desktop

    private var desktop: DesktopActions {
        DesktopActions(
            variables: environment.variables, home: environment.directories.home, codexHome: environment.codexHome, settings: environment.settings,
            loop: loop)
    }

    private func open(_ target: DesktopTarget, _ identity: TaskIdentity?) async -> ActionOutcome {
        do throws(DesktopError) {
            try await desktop.open(target, task: identity, folder: identity.flatMap(folder))
            return .done
        } catch {
            return .refused("\(error)")
        }
    }

    /// To the clipboard of the desktop session, else to a file.
    private func copyConversation(_ identity: TaskIdentity) async -> ActionOutcome {
        guard let appServer, let task = deck.tasks[identity] else { return .refused(Refusal.notConnected) }
        let document: ConversationMarkdown
        do throws(AppServerError) { document = try await appServer.conversation(identity, title: task.title) } catch { return ActionOutcome(error) }
        return await hand(over: document, title: task.title)
    }

    func hand(over document: ConversationMarkdown, title: String) async -> ActionOutcome {
        guard !document.isEmpty else { return .refused(Refusal.emptyConversation) }
        let desktop = desktop
        if await desktop.hasSession() {
            do throws(DesktopError) {
                try await desktop.copy(document.text)
                return .done
            } catch {
                logger.info("The conversation goes to a file, as the clipboard cannot be used: \(error)")
            }
        }
        return await write(document, title: title)
    }

    private func write(_ document: ConversationMarkdown, title: String) async -> ActionOutcome {
        let (variables, directories, seconds) = (environment.variables, environment.directories, environment.now().value / 1_000)
        do {
            let name = try await fileLoop.value { () throws(FileError) in
                let folder = try ConversationFile.folder(variables: variables, directories: directories)
                return try ConversationFile.write(document, title: title, date: seconds, to: folder)
            }
            return .told("The conversation is in \(name).")
        } catch {
            logger.info("A conversation cannot be kept: \(error)")
            return .refused(error.screenSentence)
        }
    }
}
