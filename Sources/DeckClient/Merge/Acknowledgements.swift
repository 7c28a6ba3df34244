import RelayProtocol

/// Which completions and errors the owner of this client has seen.
public struct Acknowledgements: Sendable, Equatable {
    /// What can be seen of a task, as its hosts number it.
    public struct Marks: Sendable, Hashable {
        /// The turn that finished; `nil` when no completion is known.
        public var completion: Revision?
        /// The turn that failed; `nil` when no copy shows an error.
        public var error: Revision?

        public init(completion: Revision? = nil, error: Revision? = nil) {
            self.completion = completion
            self.error = error
        }
    }

    /// How one completion or error is told from the next.
    public enum Revision: Sendable, Hashable {
        case number(Int64)
        /// The host numbers nothing: this one, until the task is seen without it.
        case unnumbered
    }

    /// What was seen of one task.
    public struct Entry: Sendable, Equatable {
        public var identity: TaskIdentity
        /// Oldest first, at most ``Acknowledgements/revisionsKept``: a task that changes its owner back and forth stays seen.
        public var completions: [Int64]
        public var unnumberedCompletion: Bool
        /// Only while the task shows an error.
        public var error: Revision?
        /// When anything was last acknowledged, by our clock.
        public var at: UnixMilliseconds

        public init(
            identity: TaskIdentity, completions: [Int64] = [], unnumberedCompletion: Bool = false, error: Revision? = nil, at: UnixMilliseconds
        ) {
            self.identity = identity
            self.completions = completions.suffix(Acknowledgements.revisionsKept)
            self.unnumberedCompletion = unnumberedCompletion
            self.error = error
            self.at = at
        }

        /// Whether something is noted that ends by itself.
        var isTransient: Bool { unnumberedCompletion || error != nil }
    }

    public static let revisionsKept = 4
    /// The tasks acknowledged longest ago are forgotten beyond this many.
    public static let capacity = 512

    private var entries: [IdentityCode: Entry] = [:]

    public init() {}

    /// Takes remembered entries; of one task told twice the newer counts.
    public init(_ remembered: some Sequence<Entry>) {
        for entry in remembered {
            let code = IdentityCode(entry.identity)
            if let known = entries[code], known.at >= entry.at { continue }
            entries[code] = entry
        }
        bound()
    }

    /// All entries, by identity.
    public var all: [Entry] { entries.values.sorted { $0.identity < $1.identity } }
    public var isEmpty: Bool { entries.isEmpty }

    /// Notes that `marks` of the task were seen.
    ///
    /// - Returns: Whether that was news.
    @discardableResult
    public mutating func record(_ identity: TaskIdentity, _ marks: Marks, at now: UnixMilliseconds) -> Bool {
        let code = IdentityCode(identity)
        let old = entries[code]
        var entry = old ?? Entry(identity: identity, at: now)
        switch marks.completion {
        case .number(let revision) where !entry.completions.contains(revision):
            entry.completions = (entry.completions + [revision]).suffix(Self.revisionsKept)
        case .unnumbered: entry.unnumberedCompletion = true
        case .number, nil: break
        }
        if let error = marks.error { entry.error = error }
        guard old.map({ $0 != entry }) ?? (marks != Marks()) else { return false }
        entry.at = now
        entries[code] = entry
        bound()
        return true
    }

    /// Forgets marks that end with the state they were made for.
    ///
    /// - Parameter marks: What the task shows now, as told by hosts that can be believed.
    mutating func settle(_ code: IdentityCode, showing marks: Marks) {
        guard var entry = entries[code], entry.isTransient else { return }
        if marks.completion != .unnumbered { entry.unnumberedCompletion = false }
        if marks.error == nil { entry.error = nil }
        entries[code] = entry.completions.isEmpty && !entry.isTransient ? nil : entry
    }

    /// Entries that ``settle(_:showing:)`` may shorten.
    var transient: [(code: IdentityCode, identity: TaskIdentity)] {
        entries.compactMap { $0.value.isTransient ? ($0.key, $0.value.identity) : nil }
    }

    /// Whether this completion of the task was seen.
    public func hasCompletion(_ revision: Revision?, of identity: TaskIdentity) -> Bool { hasCompletion(revision, of: IdentityCode(identity)) }

    /// Whether this error of the task was seen.
    public func hasError(_ revision: Revision?, of identity: TaskIdentity) -> Bool { hasError(revision, of: IdentityCode(identity)) }

    func hasCompletion(_ revision: Revision?, of code: IdentityCode) -> Bool {
        guard let revision, let entry = entries[code] else { return false }
        return switch revision {
        case .number(let number): entry.completions.contains(number)
        case .unnumbered: entry.unnumberedCompletion
        }
    }

    func hasError(_ revision: Revision?, of code: IdentityCode) -> Bool {
        guard let revision else { return false }
        return entries[code]?.error == revision
    }

    private mutating func bound() {
        guard entries.count > Self.capacity else { return }
        let newest = entries.sorted { left, right in
            left.value.at != right.value.at ? left.value.at > right.value.at : left.key < right.key
        }
        entries = Dictionary(uniqueKeysWithValues: newest.prefix(Self.capacity).map { ($0.key, $0.value) })
    }
}
