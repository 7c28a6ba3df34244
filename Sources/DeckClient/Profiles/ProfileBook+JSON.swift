import JSON
import RelayProtocol

/// The profile file. Tokens have no place in it: a member this does not know is dropped when the file is next written.
extension ProfileBook {
    static let version: Int64 = 1
    /// The largest file that is read, in bytes.
    public static let maximumFileBytes = 256 * 1024

    public func encoded() -> [UInt8] {
        JSONValue.object(["version": .number(Double(Self.version)), "profiles": .array(profiles.map(\.json))]).encoded()
    }

    /// - Throws: ``ProfileError/damaged(reason:)`` for anything that ``encoded()`` would not write; nothing is guessed.
    public init(decoding bytes: [UInt8]) throws(ProfileError) {
        guard bytes.count <= Self.maximumFileBytes else { throw .damaged(reason: "it is larger than 256 KiB") }
        let root: JSONValue
        do throws(JSONError) { root = try JSONParser(maximumDepth: 8).parse(bytes) } catch { throw .damaged(reason: "it is not JSON") }
        guard root["version"]?.int == Self.version else { throw .damaged(reason: "its version is not 1") }
        guard let entries = root["profiles"]?.array else { throw .damaged(reason: "it lists no profiles") }
        var profiles: [NodeProfile] = []
        for (index, entry) in entries.enumerated() {
            do throws(ProfileError) {
                profiles.append(try NodeProfile(json: entry))
            } catch {
                throw .damaged(reason: "profile \(index + 1): \(error.shortReason)")
            }
        }
        do throws(ProfileError) { try self.init(profiles) } catch { throw .damaged(reason: error.shortReason) }
    }
}

extension ProfileError {
    fileprivate var shortReason: String {
        switch self {
        case .address: "its address is not valid"
        case .invalid(let field): "its \(field.rawValue) is not valid"
        case .tooMany(let limit): "more than \(limit) profiles"
        case .notFound, .ambiguous, .nameTaken, .damaged: description
        }
    }
}

extension NodeProfile {
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "name": .string(name), "url": .string(address.description), "mode": .string(route.rawValue),
            "pairedOrder": .number(Double(pairedOrder)),
        ]
        if let hostID { members["hostId"] = .string(hostID.uuid) }
        if let fingerprint { members["fingerprint"] = .string(fingerprint) }
        if let platform { members["platform"] = .string(platform.rawValue) }
        if let os { members["os"] = .string(os) }
        if allowsTailnet { members["tailnet"] = true }
        if let duplicateOf { members["duplicateOf"] = .string(duplicateOf) }
        if let rePairReason { members["rePair"] = .string(rePairReason) }
        return .object(members)
    }

    init(json: JSONValue) throws(ProfileError) {
        guard let id = json["id"]?.string else { throw .invalid(.id) }
        guard let name = json["name"]?.string else { throw .invalid(.name) }
        guard let route = json["mode"]?.string.flatMap(RouteKind.init(rawValue:)) else { throw .invalid(.route) }
        guard let order = json["pairedOrder"]?.int, let pairedOrder = Int(exactly: order) else { throw .invalid(.pairedOrder) }
        let address: NodeAddress
        do throws(NodeAddressError) { address = try NodeAddress(json["url"]?.string ?? "") } catch { throw .address(error) }
        self.init(
            id: id, name: name, address: address, route: route,
            hostID: try Self.optional(json["hostId"], .hostID) { HostID($0) },
            fingerprint: try Self.optional(json["fingerprint"], .fingerprint) { $0 },
            platform: try Self.optional(json["platform"], .platform) { Host.Platform(rawValue: $0) }, os: try Self.optional(json["os"], .os) { $0 },
            pairedOrder: pairedOrder, allowsTailnet: json["tailnet"]?.bool ?? false,
            duplicateOf: try Self.optional(json["duplicateOf"], .duplicate) { $0.utf8.count <= 64 ? $0 : nil },
            rePairReason: try Self.optional(json["rePair"], .rePairReason) { $0 })
        try check()
    }

    private static func optional<Value>(
        _ json: JSONValue?, _ field: ProfileError.Field, _ read: (String) -> Value?
    ) throws(ProfileError) -> Value? {
        guard let json, !json.isNull else { return nil }
        guard let text = json.string, let value = read(text) else { throw .invalid(field) }
        return value
    }
}
