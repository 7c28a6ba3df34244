import Log
import RelayProtocol

/// All rollouts of one $CODEX_HOME: which there are, what the ones that matter say, and what changed.
///
/// Blocks on the file system and does nothing by itself: its owner calls ``processEvents(now:)`` when ``RolloutWatcher/descriptor`` is
/// readable and ``handleTimeout(now:)`` at ``nextDeadline(now:)``. Read are the newest sessions, those with a writer, and every
/// file that changes while it runs; of all others only name, size and time are known.
final class RolloutIndex {
    struct Options: Sendable {
        /// Sessions of the user that are read at the start.
        var initialSessions = 128
        /// Files that are read at the start to find as many; helpers take some.
        var initialFiles = 256
        /// Day folders that are watched, newest first. Those holding a session that was read are watched in addition.
        var watchedDays = 120
        /// Without a writer and without a sign of work for this long, a running turn counts as stalled. Milliseconds.
        var quietTime: Int64 = 15 * 60 * 1000
        /// Between two looks when watching was refused. Milliseconds.
        var pollInterval: Int64 = 10_000
        /// From a change among the lock files to the look at the kernel's table, in which a lock comes after its file. Milliseconds.
        var lockDelay: Int64 = 20
        var reading = RolloutFile.Limits()
    }

    let home: String
    let options: Options
    let log: Logger
    let locks: WriterLocks
    var watcher: RolloutWatcher

    /// By the name of the file.
    var entries: [TaskIdentity: RolloutEntry] = [:]
    /// Sessions whose first line names another identity than their file does: that one → the file's.
    var aliases: [TaskIdentity: TaskIdentity] = [:]
    var names = SessionNames()
    var held: Set<TaskIdentity> = []
    var limits = RateLimits()
    var reportedLimits = RateLimits()
    var published: [TaskIdentity: RolloutSession] = [:]
    /// By path.
    var unreadable: [String: String] = [:]
    var homeExists = false
    /// The folder that is watched while $CODEX_HOME is missing.
    var ancestor: String?

    /// Entries to look at before changes are reported.
    var touched: Set<TaskIdentity> = []
    /// Costly reads that are done one at a time.
    var deferred: [Deferred] = []
    var locksDue: Int64?
    var pollDue: Int64?

    enum Deferred: Equatable {
        case read(TaskIdentity)
        case findTurnStart(TaskIdentity)
    }

    init(
        home: String, options: Options = Options(), log: Logger = .silent, watcher: RolloutWatcher = .make(), lockTable: String = "/proc/locks"
    ) {
        self.home = home
        self.options = options
        self.log = log
        self.watcher = watcher
        locks = WriterLocks(table: lockTable, folder: home + "/thread-writer-locks")
    }

    var sessionsFolder: String { home + "/sessions" }
    var archiveFolder: String { home + "/archived_sessions" }
    var nameFile: String { home + "/session_index.jsonl" }

    /// The sessions in the list, newest activity first.
    var sessions: [RolloutSession] {
        published.values.sorted { ($0.activityAt, $0.identity) > ($1.activityAt, $1.identity) }
    }

    /// Reads everything for the first time.
    func start(now: UnixMilliseconds) -> [RolloutChange] {
        rescan(now: now)
        return report(now: now)
    }

    /// Takes in what the kernel reported since the last call.
    func processEvents(now: UnixMilliseconds) -> [RolloutChange] {
        take(watcher.changes(), now: now)
        return report(now: now)
    }

    /// Does what is due; harmless when nothing is.
    func handleTimeout(now: UnixMilliseconds) -> [RolloutChange] {
        if let due = pollDue, due <= now.value {
            rescan(now: now)
        } else {
            let quiet = published.values.filter { stallDeadline($0).map { $0 <= now.value } ?? false }
            if locksDue.map({ $0 <= now.value }) ?? false || !quiet.isEmpty { readLocks() }
            for session in quiet { touch(session.identity) }
        }
        if !deferred.isEmpty { perform(deferred.removeFirst()) }
        return report(now: now)
    }

    /// When ``handleTimeout(now:)`` has something to do; `nil` when only events can change anything.
    func nextDeadline(now: UnixMilliseconds) -> UnixMilliseconds? {
        if !deferred.isEmpty { return now }
        let stalls = published.values.lazy.compactMap { self.stallDeadline($0) }.min()
        return [locksDue, pollDue, stalls].compactMap(\.self).min().map { UnixMilliseconds(clamping: $0) }
    }

    /// Reads a session that is not among the newest, for instance because it is pinned.
    func load(_ identity: TaskIdentity, now: UnixMilliseconds) -> [RolloutChange] {
        let key = aliases[identity] ?? identity
        if let entry = entries[key], entry.file == nil, entry.isLive { refresh(entry) }
        return report(now: now)
    }

    func touch(_ identity: TaskIdentity) { touched.insert(aliases[identity] ?? identity) }

    /// When a working session without a writer becomes stalled; `nil` when it cannot, or is.
    private func stallDeadline(_ session: RolloutSession) -> Int64? {
        guard session.state.lifecycle == .working, !session.hasWriter, !session.isStalled else { return nil }
        return session.activityAt.value + options.quietTime
    }
}

/// One session's files, and what was read of the one that counts.
final class RolloutEntry {
    struct Location: Equatable {
        var folder: String
        var name: String
        var isArchived: Bool
        var isCompressed: Bool
        var size: Int64
        /// Unix milliseconds.
        var modified: Int64

        var path: String { folder + "/" + name }
    }

    /// The identity in the file's name.
    let key: TaskIdentity
    /// Usually one: for moments also a compressed twin, or one in the archive.
    var locations: [Location]
    /// `nil` until it was read.
    var file: RolloutFile?
    /// Under which identity the session is in the list.
    var publishedAs: TaskIdentity?

    init(key: TaskIdentity, locations: [Location]) {
        self.key = key
        self.locations = locations
    }

    /// The file that counts: live before archived, plain before compressed, then the newest.
    var preferred: Location? {
        locations.count == 1 ? locations[0] : locations.min { rank($0) < rank($1) }
    }

    var isLive: Bool { preferred?.isArchived == false }

    /// The session's identity: what the first line says.
    var identity: TaskIdentity { file?.meta?.id ?? key }

    private func rank(_ location: Location) -> (Int, Int, Int64) {
        (location.isArchived ? 1 : 0, location.isCompressed ? 1 : 0, -location.modified)
    }
}
