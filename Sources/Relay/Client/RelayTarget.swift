import EventLoop
import Log
import RelayProtocol
import TLS

/// Where a client connects and how it knows that it is there.
public struct RelayTarget: Sendable {
    public enum Security: Sendable {
        /// Exactly this certificate (Nearby).
        case pinned(CertificateFingerprint)
        /// A certificate for the host name that the system trusts (Tailscale Serve).
        case systemTrust
        /// None: only for loopback, or inside WireGuard when the user asked for it.
        case plain
    }

    /// A numeric address or a DNS name.
    public var host: String
    public var port: UInt16
    /// Begins with `/`.
    public var path: String
    public var security: Security
    /// Sent after the connection is secured and upgraded, never before.
    public var token: Secret
    /// The host that was paired; another one at the same address ends the connection. `nil` accepts any.
    public var expectedHost: HostID?
    /// Whether the node may send `fresh` instead of unchanged snapshots.
    public var wantsFresh: Bool

    public init(
        host: String, port: UInt16, path: String = "/", security: Security, token: Secret, expectedHost: HostID? = nil, wantsFresh: Bool = true
    ) {
        self.host = host
        self.port = port
        self.path = path
        self.security = security
        self.token = token
        self.expectedHost = expectedHost
        self.wantsFresh = wantsFresh
    }
}

/// Why a connection to a node ended or never came to be.
public enum RelayConnectionError: Error, Sendable, CustomStringConvertible {
    case unresolvable(host: String, reason: String)
    case connect(ConnectError)
    /// Another certificate than the paired one. Nothing was sent to it.
    case pinMismatch(presented: CertificateFingerprint)
    case tls(TLSError)
    case upgrade(String)
    /// Another computer answered at the address.
    case hostChanged(expected: HostID, actual: HostID)
    /// The node does not accept the token.
    case tokenRejected
    /// The node closed the connection with this code and reason.
    case closedByNode(code: UInt16?, reason: String)
    /// The node broke the protocol.
    case violation(String)
    case timedOut(stage: String)
    case lost(String)
    case closedHere

    /// Whether trying again cannot help until the computer is paired anew.
    public var requiresPairing: Bool {
        switch self {
        case .pinMismatch, .hostChanged, .tokenRejected: true
        case .unresolvable, .connect, .tls, .upgrade, .closedByNode, .violation, .timedOut, .lost, .closedHere: false
        }
    }

    public var description: String {
        switch self {
        case .unresolvable(let host, let reason): "The name \(host) cannot be resolved: \(reason)."
        case .connect(let error): "\(error)"
        case .pinMismatch: "\(pairingHint("certificate changed"))"
        case .tls(let error): "\(error)"
        case .upgrade(let reason): reason
        case .hostChanged: "\(pairingHint("another computer answers at this address"))"
        case .tokenRejected: "\(pairingHint("the computer does not accept the token"))"
        case .closedByNode(let code, let reason):
            "The computer closed the connection" + (code.map { " (\($0)\(reason.isEmpty ? "" : ", " + reason))" } ?? "") + "."
        case .violation(let what): "The computer does not keep to the protocol: \(what)"
        case .timedOut(let stage): "The computer did not answer in time (\(stage))."
        case .lost(let reason): "The connection was lost: \(reason)."
        case .closedHere: "The connection was closed here."
        }
    }

    private func pairingHint(_ reason: String) -> String {
        "Re-pair required: \(reason). Run `decknode pair` on that computer and `deckclient pair` here."
    }
}

/// What a node tells its client.
public enum RelayEvent: Sendable {
    case ready(host: Host, capabilities: [String], bridge: String)
    case snapshot(host: Host, observedAt: UnixMilliseconds, Snapshot)
    case health(state: String, reason: String, observedAt: UnixMilliseconds)
    /// Nothing changed since the last snapshot.
    case fresh(observedAt: UnixMilliseconds)
    /// `error` is the node's sentence; `nil` means the command was carried out.
    case result(requestID: String, error: String?)
    /// The last event.
    case ended(RelayConnectionError)
}
