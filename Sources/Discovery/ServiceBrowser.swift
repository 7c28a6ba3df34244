import CAvahi
import EventLoop
import Log
import RelayProtocol

/// Finds the nodes that announce themselves in the neighbourhood.
///
/// What it reports is hearsay: anybody on the network can announce anything. See ``ServicePublisher`` for the loop to give it.
public actor ServiceBrowser {
    public enum Event: Hashable, Sendable {
        /// A record came into sight. One that changes comes first as its new self and then goes as its old one.
        case found(ServiceRecord)
        case lost(ServiceRecord)
    }

    public enum State: Equatable, Sendable {
        case idle
        case browsing
        /// There is no daemon to ask; browsing starts as soon as there is one.
        case unavailable(reason: String)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    public private(set) var state = State.idle
    /// How many announcements were not those of a node, or too many to follow.
    public private(set) var ignoredCount = 0
    /// Everything in sight now.
    public var records: Set<ServiceRecord> { table.all }

    /// Services followed at once; a flood of names must not cost more.
    static let maximumServices = 256
    private static let retryDelay = Duration.seconds(10)

    private let loop: EventLoop
    private let connection: AvahiConnection
    private let own: HostID?
    private let log: Logger
    private let onEvent: @Sendable (Event) -> Void
    private let onState: @Sendable (State) -> Void
    private var browser: OpaquePointer?
    private var services: [ServiceKey: Service] = [:]
    private var table = ServiceTable()

    /// - Parameters:
    ///   - own: The identity of a node on this very computer, which is not reported.
    ///   - onEvent: Called on the loop.
    ///   - onState: Called on the loop at each change of ``state``.
    public init(
        loop: EventLoop, ignoring own: HostID? = nil, log: Logger = .silent, onState: @escaping @Sendable (State) -> Void = { _ in },
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.loop = loop
        self.own = own
        self.log = log
        self.onState = onState
        self.onEvent = onEvent
        connection = AvahiConnection(loop: loop)
    }

    deinit {
        loop.execute { [connection, services] in
            connection.close()
            // The library pointed at these until now.
            _ = services
        }
    }

    /// Starts browsing, and goes on until ``stop()``.
    public func start() {
        guard connection.onStatus == nil else { return }
        connection.onStatus = { [weak self] status in self?.assumeIsolated { $0.daemonChanged(status) } }
        connection.open()
    }

    /// Stops; what is in sight is reported as lost.
    public func stop() {
        forget()
        connection.close()
        set(.idle)
    }

    private func daemonChanged(_ status: AvahiConnection.Status) {
        switch status {
        case .running, .settling:
            // A daemon that has yet to settle its own name answers questions about others all the same.
            browse()
        case .unavailable(let reason):
            log.logOnce("avahi", "Nodes in the neighbourhood cannot be found (\(reason)); pairing by link or QR code still works.")
            forget()
            set(.unavailable(reason: reason))
        }
    }

    private func browse() {
        guard browser == nil, let client = connection.client else { return }
        let context = Context(owner: self)
        connection.keep(context)
        browser = avahi_service_browser_new(
            client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_INET), ServiceRecord.serviceType, nil, AvahiLookupFlags(0),
            { _, interface, networkProtocol, event, name, type, domain, _, context in
                guard let context else { return }
                let key = ServiceKey(interface, networkProtocol, name, type, domain)
                Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().owner?.assumeIsolated { $0.browserReported(event, key) }
            }, Unmanaged.passUnretained(context).toOpaque())
        if browser == nil {
            set(.unavailable(reason: connection.lastError))
        } else {
            log.recovered("avahi", "Nodes in the neighbourhood can be found again.")
            set(.browsing)
        }
    }

    private func browserReported(_ event: AvahiBrowserEvent, _ key: ServiceKey?) {
        switch event {
        case AVAHI_BROWSER_NEW: if let key { follow(key) }
        case AVAHI_BROWSER_REMOVE: if let key { unfollow(key) }
        default: break
        }
    }

    /// Resolves a service, and keeps doing so: the library tells of each change of its record.
    private func follow(_ key: ServiceKey) {
        guard services[key] == nil else { return }
        guard services.count < Self.maximumServices else { return ignore(.tooLarge) }
        let service = Service(key: key, owner: self)
        services[key] = service
        resolve(service)
    }

    private func resolve(_ service: Service) {
        guard let client = connection.client else { return }
        let key = service.key
        service.resolver = avahi_service_resolver_new(
            client, key.interface, key.networkProtocol, key.name, key.type, key.domain, AvahiProtocol(AVAHI_PROTO_INET), AvahiLookupFlags(0),
            { _, _, _, event, _, _, _, _, _, _, text, _, context in
                guard let context else { return }
                let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
                let key = service.key
                let entries = event == AVAHI_RESOLVER_FOUND ? TextRecord(text).entries : nil
                service.owner?.assumeIsolated { $0.resolved(key, entries) }
            }, Unmanaged.passUnretained(service).toOpaque())
        if service.resolver == nil { resolveLater(service) }
    }

    private func resolved(_ key: ServiceKey, _ entries: [[UInt8]]?) {
        guard let service = services[key] else { return }
        guard let entries else { return resolveLater(service) }
        do throws(ServiceRecordProblem) {
            let record = try ServiceRecord(entries: entries)
            guard record.host != own else { return }
            report(table.insert(record, at: key))
        } catch {
            ignore(error)
            report(table.remove(key))
        }
    }

    /// The service stays in sight of the browser but does not say where it is: asked again, at leisure.
    private func resolveLater(_ service: Service) {
        guard service.retry == nil else { return }
        service.retry = loop.schedule(after: Self.retryDelay) { [weak self, weak service] in
            guard let self, let service else { return }
            assumeIsolated { actor in
                service.freeResolver()
                actor.resolve(service)
            }
        }
    }

    private func unfollow(_ key: ServiceKey) {
        guard let service = services.removeValue(forKey: key) else { return }
        service.freeResolver()
        report(table.remove(key))
    }

    /// Drops everything that went, or goes, with the client.
    private func forget() {
        browser = nil
        for service in services.values {
            service.forget()
            connection.keep(service)
        }
        services.removeAll()
        report(table.removeAll())
    }

    private func ignore(_ problem: ServiceRecordProblem) {
        ignoredCount += 1
        log.debug("\(problem)")
    }

    private func report(_ events: [Event]) {
        for event in events { onEvent(event) }
    }

    private func set(_ new: State) {
        guard new != state else { return }
        state = new
        onState(new)
    }

    /// What the library has a pointer to: it may call once more while the browser goes away on another thread.
    private final class Context {
        weak var owner: ServiceBrowser?
        init(owner: ServiceBrowser) { self.owner = owner }
    }

    /// A service that is followed. The library holds a pointer to it while it has a resolver.
    ///
    /// `@unchecked Sendable`: it is touched on the loop's thread only.
    private final class Service: @unchecked Sendable {
        let key: ServiceKey
        weak var owner: ServiceBrowser?
        var resolver: OpaquePointer?
        var retry: Timer?

        init(key: ServiceKey, owner: ServiceBrowser) {
            self.key = key
            self.owner = owner
        }

        func freeResolver() {
            if let resolver { avahi_service_resolver_free(resolver) }
            forget()
        }

        func forget() {
            resolver = nil
            retry?.cancel()
            retry = nil
        }
    }
}

extension ServiceKey {
    fileprivate init?(
        _ interface: AvahiIfIndex, _ networkProtocol: AvahiProtocol, _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?,
        _ domain: UnsafePointer<CChar>?
    ) {
        guard let name, let type, let domain else { return nil }
        self.init(
            interface: interface, networkProtocol: networkProtocol, name: String(cString: name), type: String(cString: type),
            domain: String(cString: domain))
    }
}
