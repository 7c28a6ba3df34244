import RelayProtocol

/// All nodes this client knows, as a value. Whoever holds it keeps tokens, snapshots and pins in step.
public struct ProfileBook: Sendable, Equatable {
    /// In the order of pairing.
    public private(set) var profiles: [NodeProfile] = []

    public static let capacity = 64

    public init() {}

    /// - Throws: ``ProfileError`` for a profile that is not sound, for two with one id, and for more than ``capacity``.
    public init(_ profiles: [NodeProfile]) throws(ProfileError) {
        guard profiles.count <= Self.capacity else { throw .tooMany(Self.capacity) }
        var ids: Set<String> = []
        for profile in profiles {
            try profile.check()
            guard ids.insert(profile.id).inserted else { throw .invalid(.id) }
        }
        self.profiles = profiles.sorted(by: Self.precedes)
    }

    private static func precedes(_ left: NodeProfile, _ right: NodeProfile) -> Bool {
        left.pairedOrder != right.pairedOrder ? left.pairedOrder < right.pairedOrder : left.id < right.id
    }

    public subscript(id: String) -> NodeProfile? { profiles.first { $0.id == id } }

    // MARK: - Adding and removing

    /// Adds `profile`, or, when the same computer is known over the same kind of route, renews that profile.
    ///
    /// A renewed profile keeps its id, its place in the order and a name the user gave; what asked for the pairing is settled.
    ///
    /// - Parameter profile: Its `pairedOrder` is set here.
    /// - Returns: The profile as it stands in the book: its token is the one to store.
    public mutating func add(_ profile: NodeProfile) throws(ProfileError) -> NodeProfile {
        var added = profile
        added.pairedOrder = 0
        try added.check()
        if let index = profiles.firstIndex(where: { Self.isRenewal(of: $0, added) }) {
            var renewed = profiles[index]
            renewed.address = added.address
            renewed.fingerprint = added.fingerprint ?? renewed.fingerprint
            renewed.platform = added.platform ?? renewed.platform
            renewed.os = added.os ?? renewed.os
            renewed.allowsTailnet = added.allowsTailnet
            renewed.rePairReason = nil
            profiles[index] = renewed
            return renewed
        }
        guard profiles.count < Self.capacity else { throw .tooMany(Self.capacity) }
        guard self[added.id] == nil else { throw .invalid(.id) }
        added.name = uniqueName(added.name)
        added.pairedOrder = (profiles.last?.pairedOrder ?? 0) + 1
        added.duplicateOf = nil
        profiles.append(added)
        return added
    }

    /// The same computer over the same kind of route; or, while the new one does not know its computer yet, the very same address.
    private static func isRenewal(of old: NodeProfile, _ new: NodeProfile) -> Bool {
        guard old.route == new.route else { return false }
        if let hostID = new.hostID { return old.hostID == hostID }
        return old.address == new.address
    }

    /// - Returns: The removed profile, whose token, snapshot and pin have to go too.
    public mutating func remove(id: String) throws(ProfileError) -> NodeProfile {
        guard let index = profiles.firstIndex(where: { $0.id == id }) else { throw .notFound(id) }
        let removed = profiles.remove(at: index)
        // What it stood in for may work again.
        for index in profiles.indices where profiles[index].duplicateOf == id { profiles[index].duplicateOf = nil }
        return removed
    }

    public mutating func rename(id: String, to name: String) throws(ProfileError) {
        guard let index = profiles.firstIndex(where: { $0.id == id }) else { throw .notFound(id) }
        var renamed = profiles[index]
        renamed.name = DisplayText.singleLine(name)
        try renamed.check()
        guard !profiles.contains(where: { $0.id != id && $0.name.lowercased() == renamed.name.lowercased() }) else {
            throw .nameTaken(renamed.name)
        }
        profiles[index] = renamed
    }

    /// Takes another address, or another token that the caller keeps, by the user's wish: what asked for a new pairing is settled.
    ///
    /// - Parameters:
    ///   - address: `nil` keeps the one it has.
    ///   - allowsTailnet: `nil` keeps what was allowed.
    public mutating func replace(id: String, address: NodeAddress? = nil, allowsTailnet: Bool? = nil) throws(ProfileError) {
        guard let index = profiles.firstIndex(where: { $0.id == id }) else { throw .notFound(id) }
        var renewed = profiles[index]
        renewed.address = address ?? renewed.address
        renewed.allowsTailnet = allowsTailnet ?? renewed.allowsTailnet
        renewed.rePairReason = nil
        try renewed.check()
        profiles[index] = renewed
    }

    private func uniqueName(_ wished: String) -> String {
        let taken = Set(profiles.map { $0.name.lowercased() })
        guard taken.contains(wished.lowercased()) else { return wished }
        var number = 2
        while true {
            let suffix = " \(number)"
            let name = DisplayText.clipped(wished, maximumCharacters: 128 - suffix.count) + suffix
            if !taken.contains(name.lowercased()) { return name }
            number += 1
        }
    }

    // MARK: - Finding

