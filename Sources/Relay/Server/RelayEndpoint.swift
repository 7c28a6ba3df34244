import EventLoop
import TLS

/// A place where the relay listens, and who may come in there.
public struct RelayEndpoint: Sendable {
    /// Which of the two ways into a computer this is.
    public enum Kind: String, Sendable {
        /// Pinned TLS on one private address.
        case nearby
        /// A plain WebSocket on loopback or one tailnet address.
        case remote
    }

    public var kind: Kind
    public var address: SocketAddress
    /// 32 … 512 bytes; compared in constant time.
    public var token: [UInt8]
    /// `nil` for a plain listener.
    public var tls: TLSContext?
    /// Web origins whose pages may connect; none by default.
    public var allowedOrigins: Set<String>

    public init(kind: Kind, address: SocketAddress, token: [UInt8], tls: TLSContext?, allowedOrigins: Set<String> = []) {
        self.kind = kind
        self.address = address
        self.token = token
        self.tls = tls
        self.allowedOrigins = allowedOrigins
    }
}

/// Names one authenticated connection for as long as it lives; never reused.
public struct RelayClientID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt64
    public var description: String { "client \(number)" }
}

/// What the relay counted since it started, for `status`.
public struct RelayCounters: Hashable, Sendable {
    public var accepted = 0
    public var authenticated = 0
    public var failedAuthentications = 0
    public var ignoredMessages = 0
    public var invalidCommands = 0
    public var commands = 0
    public var refusedByRate = 0
    public var snapshotsPublished = 0
    public var droppedSlowClients = 0
    public var evicted = 0

    public init() {}
}

/// The times and bounds of the relay. The defaults are those of the protocol.
public struct RelayServerLimits: Sendable {
    /// From the accepted connection to the WebSocket.
    public var handshakeTimeout: Duration = .seconds(10)
    /// From the WebSocket to a message with a token.
    public var authTimeout: Duration = .seconds(3)
    /// A client that takes no byte for this long is dropped.
    public var stallTimeout: Duration = .seconds(10)
    /// Connections without authentication at a time; the oldest goes.
    public var maximumUnauthenticated = 64
    /// Authenticated connections at a time; a further one is refused with 1013.
    public var maximumClients = 1_024
    /// Commands at once and per second, per client.
    public var commandBurst = 60
    public var commandsPerSecond = 30.0
    /// Bytes waiting for a client beyond which it is not read from until it takes some.
    public var maximumPendingBytes = 262_144
    /// Silence after which a peer is asked whether it lives, and how long it may take to say so; together below 30 s.
    public var pingInterval: Duration = .seconds(15)
    public var pongTimeout: Duration = .seconds(10)

    public init() {}
}
