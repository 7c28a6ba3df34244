import Discovery
import EventLoop
import Log
import Pairing
import Relay
import RelayProtocol
import TLS

/// Where the node listens and how it is announced: it follows the pairing files and the addresses of the computer.
///
/// Confined to the loop of its service; not Sendable.
final class NodeListeners {
    /// What `status` says of one way into the computer.
    enum Condition: Equatable {
        case disabled
        case listening(SocketAddress)
        case failing(String)
    }

    private let loop: EventLoop
    private let avahiLoop: EventLoop
    private let relay: RelayServer
    private let logger: Logger
    private let environment: NodeEnvironment
    private let publisher: ServicePublisher
    private var monitor: AddressMonitor?
    private var retry: Timer?
    private let announce: () -> Void
    private(set) var host: Host
    private(set) var nearby = Condition.disabled
    private(set) var remote = Condition.disabled
    private(set) var discovery = ServicePublisher.State.idle
    private var tls: (fingerprint: CertificateFingerprint, context: TLSContext)?
    private var applied: [RelayEndpoint.Kind: (address: SocketAddress, token: [UInt8])] = [:]
    private static let retryDelay = Duration.seconds(5)

    init(service: isolated NodeService) throws {
        loop = service.loop
        avahiLoop = service.avahiLoop
        relay = service.relay
        logger = service.logger
        environment = service.environment
        announce = { [weak service] in service?.assumeIsolated { $0.republish() } }
        let outcome = try environment.pairing.identity(systemName: environment.systemName)
        if let damage = outcome.damage { logger.warning("\(damage) This computer has a new identity; pair its clients again.") }
        host = Self.host(outcome.value)
        let states = StateRelay()
        let loop = loop
        publisher = ServicePublisher(loop: service.avahiLoop, log: logger.category("discovery")) { state in
            loop.execute { states.handler?(state) }
        }
        states.handler = { [weak self] in self?.discovery = $0 }
        do throws(SystemError) {
            monitor = try AddressMonitor(loop: loop) { [weak self] _ in self?.apply() }
        } catch {
            logger.warning("Changes of the network are not noticed by themselves: \(error)")
        }
    }

    /// Carries the publisher's state from its loop to this one.
    ///
    /// `@unchecked Sendable`: the handler is set and called on the loop of the service only.
    private final class StateRelay: @unchecked Sendable {
        var handler: ((ServicePublisher.State) -> Void)?
    }

    private static func host(_ identity: HostIdentity) -> Host {
        Host(id: identity.id, name: identity.name, platform: identity.platform, os: "linux")
    }

    // MARK: Following the files

    /// Reads the pairing files and brings the listeners in line with them. Unchanged listeners are not touched.
    func apply() {
        retry?.cancel()
        retry = nil
        do {
            if let identity = try environment.stateDirectory.hostIdentity().value, Self.host(identity) != host {
                host = Self.host(identity)
                announce()
            }
            applyNearby(try load(environment.stateDirectory.nearby()))
            applyRemote(try load(environment.stateDirectory.relayServer()))
        } catch {
            logger.logOnce("pairing-files", .error, "The pairing cannot be read: \(error)")
            armRetry()
        }
    }

    private func load<Value>(_ state: StoredState<Value>) -> Value? {
        if let damage = state.damage { logger.error("\(damage) Clients cannot connect that way until it is set up again.") }
        if state.isExposed { logger.warning("A pairing file could be read by others until now; replace its secrets with `decknode pair --rotate`.") }
        return state.value
    }

    private func applyNearby(_ configuration: NearbyConfiguration?) {
        guard let configuration, configuration.enabled else {
            nearby = .disabled
            stop(.nearby)
            return withdraw()
        }
        switch Self.address(configuration) {
        case .failure(let problem):
            fail(.nearby, "\(problem)")
            stop(.nearby)
            withdraw()
        case .success(let address):
            do {
                let socket = try SocketAddress(host: address.address.description, port: configuration.port)
                let context = try context(configuration.certificate)
                let token = Array(configuration.token.secret.reveal().utf8)
                try listen(RelayEndpoint(kind: .nearby, address: socket, token: token, tls: context))
                publish(configuration, address)
            } catch {
                fail(.nearby, Self.sentence(error, way: "decknode pair --port"))
            }
        }
    }