    /// The profile that `words` mean: its whole name in any case, its id, or the first four or more characters of its id or host id.
    public func find(_ words: String) throws(ProfileError) -> NodeProfile {
        let lowered = DisplayText.singleLine(words).lowercased()
        if let named = profiles.first(where: { $0.name.lowercased() == lowered }) { return named }
        if let identified = self[lowered] { return identified }
        guard lowered.utf8.count >= 4 else { throw .notFound(words) }
        let found = profiles.filter { $0.id.hasPrefix(lowered) || $0.hostID?.uuid.hasPrefix(lowered) == true }
        guard let first = found.first else { throw .notFound(words) }
        guard found.count == 1 else { throw .ambiguous(words, names: found.map { "\($0.name) (\($0.id.prefix(8)))" }) }
        return first
    }

    /// The routes to a computer in the order in which they carry: Nearby first; duplicates left out.
    public func routes(to host: HostID) -> [NodeProfile] {
        profiles.filter { $0.hostID == host && $0.duplicateOf == nil }.sorted { left, right in
            left.route != right.route ? left.route == .nearby : Self.precedes(left, right)
        }
    }

    // MARK: - What connections teach

    /// What came of an address that was heard in the neighbourhood. Records are not authenticated: only one that matches moves anything.
    public enum Move: Sendable, Equatable {
        case moved(profileID: String)
        case unchanged(profileID: String)
        /// A known computer with another certificate: ignored, and worth a note.
        case otherFingerprint(profileID: String)
        case unknownHost
        /// No address a nearby node may have.
        case unusable
    }

    /// A nearby record says where `host` is now.
    public mutating func heard(_ host: HostID, fingerprint: String, at address: NodeAddress) -> Move {
        guard let index = profiles.firstIndex(where: { $0.hostID == host && $0.route == .nearby }) else { return .unknownHost }
        let profile = profiles[index]
        guard let pinned = profile.fingerprint, pinned == fingerprint else { return .otherFingerprint(profileID: profile.id) }
        do throws(NodeAddressError) { try address.check(for: .nearby, tailnet: false) } catch { return .unusable }
        guard profile.address != address else { return .unchanged(profileID: profile.id) }
        profiles[index].address = address
        return .moved(profileID: profile.id)
    }

    /// A node answered and said who it is.
    ///
    /// - Returns: Whether the profile may go on being used: a paired one that answers as another computer has to be paired again.
    public mutating func answered(id: String, host: Host) -> Bool {
        guard let index = profiles.firstIndex(where: { $0.id == id }) else { return false }
        if let known = profiles[index].hostID, known != host.id {
            profiles[index].rePairReason = "another computer answered at this address"
            return false
        }
        profiles[index].hostID = host.id
        profiles[index].platform = host.platform
        profiles[index].os = host.os.map { DisplayText.sanitized($0, maximumCharacters: 32) }
        return true
    }

    /// Pinning failed, the token was refused or the host changed: nothing is dialled until the owner pairs again.
    public mutating func requireRePairing(id: String, reason: String) {
        guard let index = profiles.firstIndex(where: { $0.id == id }) else { return }
        profiles[index].rePairReason = DisplayText.sanitized(reason, maximumCharacters: 256)
    }

    /// Marks all but one of the profiles that lead to one computer over one kind of route.
    ///
    /// - Parameters:
    ///   - host: The computer; `nil` for every one. Others stay as they are: none of them may be connected yet, which says nothing.
    ///   - live: Ids of profiles with a working connection. The live one is kept, then the paired one, then the one that was, then the oldest.
    /// - Returns: Ids whose mark changed, sorted.
    @discardableResult
    public mutating func markDuplicates(of host: HostID? = nil, live: Set<String>) -> [String] {
        var kept: [String: Int] = [:]
        for index in profiles.indices {
            guard let key = Self.routeKey(profiles[index]) else { continue }
            if let present = kept[key], !outranks(profiles[index], profiles[present], live) { continue }
            kept[key] = index
        }
        var changed: [String] = []
        for index in profiles.indices where host == nil || profiles[index].hostID == host {
            let winner = Self.routeKey(profiles[index]).flatMap { kept[$0] } ?? index
            let mark = winner == index ? nil : profiles[winner].id
            guard profiles[index].duplicateOf != mark else { continue }
            profiles[index].duplicateOf = mark
            changed.append(profiles[index].id)
        }
        return changed.sorted()
    }

    private static func routeKey(_ profile: NodeProfile) -> String? { profile.hostID.map { "\(profile.route.rawValue) \($0)" } }

    private func outranks(_ left: NodeProfile, _ right: NodeProfile, _ live: Set<String>) -> Bool {
        if live.contains(left.id) != live.contains(right.id) { return live.contains(left.id) }
        if (left.rePairReason == nil) != (right.rePairReason == nil) { return left.rePairReason == nil }
        if left.isPaired != right.isPaired { return left.isPaired }
        if (left.duplicateOf == nil) != (right.duplicateOf == nil) { return left.duplicateOf == nil }
        return Self.precedes(left, right)
    }
}
