import JSON
import RelayProtocol

/// Who this computer is to its clients, stable for the life of the installation: the contents of `host.json`.
public struct HostIdentity: Equatable, Sendable {
    public var id: HostID
    /// 1 … 128 characters.
    public var name: String
    /// The word that older clients get; the owner chooses it.
    public var platform: Host.Platform

    public init(id: HostID, name: String, platform: Host.Platform = .mac) {
        self.id = id
        self.name = name
        self.platform = platform
    }

    /// A new identity: a random UUID, and a name made of the system's host name.
    public init(systemName: String, platform: Host.Platform = .mac, using random: RandomBytes) throws {
        self.init(id: try Self.randomID(random), name: HostName.cleaned(systemName), platform: platform)
    }

    private static func randomID(_ random: RandomBytes) throws -> HostID {
        var bytes = try random(16)
        guard bytes.count == 16 else { throw NodeStateError.noRandomness }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        guard let id = HostID(text) else { throw NodeStateError.noRandomness }
        return id
    }
}

extension HostIdentity: NodeStateRecord {
    static let fileName = "host.json"

    init(json: JSONValue) throws(StateProblem) {
        guard let id = json["hostId"]?.string.flatMap({ HostID($0) }) else { throw StateProblem("it has no valid hostId") }
        guard let name = json["hostName"]?.string.flatMap(HostName.validated) else { throw StateProblem("it has no valid hostName") }
        guard let platform = json["platform"]?.string.flatMap(Host.Platform.init) else { throw StateProblem("it has no valid platform") }
        self.init(id: id, name: name, platform: platform)
    }

    var json: JSONValue {
        .object(["hostId": .string(id.uuid), "hostName": .string(name), "platform": .string(platform.rawValue)])
    }
}
