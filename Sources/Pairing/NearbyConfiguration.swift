import JSON
import RelayProtocol
import TLS

/// How the node serves its neighbourhood: the contents of `mobile-local-relay-server.json`.
public struct NearbyConfiguration: Equatable, Sendable {
    public var enabled: Bool
    public var listen: ListenChoice
    /// 1024 … 65535.
    public var port: UInt16
    public var token: PairingToken
    public var certificate: StoredCertificate
    /// Whether the node is announced by multicast DNS.
    public var discovery: Bool

    public static let defaultPort = RelayLimits.nearbyPort

    public init(
        enabled: Bool = true, listen: ListenChoice = .automatic, port: UInt16 = defaultPort, token: PairingToken,
        certificate: StoredCertificate, discovery: Bool = true
    ) {
        self.enabled = enabled
        self.listen = listen
        self.port = port
        self.token = token
        self.certificate = certificate
        self.discovery = discovery
    }

    /// The link that pairs a client with this node while it listens on `address`.
    public func link(host: HostIdentity, address: IPv4Address) -> PairingLink {
        PairingLink(
            host: host.id, name: host.name, platform: host.platform, address: address, port: port, token: token,
            fingerprint: certificate.fingerprint)
    }
}

/// Where the Nearby listener is bound.
public enum ListenChoice: Equatable, Sendable {
    /// The private address of this computer that its neighbours reach, followed when it changes.
    case automatic
    /// One private address.
    case address(IPv4Address)

    /// Reads `auto` or a private IPv4 address.
    public init?(_ text: String) {
        if text == "auto" {
            self = .automatic
        } else if let address = IPv4Address(text), address.isPrivate {
            self = .address(address)
        } else {
            return nil
        }
    }

    public var text: String {
        switch self {
        case .automatic: "auto"
        case .address(let address): address.description
        }
    }
}

extension NearbyConfiguration: NodeStateRecord {
    static let fileName = "mobile-local-relay-server.json"

    init(json: JSONValue) throws(StateProblem) {
        guard let enabled = json["enabled"]?.bool else { throw StateProblem("it does not say whether it is enabled") }
        guard let listen = json["listenHost"]?.string.flatMap(ListenChoice.init) else {
            throw StateProblem("its listenHost is neither auto nor a private address")
        }
        guard let port = Port.read(json["port"]) else { throw StateProblem("its port is not in 1024 … 65535") }
        guard let token = json["token"]?.string.flatMap({ PairingToken($0) }) else { throw StateProblem("it has no valid token") }
        guard let tls = json["tls"] else { throw StateProblem("it has no certificate") }
        let certificate = try StoredCertificate(json: tls)
        guard let discovery = json["discovery"].map({ $0["enabled"]?.bool }) ?? .some(true) else {
            throw StateProblem("it does not say whether discovery is enabled")
        }
        self.init(enabled: enabled, listen: listen, port: port, token: token, certificate: certificate, discovery: discovery)
    }

    var json: JSONValue {
        .object([
            "enabled": .bool(enabled), "listenHost": .string(listen.text), "port": .number(Double(port)),
            "token": .string(token.secret.reveal()), "transport": .string("tls"), "discovery": .object(["enabled": .bool(discovery)]),
            "tls": certificate.json,
        ])
    }
}

/// The range of ports that a node may use.
enum Port {
    static func read(_ json: JSONValue?) -> UInt16? {
        guard let number = json?.int, let port = UInt16(exactly: number), RelayLimits.ports.contains(port) else { return nil }
        return port
    }
}
