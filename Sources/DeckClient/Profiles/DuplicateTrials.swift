/// When a duplicate is tried in place of the profile that stands for it.
///
/// A duplicate is left alone while the kept one works. When that one has not been connected for ``patience``, whether it was lost or never
/// came to be, the duplicate is dialled too; the first of them to answer is the one that is kept from then on.
struct DuplicateTrials {
    typealias Instant = ContinuousClock.Instant

    /// A kept one that comes back sooner was only disturbed.
    static let patience = Duration.seconds(2)

    /// Since when kept profiles are not connected, by their ids.
    private var silent: [String: Instant] = [:]
    /// When ``update(_:connected:now:)`` has to be called at the latest; `nil` while nothing is to come.
    private(set) var nextDeadline: Instant?

    /// - Parameter connected: Ids of the profiles with a working connection.
    /// - Returns: Ids of the duplicates that may be dialled now.
    mutating func update(_ profiles: [NodeProfile], connected: Set<String>, now: Instant) -> Set<String> {
        let missed = Set(profiles.compactMap(\.duplicateOf)).subtracting(connected)
        silent = silent.filter { missed.contains($0.key) }
        var due: Set<String> = []
        nextDeadline = nil
        for kept in missed {
            let since = silent[kept] ?? now
            silent[kept] = since
            if now - since >= Self.patience {
                due.formUnion(profiles.lazy.filter { $0.duplicateOf == kept }.map(\.id))
            } else {
                nextDeadline = min(nextDeadline ?? since + Self.patience, since + Self.patience)
            }
        }
        return due
    }
}
