import RelayProtocol

/// How one computer is reached over one route. Never holds a token.
public struct NodeProfile: Sendable, Hashable, Identifiable {
    /// Chosen when the profile is made, never changed; 1 … 64 characters of `a-z`, `0-9` and `-`.
    public let id: String
    /// 1 … 128 characters, as the user or the pairing link says.
    public var name: String
    public var address: NodeAddress
    public let route: RouteKind
    /// Known from pairing, or since the node first answered.
    public var hostID: HostID?
    /// SHA-256 of the certificate that must be shown: 64 lower-case hexadecimal digits; for nearby nodes.
    public var fingerprint: String?
    public var platform: Host.Platform?
    public var os: String?
    /// Grows with every pairing; the lowest was paired first.
    public var pairedOrder: Int
    /// The user allowed an unencrypted WebSocket inside the tailnet.
    public var allowsTailnet: Bool
    /// The profile that is used instead of this one for the same computer over the same kind of route.
    public var duplicateOf: String?
    /// Why pairing again is needed, if it is.
    public var rePairReason: String?

    public init(
        id: String, name: String, address: NodeAddress, route: RouteKind, hostID: HostID? = nil, fingerprint: String? = nil,
        platform: Host.Platform? = nil, os: String? = nil, pairedOrder: Int = 0, allowsTailnet: Bool = false, duplicateOf: String? = nil,
        rePairReason: String? = nil
    ) {
        self.id = id
        self.name = name
        self.address = address
        self.route = route
        self.hostID = hostID
        self.fingerprint = fingerprint
        self.platform = platform
        self.os = os
        self.pairedOrder = pairedOrder
        self.allowsTailnet = allowsTailnet
        self.duplicateOf = duplicateOf
        self.rePairReason = rePairReason
    }

    /// Whether it may be dialled: neither a duplicate nor waiting for a new pairing.
    public var isUsable: Bool { duplicateOf == nil && rePairReason == nil }
    /// Whether it came from a pairing, which pins the computer, rather than from an address alone.
    public var isPaired: Bool { hostID != nil && fingerprint != nil }

    /// Throws when anything in it could not have come from ``ProfileBook``.
    public func check() throws(ProfileError) {
        let idIsSound =
            (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d }
        guard idIsSound else { throw .invalid(.id) }
        guard (1...128).contains(name.count), DisplayText.singleLine(name) == name else { throw .invalid(.name) }
        do throws(NodeAddressError) { try address.check(for: route, tailnet: allowsTailnet) } catch { throw .address(error) }
        if let fingerprint {
            let isDigest =
                fingerprint.utf8.count == 64
                && fingerprint.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            guard isDigest else { throw .invalid(.fingerprint) }
        }
        guard route == .remote || isPaired else { throw .invalid(.fingerprint) }
        guard (os?.count ?? 0) <= 32, os.map({ DisplayText.singleLine($0) == $0 }) ?? true else { throw .invalid(.os) }
        guard (0...Self.maximumOrder).contains(pairedOrder) else { throw .invalid(.pairedOrder) }
        guard (rePairReason?.count ?? 0) <= 256 else { throw .invalid(.rePairReason) }
    }

    static let maximumOrder = 1_000_000_000
}

/// Why something about profiles could not be done.
public enum ProfileError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Field: String, Sendable { case id, name, fingerprint, os, pairedOrder, rePairReason, platform, hostID, route, version, duplicate }

    case address(NodeAddressError)
    case invalid(Field)
    case notFound(String)
    /// `names` with the beginnings of the ids.
    case ambiguous(String, names: [String])
    case nameTaken(String)
    case tooMany(Int)
    /// The file is no profile file; `reason` says where it stops being one.
    case damaged(reason: String)

    public var description: String {
        switch self {
        case .address(let error): error.description
        case .invalid(let field): "The \(field.rawValue) of the node is not valid."
        case .notFound(let words): "No node goes by \"\(DisplayText.sanitized(words, maximumCharacters: 64))\"; `deckclient nodes` lists them."
        case .ambiguous(_, let names): "That fits \(names.count) nodes: \(names.joined(separator: ", ")); use more of the name or id."
        case .nameTaken(let name): "There is a node called \"\(name)\" already; choose another name."
        case .tooMany(let limit): "There are \(limit) nodes already; remove one first."
        case .damaged(let reason): "The file of nodes is damaged (\(reason)); it has to be set aside and the nodes paired again."
        }
    }
}
