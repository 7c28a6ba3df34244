import CodexAppServer
import JSON
import RelayProtocol

/// What the keys do to threads through the daemon.
extension AppServerSource {
    /// What stands in the way of acting on a thread the daemon must hold; `nil` when nothing does.
    private func obstacle(_ id: TaskIdentity) -> String? {
        guard connection != nil else { return Refusal.notConnected }
        guard let entry = book.entries[id], entry.record.status.isLoaded else { return Refusal.notLoaded }
        return nil
    }

    private func isWorking(_ id: TaskIdentity) -> Bool { book.entries[id]?.record.status.isActive ?? false }

    /// Whether a turn runs now, as the daemon itself says: what was last heard may be older than the press.
    private func isWorkingNow(_ id: TaskIdentity) async throws(AppServerError) -> Bool {
        if isWorking(id) { return true }
        return try await call(.readThread(id)).thread.status.isActive
    }

    // MARK: New threads

    func fork(_ id: TaskIdentity, asSideChat: Bool) async -> ActionOutcome {
        guard connection != nil else { return .refused(Refusal.notConnected) }
        do throws(AppServerError) {
            return open(try await call(.fork(id, isEphemeral: asSideChat)), sideChatOf: asSideChat ? id : nil)
        } catch {
            return ActionOutcome(error)
        }
    }

    func startThread(in folder: String) async -> ActionOutcome {
        guard connection != nil else { return .refused(Refusal.notConnected) }
        do throws(AppServerError) { return open(try await call(.startThread(in: folder)), sideChatOf: nil) } catch { return ActionOutcome(error) }
    }

    private func open(_ opened: OpenedThread, sideChatOf parent: TaskIdentity?) -> ActionOutcome {
        book.noteOpened(opened, sideChatOf: parent)
        flush()
        guard let facts = book.facts(opened.thread.identity) else { return .refused(Refusal.noSettings) }
        return .opened(facts)
    }

    // MARK: Turns

    /// Sends words of the owner's: as a new turn, or to the one that runs.
    func send(_ text: String, to id: TaskIdentity) async -> ActionOutcome {
        if let obstacle = obstacle(id) { return .refused(obstacle) }
        do throws(AppServerError) {
            if let turn = book.entries[id]?.runningTurn, isWorking(id) {
                do throws(AppServerError) {
                    _ = try await call(.steerTurn(id, turnID: turn, text: text))
                    return .done
                } catch {
                    // The turn has ended meanwhile, or goes by another id as reviews do: the daemon sorts it out.
                    guard case .refused(let refusal) = error, !refusal.isShuttingDown else { throw error }
                }
            }
            _ = try await call(.startTurn(id, text: text))
            return .done
        } catch {
            return ActionOutcome(error)
        }
    }

    func review(_ id: TaskIdentity, _ target: ReviewTarget) async -> ActionOutcome {
        if let obstacle = obstacle(id) { return .refused(obstacle) }
        do throws(AppServerError) {
            // A review would cut the running turn.
            guard try await !isWorkingNow(id) else { return .refused(RelayError.stillWorking) }
            let turnsBefore = book.entries[id]?.turnsStarted
            _ = try await call(.startReview(id, target))
            if book.entries[id]?.turnsStarted == turnsBefore { _ = await turns.wait(for: id, limit: limits.turn) }
            return .done
        } catch {
            return ActionOutcome(error)
        }
    }

    func archive(_ id: TaskIdentity) async -> ActionOutcome {
        guard connection != nil else { return .refused(Refusal.notConnected) }
        do throws(AppServerError) {
            guard try await !isWorkingNow(id) else { return .refused(RelayError.stillWorking) }
            try await call(.archive(id))
            return .done
        } catch {
            return ActionOutcome(error)
        }
    }

    // MARK: Settings

    func toggleFast(_ id: TaskIdentity) async -> ActionOutcome {
        switch current(id) {
        case .failure(let refusal): return .refused(refusal.sentence)
        case .success(let now):
            guard now.isFast || model(of: id)?.offersFast == true else { return .refused(Refusal.noFastMode) }
            return await change(id, .setFast(!now.isFast, of: id)) { $0.isFast == !now.isFast }
        }
    }

    /// At the end of the row nothing changes, and that is well.
    func changeEffort(_ id: TaskIdentity, upwards: Bool) async -> ActionOutcome {
        switch current(id) {
        case .failure(let refusal): return .refused(refusal.sentence)
        case .success(let now):
            guard let model = model(of: id), !model.efforts.isEmpty else { return .refused(Refusal.noEfforts) }
            guard let next = model.effort(after: now.effort, upwards: upwards) else { return .refused(Refusal.effortUnlisted) }
            guard next != now.effort else { return .done }
            return await change(id, .setEffort(next, of: id)) { $0.effort == next }
        }
    }

    func togglePlan(_ id: TaskIdentity) async -> ActionOutcome {
        switch current(id) {
        case .failure(let refusal): return .refused(refusal.sentence)
        case .success(let now):
            let mode: ThreadSettings.Mode = now.mode == .plan ? .standard : .plan
            return await change(id, .setMode(mode, of: id, keeping: now)) { $0.mode == mode }
        }
    }

