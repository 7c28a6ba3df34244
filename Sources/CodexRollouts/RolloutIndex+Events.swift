import RelayProtocol

/// What the kernel reports, and what it means.
extension RolloutIndex {
    func take(_ changes: [RolloutWatcher.Change], now: UnixMilliseconds) {
        var files: [FileName] = []
        var seen: Set<FileName> = []
        var needsRescan = false
        for change in changes {
            switch change {
            case .overflow: needsRescan = true
            case .gone(.locks): locksDue = now.value
            case .gone(.nameFile): watchNameFile()
            case .gone(.rollouts(let folder)): forgetFolder(folder)
            case .gone(.home), .gone(.ancestor), .gone(.calendar): needsRescan = true
            case .entry(.rollouts(let folder), let name, isFolder: false, _):
                let file = FileName(folder: folder, name: name)
                if seen.insert(file).inserted { files.append(file) }
            case .entry(.rollouts, _, _, _): break
            // Looking at the folder is an event of the folder itself: that one must not lead to the next look.
            case .entry(.locks, let name, isFolder: false, _) where !name.isEmpty: locksDue = locksDue ?? now.value + options.lockDelay
            case .entry(.locks, _, _, _): break
            case .entry(.nameFile, _, _, _): readNames()
            case .entry(.ancestor, let name, _, _): needsRescan = needsRescan || leadsHome(name)
            case .entry(.home, let name, _, let isGone): needsRescan = takeHomeEntry(name, isGone: isGone, now: now) || needsRescan
            case .entry(.calendar(let path, let level), let name, _, let isGone):
                if isGone { needsRescan = true } else { addCalendarEntry(path + "/" + name, level: level + 1) }
            }
        }
        if needsRescan {
            rescan(now: now)
        } else {
            for file in files { noteFile(file.name, in: file.folder) }
            if watcher.refusal != nil, pollDue == nil { rescan(now: now) }
        }
    }

    /// Whether an entry of the folder above the missing $CODEX_HOME is on the way to it.
    private func leadsHome(_ name: String) -> Bool {
        guard let ancestor else { return true }
        let path = (ancestor == "/" ? "" : ancestor) + "/" + name
        return home == path || home.hasPrefix(path + "/")
    }

    private struct FileName: Hashable {
        var folder: String
        var name: String
    }

    private func addCalendarEntry(_ path: String, level: Int) {
        // Only what consists of digits is a year, month or day.
        guard path.utf8.reversed().prefix(while: { $0 != UInt8(ascii: "/") }).allSatisfy({ (0x30...0x39).contains($0) }) else { return }
        if (try? FileStatus(of: path))?.kind == .folder { addFolder(path, level: level) }
    }

    /// - Returns: Whether everything has to be looked at.
    private func takeHomeEntry(_ name: String, isGone: Bool, now: UnixMilliseconds) -> Bool {
        switch name {
        case "sessions", "archived_sessions": return true
        case "thread-writer-locks":
            watcher.watch(locks.folder, as: .locks)
            locksDue = now.value + options.lockDelay
        case "session_index.jsonl": watchNameFile()
        default: break
        }
        return false
    }

    private func watchNameFile() {
        watcher.watch(nameFile, as: .nameFile)
        readNames()
    }

    /// A folder of rollouts is gone, or another one stands in its place.
    private func forgetFolder(_ folder: String) {
        watcher.unwatch(.rollouts(folder))
        for (key, entry) in entries where entry.locations.contains(where: { $0.folder == folder }) {
            if (try? FileStatus(of: folder)) == nil { removeLocation(key: key) { $0.folder == folder } }
        }
    }
}
