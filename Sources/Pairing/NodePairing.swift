import Files
import RelayProtocol
import TLS

/// The owner's changes to the node's identity and listeners. Each may be run again without harm, with or without a running node.
public struct NodePairing: Sendable {
    /// Makes a self-signed certificate and its key for a host that listens on an address, if that is known yet.
    public typealias CertificateMaker = @Sendable (HostID, IPv4Address?) throws -> StoredCertificate

    public let directory: NodeStateDirectory
    private let random: RandomBytes
    private let makeCertificate: CertificateMaker

    public init(directory: NodeStateDirectory, random: @escaping RandomBytes, makeCertificate: @escaping CertificateMaker) {
        self.directory = directory
        self.random = random
        self.makeCertificate = makeCertificate
    }

    /// With keys, tokens and identities from OpenSSL's generator.
    ///
    /// - Parameter now: The time since 1970-01-01T00:00Z.
    public init(directory: NodeStateDirectory, now: @escaping @Sendable () -> Duration) {
        self.init(directory: directory, random: { try SecureRandom.bytes($0) }) { host, address in
            try StoredCertificate.selfSigned(host: host, address: address, now: now())
        }
    }

    /// What an operation left behind.
    public struct Outcome<Value: Sendable>: Sendable {
        public let value: Value
        public let change: Change
        /// A file that made no sense and was replaced; tell the owner, for what it held is lost to clients.
        public let damage: DamagedState?
        /// Others could read the file until now; advise the owner to rotate.
        public let exposed: Bool
    }

    public enum Change: Equatable, Sendable { case unchanged, created, updated, rotated }

    /// The identity, made when there is none yet.
    ///
    /// - Parameters:
    ///   - systemName: The host name to make the name of, for a new identity.
    ///   - presentAs: The platform to tell older clients from now on; `nil` keeps what was chosen (first: mac).
    public func identity(systemName: String, presentAs: Host.Platform? = nil) throws -> Outcome<HostIdentity> {
        try directory.exclusively {
            let stored = try directory.hostIdentity()
            guard case .present(var identity, let exposed) = stored else {
                let new = try HostIdentity(systemName: systemName, platform: presentAs ?? .mac, using: random)
                try directory.store(new)
                return Outcome(value: new, change: .created, damage: stored.damage, exposed: false)
            }
            guard let presentAs, presentAs != identity.platform else {
                return Outcome(value: identity, change: .unchanged, damage: nil, exposed: exposed)
            }
            identity.platform = presentAs
            try directory.store(identity)
            return Outcome(value: identity, change: .updated, damage: nil, exposed: exposed)
        }
    }

    /// What `decknode pair` and `decknode nearby enable` may change; `nil` keeps what is stored, or the default.
    public struct NearbyRequest: Sendable {
        public var listen: ListenChoice?
        public var port: Int?
        public var discovery: Bool?
        /// Replaces certificate and token, so that every client has to pair again.
        public var rotate: Bool

        public init(listen: ListenChoice? = nil, port: Int? = nil, discovery: Bool? = nil, rotate: Bool = false) {
            self.listen = listen
            self.port = port
            self.discovery = discovery
            self.rotate = rotate
        }
    }

    /// Enables the Nearby listener, making certificate and token when there are none yet.
    ///
    /// - Parameter address: The address the node has now, to be named in a new certificate.
    /// - Throws: ``RelayProtocol/ListenRefusal``, ``Files/FileError``, or what the certificate maker throws.
    public func enableNearby(
        _ request: NearbyRequest = NearbyRequest(), host: HostID, address: IPv4Address?
    ) throws -> Outcome<NearbyConfiguration> {
        let port = try request.port.map(Self.port)
        return try directory.exclusively {
            let stored = try directory.nearby()
            let old = stored.value
            var new: NearbyConfiguration
            if let old, !request.rotate {
                new = old
            } else {
                new = NearbyConfiguration(token: try PairingToken(using: random), certificate: try makeCertificate(host, address))
                if let old { (new.listen, new.port, new.discovery) = (old.listen, old.port, old.discovery) }
            }
            new.enabled = true
            if case .address(let listen)? = request.listen { try ListenPolicy.nearby(listen, port: Int(port ?? new.port)) }
            if let listen = request.listen { new.listen = listen }
            if let port { new.port = port }
            if let discovery = request.discovery { new.discovery = discovery }
            let change: Change = old == nil ? .created : request.rotate ? .rotated : new == old ? .unchanged : .updated
            if change != .unchanged { try directory.store(new) }
            return Outcome(value: new, change: change, damage: stored.damage, exposed: stored.isExposed)
        }
    }

    /// Deletes the Nearby configuration, with its token and key, and the QR picture; the identity stays.
    ///
    /// - Returns: Whether there was anything to delete.
    public func disableNearby() throws -> Bool {
        try directory.exclusively {
            let picture = try directory.removePairingPicture()
            let configuration = try directory.remove(NearbyConfiguration.fileName)
            return configuration || picture
        }
    }

    /// Enables the listener for clients far away, always with a new token: it is shown once and not kept elsewhere.
    ///
    /// - Parameters:
    ///   - listenHost: Loopback, a tailnet address or a `*.ts.net` name; `nil` keeps the stored one, or loopback.
    ///   - port: 1024 … 65535; `nil` keeps the stored one, or 47651.
    /// - Throws: ``RelayProtocol/ListenRefusal``, ``Files/FileError``, or what the source of randomness throws.
    public func enableRelayServer(listenHost: String? = nil, port: Int? = nil) throws -> Outcome<RelayServerConfiguration> {
        let port = try port.map(Self.port)
        let listenHost = try listenHost.map { try ListenPolicy.remote($0, port: Int(port ?? RelayServerConfiguration.defaultPort)) }
        return try directory.exclusively {
            let stored = try directory.relayServer()
            let new = RelayServerConfiguration(
                listenHost: listenHost?.description ?? stored.value?.listenHost ?? RelayServerConfiguration.defaultHost,
                port: port ?? stored.value?.port ?? RelayServerConfiguration.defaultPort, token: try PairingToken(using: random))
            try directory.store(new)
            let change: Change = stored.value == nil ? .created : .rotated
            return Outcome(value: new, change: change, damage: stored.damage, exposed: false)
        }
    }

    /// Deletes the configuration for clients far away, with its token.
    ///
    /// - Returns: Whether there was one.
    public func disableRelayServer() throws -> Bool {
        try directory.exclusively { try directory.remove(RelayServerConfiguration.fileName) }
    }

    private static func port(_ number: Int) throws(ListenRefusal) -> UInt16 {
        guard let port = UInt16(exactly: number), RelayLimits.ports.contains(port) else { throw .port(number) }
        return port
    }
}

extension NodePairing.Outcome: Equatable where Value: Equatable {}
