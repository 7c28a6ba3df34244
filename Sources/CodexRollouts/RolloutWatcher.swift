import CLinux
import Glibc

/// Knows which folder each inotify watch stands for, and when the kernel refused one.
struct RolloutWatcher {
    /// What a watch is for.
    enum Place: Hashable {
        /// The nearest folder above a missing $CODEX_HOME.
        case ancestor
        case home
        /// `sessions` (level 0), a year (1) or a month (2) in it: folders of folders.
        case calendar(String, level: Int)
        /// A day's folder, or `archived_sessions`: folders of rollouts.
        case rollouts(String)
        case locks
        case nameFile
    }

    /// What changed.
    enum Change: Equatable {
        case entry(Place, name: String, isFolder: Bool, isGone: Bool)
        /// The watched thing itself was moved or deleted.
        case gone(Place)
        /// Events were lost: everything has to be looked at.
        case overflow
    }

    private let system: (any WatchSystem)?
    private var places: [Int32: Place] = [:]
    private var watches: [Place: Int32] = [:]
    /// Why the last watch was refused for want of resources; `nil` when all are in place.
    private(set) var refusal: FileFailure?

    init(system: (any WatchSystem)?, refusal: FileFailure? = nil) {
        self.system = system
        self.refusal = refusal
    }

    /// One inotify instance; when there is none left, a watcher that is refused everything.
    static func make() -> RolloutWatcher {
        do throws(FileFailure) { return RolloutWatcher(system: try Inotify()) } catch { return RolloutWatcher(system: nil, refusal: error) }
    }

    /// Readable when changes wait; -1 when nothing can be watched.
    var descriptor: Int32 { system?.descriptor ?? -1 }
    var count: Int { places.count }

    func isWatching(_ place: Place) -> Bool { watches[place] != nil }

    /// Begins to watch `path` as `place`, or does so again after the thing there was replaced.
    ///
    /// - Returns: Whether it is watched now.
    @discardableResult
    mutating func watch(_ path: String, as place: Place) -> Bool {
        guard let system else { return false }
        do throws(FileFailure) {
            let watch = try system.add(path, mask: Self.mask(place))
            if let old = watches[place], old != watch {
                places[old] = nil
                system.remove(old)
            }
            watches[place] = watch
            places[watch] = place
            return true
        } catch {
            if !error.isMissing, error.code != EACCES { refusal = error }
            return false
        }
    }

    mutating func unwatch(_ place: Place) {
        guard let watch = watches.removeValue(forKey: place) else { return }
        places[watch] = nil
        system?.remove(watch)
    }

    /// Forgets every watch, and that one was refused.
    mutating func reset() {
        for place in watches.keys { unwatch(place) }
        if system != nil { refusal = nil }
    }

    /// What changed since the last call, in order, without repetitions next to each other.
    mutating func changes() -> [Change] {
        var changes: [Change] = []
        for event in system?.read() ?? [] {
            if event.has(UInt32(IN_Q_OVERFLOW)) { return [.overflow] }
            guard let place = places[event.watch] else { continue }
            let change: Change
            if event.has(UInt32(IN_IGNORED)) {
                places[event.watch] = nil
                watches[place] = nil
                change = .gone(place)
            } else if event.has(UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)) {
                change = .gone(place)
            } else {
                change = .entry(
                    place, name: event.name, isFolder: event.has(UInt32(IN_ISDIR)), isGone: event.has(UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)))
            }
            if changes.last != change { changes.append(change) }
        }
        return changes
    }

    private static func mask(_ place: Place) -> UInt32 {
        let listing = [IN_CREATE, IN_MOVED_TO, IN_DELETE, IN_MOVED_FROM, IN_ONLYDIR]
        let flags =
            switch place {
            case .ancestor: [IN_CREATE, IN_MOVED_TO, IN_ONLYDIR]
            // Not IN_MODIFY: the CLI's databases live here too and are written to all the time.
            case .home, .calendar: listing
            // IN_ATTRIB: a file that could not be read may become readable.
            case .rollouts: listing + [IN_MODIFY, IN_ATTRIB]
            // A writer that is killed leaves its file; that it is closed is the only sign.
            case .locks: listing + [IN_OPEN, IN_CLOSE_WRITE, IN_CLOSE_NOWRITE]
            case .nameFile: [IN_MODIFY]
            }
        return bits(flags + [IN_DELETE_SELF, IN_MOVE_SELF])
    }

    private static func bits(_ flags: [some BinaryInteger]) -> UInt32 {
        flags.reduce(0) { $0 | UInt32(truncatingIfNeeded: $1) }
    }
}
