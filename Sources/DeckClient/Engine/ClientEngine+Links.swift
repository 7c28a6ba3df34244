import Discovery
import EventLoop
import Log
import Relay
import RelayProtocol
import Secrets

/// Connections: what they say, and which there are.
extension ClientEngine {
    func link(to profile: NodeProfile, _ secrets: (any SecretStore)?) async throws -> NodeLink {
        let token = try await token(of: profile, in: secrets)
        // What a link before it knew is newer than what is on disk.
        let former = links.first { $0.profile.id == profile.id }?.view
        let known = former ?? store.cachedSnapshot(of: profile.id).map { HostView(profile, host: $0.host, cached: $0.report) }
        return NodeLink(profile, token: token ?? Secret(""), known: known, loop: loop, environment: environment) {
            [weak self] profileID, change in self?.assumeIsolated { $0.changed(profileID, change) }
        }
    }

    var connected: Set<String> { Set(links.lazy.filter(\.health.health.isConnected).map(\.profile.id)) }

    private func token(of profile: NodeProfile, in secrets: (any SecretStore)?) async throws -> Secret? {
        guard let key = ClientStore.tokenKey(profile.id), let token = try await secrets?.lookup(key) else {
            logger.warning("The token of \(profile.name) is missing; pair it again with `deckclient pair`.")
            return nil
        }
        return token
    }

    /// Tries everything at once that waits to be dialled again.
    func reconnect() { for link in links { link.networkChanged() } }

    func startDiscovery() {
        let browser = ServiceBrowser(loop: fileLoop, log: logger) { [weak self, loop] event in
            guard case .found(let record) = event else { return }
            loop.execute { [weak self] in self?.assumeIsolated { $0.heard(record) } }
        }
        self.browser = browser
        fileLoop.execute { browser.assumeIsolated { $0.start() } }
        do throws(SystemError) {
            monitor = try AddressMonitor(loop: loop) { [weak self] _ in self?.assumeIsolated { $0.reconnect() } }
        } catch {
            logger.info("Changes of the network are not noticed: \(error)")
        }
    }

    private func heard(_ record: ServiceRecord) {
        let address = NodeAddress(nearby: record.address, port: record.port)
        do {
            let (move, book) = try store.update { book in (book.heard(record.host, fingerprint: record.fingerprint, at: address), book) }
            switch move {
            case .moved(let profileID):
                guard let profile = book[profileID] else { return }
                logger.notice("\(profile.name) moved to \(address).")
                links.first { $0.profile.id == profileID }?.move(to: profile)
            case .otherFingerprint(let profileID):
                logger.logOnce(
                    "fingerprint-\(profileID)", .warning, "Somebody announces a paired computer with another certificate; that is ignored.")
            case .unchanged, .unknownHost, .unusable: break
            }
        } catch {
            logger.logOnce("profiles", .error, "\(error)")
        }
    }

    func changed(_ profileID: String, _ change: NodeLink.Change) {
        guard let link = links.first(where: { $0.profile.id == profileID }) else { return }
        switch change {
        case .health: break
        case .snapshot:
            uncached.insert(link.profile.id)
            armCacheTimer()
            refreshNow()
            if let view = link.view { for number in commands.keys.sorted() { step(number) { $0.handle(.snapshot(view), of: nil, in: $1, now: $2) } } }
        case .result(let requestID, let error):
            let key = RequestKey(profileID: link.profile.id, requestID: requestID)
            if unansweredReleases.remove(key) != nil { finishWhenQuiet() }
            guard let request = requests.removeValue(forKey: key), let command = commands[request.command] else { return }
            step(command) { $0.handle(.result(request.phase, error: error), of: request.part, in: $1, now: $2) }
        case .lost: lost(link)
        case .identified(let host): identified(link, host)
        case .refused(let reason):
            logger.notice("\(link.profile.name): re-pair required, \(reason).")
            updateProfiles { [connected] book in
                book.requireRePairing(id: link.profile.id, reason: reason)
                if let host = link.profile.hostID { book.markDuplicates(of: host, live: connected) }
            }
        }
        reviewTrials()
        if links.allSatisfy(\.isSettled) { releaseWaiters() }
        // A snapshot has been merged already, for the commands that wait for it.
        if case .snapshot = change { return }
        refresh()
    }