    private struct Refused: Error { var sentence: String }

    private func current(_ id: TaskIdentity) -> Result<ThreadSettings, Refused> {
        if let obstacle = obstacle(id) { return .failure(Refused(sentence: obstacle)) }
        guard let settings = book.entries[id]?.settings else { return .failure(Refused(sentence: Refusal.noSettings)) }
        return .success(settings)
    }

    private func change(_ id: TaskIdentity, _ call: AppServerCall<Void>, holds: (ThreadSettings) -> Bool) async -> ActionOutcome {
        let epoch = epoch
        do throws(AppServerError) { try await self.call(call) } catch { return ActionOutcome(error) }
        // The notification comes before or after the answer, and after one of another press perhaps.
        let deadline = ContinuousClock.now + limits.settings
        while self.epoch == epoch {
            if let settings = book.entries[id]?.settings, holds(settings) { return .done }
            let left = deadline - .now
            guard left > .zero else { return .refused(Refusal.unconfirmed) }
            _ = await settings.wait(for: id, limit: left)
        }
        return .refused(Refusal.connectionLost)
    }

    // MARK: Other

    /// Runs the owner's command in a task's folder, with the rights the task has.
    func play(_ command: [String], in folder: String, of id: TaskIdentity) async -> ActionOutcome {
        guard connection != nil else { return .refused(Refusal.notConnected) }
        let policy = book.entries[id]?.settings?.sandboxPolicy
        let run = AppServerCall.run(command, in: folder, policy: policy, timeout: limits.playTimeout)
        commandsStarted += 1
        let (number, epoch) = (commandsStarted, epoch)
        let result = await commands.wait(for: number, limit: limits.play) {
            connection?.call(run) { [weak self] result in self?.assumeIsolated { $0.commands.resume(number, with: result) } }
        }
        switch result {
        case nil: return self.epoch == epoch ? .done : .refused(Refusal.connectionLost)
        case .failure(.disconnected): return .refused(Refusal.connectionLost)
        case .success(let result) where result.exitCode == 0: return .done
        case .success(let result): return .refused("The command ended with code \(result.exitCode).")
        case .failure(let error):
            if let detail = error.detail { logger.info("command/exec: \(detail)") }
            return ActionOutcome(error)
        }
    }

    /// The whole conversation, as the daemon keeps it.
    func conversation(_ id: TaskIdentity, title: String) async throws(AppServerError) -> ConversationMarkdown {
        let thread = try await call(.readThread(id, withTurns: true)).json["thread"] ?? .null
        return ConversationMarkdown(title: title, thread: thread, turns: thread["turns"]?.array ?? [])
    }

    /// Marks a task read, for its user has opened it. Not being able to is no failure of opening: the deck keeps its own note.
    func markRead(_ id: TaskIdentity) async {
        guard var state = book.entries[id]?.readState, state.isUnread else { return }
        for _ in 0..<2 {
            do throws(AppServerError) {
                let new = try await call(.markRead(id, revision: state.revision))
                book.note(readState: new, of: id)
                return flush()
            } catch {
                guard case .refused(let refusal) = error, refusal.reason == "readStateConflict", let newest = await readState(of: id) else {
                    return logger.debug("A task could not be marked read: \(error)")
                }
                // The daemon tells of marks only those who listen to the thread.
                book.note(readState: newest, of: id)
                flush()
                guard newest.isUnread else { return }
                state = newest
            }
        }
    }

    private func readState(of id: TaskIdentity) async -> ReadState? {
        do throws(AppServerError) { return try await call(.readThread(id)).readState } catch {
            logger.debug("A task's read mark could not be read: \(error)")
            return nil
        }
    }

    /// Uses one reset credit.
    ///
    /// - Parameter key: Fresh for every press: the same key never uses a second credit.
    func resetLimit(key: String) async -> ActionOutcome {
        guard connection != nil else { return .refused(Refusal.notConnected) }
        do throws(AppServerError) {
            let account = try await call(.rateLimits())
            report(credits: account.resetCredits)
            guard let credits = account.resetCredits, credits > 0 else { return .refused(Refusal.noCredit) }
        } catch {
            return .refused(Self.isWithoutAccount(error) ? Refusal.noCredit : "\(error)")
        }
        do throws(AppServerError) {
            let outcome = try await call(.useResetCredit(key: key))
            readLimits(force: true)
            switch outcome {
            case .reset: return .done
            case .nothingToReset: return .refused(Refusal.nothingToReset)
            case .noCredit: return .refused(Refusal.noCredit)
            case .alreadyRedeemed: return .refused(Refusal.alreadyRedeemed)
            case .unknown: return .refused(Refusal.resetUnknown)
            }
        } catch {
            switch error {
            // Whether it reached the account is not known.
            case .timedOut, .disconnected, .unexpectedAnswer: return .refused(Refusal.resetUnknown)
            case .refused: return .refused(Self.isWithoutAccount(error) ? Refusal.noCredit : "\(error)")
            }
        }
    }

    private static func isWithoutAccount(_ error: AppServerError) -> Bool {
        if case .refused(let refusal) = error { refusal.message.contains("authentication required") } else { false }
    }
}