    private static func address(_ configuration: NearbyConfiguration) -> Result<NearbyAddress, NearbyAddressProblem> {
        // Read anew each time: the monitor's own picture may be older than the change that led here.
        guard let network = try? NetworkState.current() else { return .failure(.noPrivateAddress) }
        return switch configuration.listen {
        case .automatic: NearbyAddressChooser.choose(network)
        case .address(let address): NearbyAddressChooser.find(address, in: network)
        }
    }

    /// The same context for the same certificate, so that a rebinding does not drop clients.
    private func context(_ certificate: StoredCertificate) throws(TLSError) -> TLSContext {
        if let tls, tls.fingerprint == certificate.fingerprint { return tls.context }
        let context = try TLSContext.server(certificate.identity)
        tls = (certificate.fingerprint, context)
        return context
    }

    private func applyRemote(_ configuration: RelayServerConfiguration?) {
        guard let configuration, configuration.enabled else {
            remote = .disabled
            return stop(.remote)
        }
        do {
            let host = configuration.listenHost == "localhost" ? "127.0.0.1" : configuration.listenHost
            let address = try SocketAddress(host: host, port: configuration.port)
            try listen(RelayEndpoint(kind: .remote, address: address, token: Array(configuration.token.secret.reveal().utf8), tls: nil))
        } catch {
            fail(.remote, Self.sentence(error, way: "decknode relay enable ADDRESS"))
        }
    }

    /// The way out of a busy port is another one, and here is how to say which.
    static func sentence(_ error: any Error, way: String) -> String {
        guard case BindError.addressInUse(let address)? = error as? BindError, let port = address.port.map(Int.init) else { return "\(error)" }
        return "\(address) is already in use by another program; stop it, or choose another port with `\(way) \(port < 65_535 ? port + 1 : port - 1)`."
    }

    private func listen(_ endpoint: RelayEndpoint) throws {
        let wanted = (address: endpoint.address, token: endpoint.token)
        if let old = applied[endpoint.kind], old == wanted, relay.address(endpoint.kind) != nil { return }
        let address = try relay.listen(endpoint)
        applied[endpoint.kind] = wanted
        set(endpoint.kind, .listening(address))
        logger.recovered("listen-\(endpoint.kind.rawValue)", "Listening again on \(address).")
        logger.info("Listening on \(address) (\(endpoint.kind.rawValue)).")
    }

    private func stop(_ kind: RelayEndpoint.Kind) {
        guard applied.removeValue(forKey: kind) != nil else { return }
        relay.stop(kind)
    }

    private func fail(_ kind: RelayEndpoint.Kind, _ reason: String) {
        set(kind, .failing(reason))
        logger.logOnce("listen-\(kind.rawValue)", .warning, reason)
        armRetry()
    }

    private func set(_ kind: RelayEndpoint.Kind, _ condition: Condition) {
        switch kind {
        case .nearby: nearby = condition
        case .remote: remote = condition
        }
    }

    private func armRetry() {
        guard retry == nil else { return }
        retry = loop.schedule(after: Self.retryDelay) { [weak self] in self?.apply() }
    }

    // MARK: Discovery

    private func publish(_ configuration: NearbyConfiguration, _ address: NearbyAddress) {
        guard configuration.discovery else { return withdraw() }
        let record = ServiceRecord(
            host: host.id, name: host.name, platform: host.platform, os: host.os, address: address.address, port: configuration.port,
            fingerprint: configuration.certificate.fingerprint.hex)
        avahiLoop.execute { [publisher] in
            publisher.assumeIsolated { $0.publish(record, interfaceIndex: address.interfaceIndex) }
        }
    }

    private func withdraw() {
        avahiLoop.execute { [publisher] in publisher.assumeIsolated { $0.withdraw() } }
    }

    func stop() {
        retry?.cancel()
        monitor?.cancel()
        withdraw()
    }
}
