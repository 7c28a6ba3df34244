import Glibc
import RelayProtocol

/// Finding the files.
extension RolloutIndex {
    /// Looks at every folder anew: at the start, after lost events, and when watching was refused.
    func rescan(now: UnixMilliseconds) {
        watcher.reset()
        homeExists = false
        unreadable = unreadable.filter { (try? FileStatus(of: $0.key)) != nil }
        watchHome()
        readNames()
        var found: [TaskIdentity: [RolloutEntry.Location]] = [:]
        let days = dayFolders().sorted(by: >)
        for (index, day) in days.enumerated() {
            if index < options.watchedDays { watcher.watch(day, as: .rollouts(day)) }
            list(day, isArchive: false, &found)
        }
        watcher.watch(archiveFolder, as: .rollouts(archiveFolder))
        list(archiveFolder, isArchive: true, &found)
        replaceEntries(by: found)
        readLocks()
        planPolling(now: now)
    }

    /// Watches $CODEX_HOME and what stands in it; when it is missing, the folder above that is there.
    private func watchHome() {
        while true {
            if (try? FileStatus(of: home))?.kind == .folder {
                homeExists = true
                ancestor = nil
                watcher.unwatch(.ancestor)
                watcher.watch(home, as: .home)
                watcher.watch(locks.folder, as: .locks)
                watcher.watch(nameFile, as: .nameFile)
                return
            }
            let above = nearestFolder(above: home)
            ancestor = above
            // Made between the look and the watch: then the loop finds it.
            if !watcher.watch(above, as: .ancestor) || nearestFolder(above: home) == above, (try? FileStatus(of: home)) == nil { return }
        }
    }

    private func nearestFolder(above path: String) -> String {
        var path = Substring(path)
        repeat { path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] } while !path.isEmpty && (try? FileStatus(of: String(path))) == nil
        return path.isEmpty ? "/" : String(path)
    }

    /// The day folders under `sessions`; all three levels above are watched before they are read, so that no new one slips through.
    private func dayFolders() -> [String] {
        subfolders(sessionsFolder, level: 0).flatMap { subfolders($0, level: 1) }.flatMap { subfolders($0, level: 2) }
    }

    private func subfolders(_ path: String, level: Int) -> [String] {
        watcher.watch(path, as: .calendar(path, level: level))
        var folders: [String] = []
        forEachEntry(path) { folder, name, type in
            let digits = UnsafeBufferPointer(start: name, count: strlen(name))
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
            if type == DT_DIR || (type != DT_REG && (try? FileStatus(of: name, in: folder))?.kind == .folder) {
                folders.append(path + "/" + String(cString: name))
            }
        }
        return folders
    }

    /// Takes in a folder that appeared inside `sessions`; `level` is its own: 1 a year, 2 a month, 3 a day.
    func addFolder(_ path: String, level: Int) {
        guard level >= 3 else {
            for folder in subfolders(path, level: level) { addFolder(folder, level: level + 1) }
            return
        }
        watcher.watch(path, as: .rollouts(path))
        var found: [TaskIdentity: [RolloutEntry.Location]] = [:]
        list(path, isArchive: false, &found)
        for (key, locations) in found { for location in locations { place(location, of: key) } }
        readNewest(of: found.keys.compactMap { entries[$0] })
    }

    private func list(_ path: String, isArchive: Bool, _ found: inout [TaskIdentity: [RolloutEntry.Location]]) {
        forEachEntry(path) { folder, name, _ in
            guard let parsed = RolloutName(UnsafeRawBufferPointer(start: name, count: strlen(name))),
                let status = try? FileStatus(of: name, in: folder), status.kind == .file
            else { return }
            found[parsed.identity, default: []].append(
                RolloutEntry.Location(
                    folder: path, name: String(cString: name), isArchived: isArchive, isCompressed: parsed.isCompressed, size: status.size,
                    modified: status.modified))
        }
    }

    private func forEachEntry(_ path: String, _ body: (Int32, UnsafePointer<CChar>, UInt8) -> Void) {
        do throws(FileFailure) {
            try FolderListing.forEach(path, body)
            unreadable[path] = nil
        } catch {
            if !error.isMissing { noteUnreadable(path, error.description) }
        }
    }

    /// Exchanges what is known of the files; what was read of them stays with those that are still there.
    private func replaceEntries(by found: [TaskIdentity: [RolloutEntry.Location]]) {
        var fresh: [RolloutEntry] = []
        for (key, locations) in found {
            if let entry = entries[key] {
                let old = entry.preferred
                entry.locations = locations
                guard old != entry.preferred else { continue }
                if entry.file == nil { fresh.append(entry) } else { refresh(entry) }
                touched.insert(key)
            } else {
                let entry = RolloutEntry(key: key, locations: locations)
                entries[key] = entry
                fresh.append(entry)
            }
        }
        if entries.count > found.count {
            for (key, entry) in entries where found[key] == nil {
                entry.locations = []
                touched.insert(key)
            }
        }
        readNewest(of: fresh)
    }

    /// Reads the newest live sessions of these, as many as the list holds.
    private func readNewest(of candidates: [RolloutEntry]) {
        let live = candidates.compactMap { entry in entry.preferred.flatMap { $0.isArchived ? nil : (entry: entry, modified: $0.modified) } }
        let newest = live.sorted { $0.modified > $1.modified }
        var listed = 0
        for (entry, _) in newest.prefix(options.initialFiles) where entry.file == nil {
            guard listed < options.initialSessions, let location = entry.preferred else { break }
            // Nobody is working in a compressed one: it can wait.
            if location.isCompressed { postpone(.read(entry.key)) } else { refresh(entry) }
            if entry.file?.meta?.isHelper != true { listed += 1 }
        }
    }

    private func planPolling(now: UnixMilliseconds) {
        guard watcher.refusal != nil else {
            pollDue = nil
            log.recovered("rollouts-watch", "Session files are watched again.")
            return
        }
        pollDue = now.value + options.pollInterval
        log.logOnce("rollouts-watch", pollingReason ?? "")
    }

    /// One sentence for people; `nil` while everything is watched.
    var pollingReason: String? {
        watcher.refusal.map { refusal in
            "Session files cannot be watched (\(refusal)), so they are looked at every \(options.pollInterval / 1000) seconds;"
                + " raise fs.inotify.max_user_watches and fs.inotify.max_user_instances."
        }
    }
}
