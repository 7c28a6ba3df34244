/// Counting what is known.
extension RolloutIndex {
    var statistics: RolloutStatistics {
        var count = RolloutStatistics()
        count.homeExists = homeExists
        for entry in entries.values {
            guard let location = entry.preferred else { continue }
            if location.isArchived { count.archivedFiles += 1 } else { count.liveFiles += 1 }
            if !location.isArchived, location.isCompressed { count.compressedFiles += 1 }
            guard let file = entry.file else { continue }
            count.readSessions += 1
            if file.meta?.isHelper == true { count.helperSessions += 1 }
            count.skippedLines += file.skippedLines
            count.damagedLines += file.damagedLines
        }
        count.listedSessions = published.count
        count.sessionsWithWriter = published.values.count(where: \.hasWriter)
        count.stalledSessions = published.values.count(where: \.isStalled)
        count.watchedFolders = watcher.count
        count.pollingReason = pollingReason
        for reason in unreadable.values { count.unreadable[reason, default: 0] += 1 }
        return count
    }
}
