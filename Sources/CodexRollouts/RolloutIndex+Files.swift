import Glibc
import RelayProtocol

/// Reading the files, and turning what changed into changes for the owner.
extension RolloutIndex {
    /// A file in a folder of rollouts was made, changed, moved or deleted.
    func noteFile(_ name: String, in folder: String) {
        guard let parsed = RolloutName(name) else { return }
        let path = folder + "/" + name
        guard let status = try? FileStatus(of: path), status.kind == .file else {
            removeLocation(key: parsed.identity) { $0.folder == folder && $0.name == name }
            unreadable[path] = nil
            return
        }
        let entry = place(
            RolloutEntry.Location(
                folder: folder, name: name, isArchived: folder == archiveFolder, isCompressed: parsed.isCompressed,
                size: status.size, modified: status.modified), of: parsed.identity)
        if entry.isLive { refresh(entry) }
    }

    /// Makes a file known, or knows better about one.
    @discardableResult
    func place(_ location: RolloutEntry.Location, of key: TaskIdentity) -> RolloutEntry {
        touched.insert(key)
        guard let entry = entries[key] else {
            let entry = RolloutEntry(key: key, locations: [location])
            entries[key] = entry
            return entry
        }
        entry.locations.removeAll { $0.folder == location.folder && $0.name == location.name }
        entry.locations.append(location)
        return entry
    }

    func removeLocation(key: TaskIdentity, where matches: (RolloutEntry.Location) -> Bool) {
        guard let entry = entries[key] else { return }
        entry.locations.removeAll(where: matches)
        touched.insert(key)
        if entry.file != nil, entry.isLive { refresh(entry) }
    }

    /// Reads what is new in the session's file, or all that matters when it is seen for the first time.
    func refresh(_ entry: RolloutEntry) {
        guard let location = entry.preferred else { return }
        touched.insert(entry.key)
        watcher.watch(location.folder, as: .rollouts(location.folder))
        do {
            let file = try OpenFile(location.path)
            if entry.file?.isCompressed != location.isCompressed { entry.file = nil }
            if try entry.file?.update(file) != true {
                entry.file = try RolloutFile(file, isCompressed: location.isCompressed, limits: options.reading)
                if entry.file?.lacksTurnStart == true { postpone(.findTurnStart(entry.key)) }
            }
            unreadable[location.path] = nil
        } catch let failure as FileFailure where failure.isMissing {
            removeLocation(key: entry.key) { $0 == location }
        } catch {
            noteUnreadable(location.path, "\(error)")
        }
        guard let file = entry.file else { return }
        limits.merge(file.state.limits)
        if entry.identity != entry.key { aliases[entry.identity] = entry.key }
    }

    func postpone(_ work: Deferred) {
        if !deferred.contains(work) { deferred.append(work) }
    }

    func perform(_ work: Deferred) {
        switch work {
        case .read(let key):
            if let entry = entries[key], entry.file == nil, entry.isLive { refresh(entry) }
        case .findTurnStart(let key):
            guard let entry = entries[key], let path = entry.preferred?.path, let file = try? OpenFile(path) else { return }
            // A failure here was reported by the read before, or will be by the next.
            try? entry.file?.findTurnStart(file)
            touched.insert(key)
        }
    }

    func noteUnreadable(_ path: String, _ reason: String) {
        guard unreadable.updateValue(reason, forKey: path) == nil else { return }
        let name = path.split(separator: "/").last ?? ""
        log.logOnce("rollouts-unreadable-\(reason)", "\(name) cannot be read: \(reason). More like it are counted by decknode doctor.")
    }

    func readNames() {
        do throws(FileFailure) {
            for identity in try names.update(nameFile) { touch(identity) }
            unreadable[nameFile] = nil
        } catch {
            if !error.isMissing { noteUnreadable(nameFile, error.description) }
        }
    }

    /// Looks who holds which session; one that is held and was not read yet is read now.
    func readLocks() {
        locksDue = nil
        let now = locks.held()
        for identity in now.symmetricDifference(held) { touch(identity) }
        held = now
        for identity in now {
            if let entry = entries[aliases[identity] ?? identity], entry.file == nil, entry.isLive { refresh(entry) }
        }
    }

    /// What differs from the last report.
    func report(now: UnixMilliseconds) -> [RolloutChange] {
        var changes: [RolloutChange] = []
        for key in touched {
            guard let entry = entries[key] else { continue }
            report(entry, now: now, &changes)
            if entry.locations.isEmpty { entries[key] = nil }
        }
        touched.removeAll(keepingCapacity: true)
        if limits != reportedLimits {
            reportedLimits = limits
            changes.append(.limits(limits))
        }
        return changes
    }

    private func report(_ entry: RolloutEntry, now: UnixMilliseconds, _ changes: inout [RolloutChange]) {
        let session = session(entry, now: now)
        if let old = entry.publishedAs, old != session?.identity {
            published[old] = nil
            entry.publishedAs = nil
            changes.append(.gone(old, entry.locations.isEmpty ? .deleted : .archived))
        }
        guard let session else { return }
        entry.publishedAs = session.identity
        if published.updateValue(session, forKey: session.identity) != session { changes.append(.session(session)) }
    }

    /// `nil` for what is no live task of the user.
    private func session(_ entry: RolloutEntry, now: UnixMilliseconds) -> RolloutSession? {
        guard entry.isLive, let file = entry.file, file.isIntroduced, file.meta?.isHelper != true else { return nil }
        // A file without one record in it is somebody's garbage and no session.
        guard file.meta != nil || file.state.activityAt != nil else { return nil }
        var session = RolloutSession(
            identity: entry.identity, name: names.names[entry.identity], state: file.state, hasWriter: held.contains(entry.identity),
            source: file.meta?.source, originator: file.meta?.originator, cliVersion: file.meta?.cliVersion,
            modifiedAt: UnixMilliseconds(clamping: file.status.modified))
        session.isStalled =
            file.state.lifecycle == .working && !session.hasWriter && now.value - session.activityAt.value >= options.quietTime
        return session
    }
}
