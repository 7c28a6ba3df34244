import JSON
import RelayProtocol

/// How the node serves clients far away, through a tunnel or a tailnet: the contents of `relay-server.json`.
public struct RelayServerConfiguration: Equatable, Sendable {
    public var enabled: Bool
    /// Loopback, a tailnet address or a `*.ts.net` name; see ``RelayProtocol/ListenPolicy/remote(_:port:)``.
    public var listenHost: String
    /// 1024 … 65535.
    public var port: UInt16
    public var token: PairingToken

    public static let defaultHost = "127.0.0.1"
    public static let defaultPort = RelayLimits.remotePort

    public init(enabled: Bool = true, listenHost: String = defaultHost, port: UInt16 = defaultPort, token: PairingToken) {
        self.enabled = enabled
        self.listenHost = listenHost
        self.port = port
        self.token = token
    }
}

extension RelayServerConfiguration: NodeStateRecord {
    static let fileName = "relay-server.json"

    init(json: JSONValue) throws(StateProblem) {
        guard let enabled = json["enabled"]?.bool else { throw StateProblem("it does not say whether it is enabled") }
        guard let port = Port.read(json["port"]) else { throw StateProblem("its port is not in 1024 … 65535") }
        guard let host = json["listenHost"]?.string, (try? ListenPolicy.remote(host, port: Int(port))) != nil else {
            throw StateProblem("its listenHost is neither loopback nor a tailnet address")
        }
        guard let token = json["token"]?.string.flatMap({ PairingToken($0) }) else { throw StateProblem("it has no valid token") }
        self.init(enabled: enabled, listenHost: host, port: port, token: token)
    }

    var json: JSONValue {
        .object([
            "enabled": .bool(enabled), "listenHost": .string(listenHost), "port": .number(Double(port)),
            "token": .string(token.secret.reveal()), "transport": .string("websocket"),
        ])
    }
}