    private func lost(_ link: NodeLink) {
        let id = link.profile.id
        requests = requests.filter { $0.key.profileID != id }
        unansweredReleases = unansweredReleases.filter { $0.profileID != id }
        finishWhenQuiet()
        guard let host = link.view?.host.id else { return }
        // What another route carries goes on.
        for command in commands.values.sorted(by: { $0.number < $1.number }) where command.carrier == id {
            step(command) { $0.handle(.connectionLost(host), of: nil, in: $1, now: $2) }
        }
    }

    private func identified(_ link: NodeLink, _ host: Host) {
        let former = link.profile.duplicateOf
        updateProfiles { [connected] book in
            _ = book.answered(id: link.profile.id, host: host)
            book.markDuplicates(of: host.id, live: connected)
        }
        if let former = links.first(where: { $0.profile.id == former }), former.profile.duplicateOf == link.profile.id {
            logger.notice("\(link.profile.name) is used from now on in place of \(former.profile.name), which cannot be reached.")
        }
    }

    private func updateProfiles(_ change: (inout ProfileBook) -> Void) {
        do {
            let book = try store.update { book in
                change(&book)
                return book
            }
            for link in links { if let profile = book[link.profile.id] { link.move(to: profile) } }
        } catch {
            logger.logOnce("profiles", .error, "\(error)")
        }
    }

    // MARK: - Pairing while running

    /// Takes over what a command changed in the book of profiles.
    ///
    /// - Parameter renewed: The profile that was paired again: its token is another now.
    func reloadProfiles(renewed: String?) async {
        do {
            let book = try store.profiles()
            let secrets = book.profiles.isEmpty ? nil : try await store.secrets().store
            var kept: [NodeLink] = []
            for profile in book.profiles {
                if let link = links.first(where: { $0.profile.id == profile.id }), profile.id != renewed,
                    link.profile.rePairReason == nil || profile.rePairReason != nil
                {
                    link.move(to: profile)
                    kept.append(link)
                } else {
                    kept.append(try await link(to: profile, secrets))
                }
            }
            replaceLinks(with: kept)
        } catch {
            logger.error("The nodes cannot be read again: \(error)")
        }
    }

    private func replaceLinks(with kept: [NodeLink]) {
        let former = links
        links = kept
        for link in former where !kept.contains(where: { $0 === link }) {
            link.stop()
            lost(link)
            if let host = link.view?.host.id, !kept.contains(where: { $0.profile.hostID == host || $0.view?.host.id == host }) {
                memory.forget(host)
                ledger.forget(host)
            }
        }
        for link in kept where !former.contains(where: { $0 === link }) { link.start() }
        reviewTrials()
        refresh()
    }

    // MARK: - Duplicates

    /// Dials duplicates of what cannot be reached, and hangs up those that are not needed, after the handler that runs now.
    func reviewTrials() {
        guard !areTrialsDue else { return }
        areTrialsDue = true
        loop.later { [weak self] in self?.assumeIsolated { $0.reviewTrialsNow() } }
    }

    private func reviewTrialsNow() {
        areTrialsDue = false
        guard !isStopping else { return }
        let due = trials.update(links.map(\.profile), connected: connected, now: .now)
        for link in links { link.setTrial(due.contains(link.profile.id)) }
        trialTimer?.cancel()
        trialTimer = trials.nextDeadline.map { loop.schedule(at: $0) { [weak self] in self?.assumeIsolated { $0.reviewTrialsNow() } } }
    }

    // MARK: - Cache

    func armCacheTimer() {
        guard cacheTimer?.isPending != true else { return }
        cacheTimer = loop.schedule(after: .seconds(2)) { [weak self] in self?.assumeIsolated { $0.writeCache() } }
    }

    func writeCache() {
        cacheTimer?.cancel()
        let due = links.filter { uncached.contains($0.profile.id) }.compactMap(\.view)
        uncached = []
        fileLoop.execute { [store, logger] in
            for view in due {
                do { try store.cache(view) } catch { logger.logOnce("cache", .warning, "The last state of \(view.host.name) is not kept: \(error)") }
            }
        }
    }
}

extension NodeLink {
    var frame: EngineFrame.Node {
        let state = ClientState.Node(
            profile: profile, health: health.health, host: view?.host, bridge: bridge,
            capabilities: view?.capabilities?.map(\.rawValue).sorted() ?? [],
            lastSnapshotAt: view?.report?.receivedAt)
        return EngineFrame.Node(state: state, view: view)
    }
}
