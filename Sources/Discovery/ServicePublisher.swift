import CAvahi
import EventLoop
import Log

/// Announces a node to its neighbourhood by multicast DNS, on one interface, for as long as somebody answers at all.
///
/// libavahi waits for the daemon's answers, usually for a fraction of a millisecond; give it a loop that carries no connections,
/// or a daemon that hangs would hold those up.
public actor ServicePublisher {
    public enum State: Equatable, Sendable {
        /// Nothing is to be announced.
        case idle
        /// The daemon checks that the name is free.
        case registering
        /// Announced under this name, which differs from the wanted one when that was taken.
        case published(name: String)
        /// There is no daemon to announce it; it is announced as soon as there is one.
        case unavailable(reason: String)
        /// The daemon refused; it is asked again.
        case failed(reason: String)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    public private(set) var state = State.idle

    private struct Announcement: Equatable {
        var record: ServiceRecord
        var interfaceIndex: Int
    }

    private let loop: EventLoop
    private let connection: AvahiConnection
    private let log: Logger
    private let onState: @Sendable (State) -> Void
    private var isDaemonReady = false
    private var wanted: Announcement?
    private var announced: Announcement?
    private var name = ""
    private var group: OpaquePointer?
    private var retry: Timer?
    private static let retryDelay = Duration.seconds(10)

    /// - Parameter onState: Called on the loop at each change of ``state``.
    public init(loop: EventLoop, log: Logger = .silent, onState: @escaping @Sendable (State) -> Void = { _ in }) {
        self.loop = loop
        self.log = log
        self.onState = onState
        connection = AvahiConnection(loop: loop)
    }

    deinit {
        loop.execute { [connection] in connection.close() }
    }

    /// Announces `record` from now on, in place of what was announced before.
    ///
    /// - Parameter interfaceIndex: The kernel's number of the one interface that has the record's address.
    public func publish(_ record: ServiceRecord, interfaceIndex: Int) {
        let new = Announcement(record: record, interfaceIndex: interfaceIndex)
        guard new != wanted else { return }
        if record.serviceName != wanted?.record.serviceName { name = record.serviceName }
        wanted = new
        if connection.onStatus == nil {
            connection.onStatus = { [weak self] status in self?.assumeIsolated { $0.daemonChanged(status) } }
            connection.open()
        } else if isDaemonReady {
            register()
        }
    }

    /// Takes the announcement back, and lets go of the daemon.
    public func withdraw() {
        wanted = nil
        forget()
        connection.close()
        isDaemonReady = false
        set(.idle)
    }

    private func daemonChanged(_ status: AvahiConnection.Status) {
        guard wanted != nil else { return }
        isDaemonReady = status == .running
        switch status {
        case .running:
            register()
        case .settling:
            release()
            set(.registering)
        case .unavailable(let reason):
            log.logOnce(
                "avahi", "This node is not announced to the neighbourhood (\(reason)); pairing by link or QR code still works.")
            forget()
            set(.unavailable(reason: reason))
        }
    }

    private func register() {
        guard let wanted, isDaemonReady, let client = connection.client else { return }
        retry?.cancel()
        retry = nil
        if updateText(wanted) { return }
        if let group {
            avahi_entry_group_reset(group)
        } else {
            let context = Context(owner: self)
            connection.keep(context)
            group = avahi_entry_group_new(client, { _, state, context in
                guard let context else { return }
                Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().owner?.assumeIsolated { $0.groupChanged(state) }
            }, Unmanaged.passUnretained(context).toOpaque())
        }
        guard let group else { return fail(connection.lastError) }
        announced = nil
        set(.registering)
        // A name may be taken by another service of this very computer, which the daemon knows at once.
        for _ in 0..<16 {
            let code = TextRecord(wanted.record.entries).withList { list in
                avahi_entry_group_add_service_strlst(
                    group, AvahiIfIndex(wanted.interfaceIndex), AvahiProtocol(AVAHI_PROTO_INET), AvahiPublishFlags(0), name,
                    ServiceRecord.serviceType, nil, nil, wanted.record.port, list)
            }
            if code == Int32(AVAHI_ERR_COLLISION) {
                takeAlternativeName()
                continue
            }
            guard code >= 0 else { return fail(AvahiConnection.text(code)) }
            let committed = avahi_entry_group_commit(group)
            guard committed >= 0 else { return fail(AvahiConnection.text(committed)) }
            announced = wanted
            return
        }
        fail(AvahiConnection.text(Int32(AVAHI_ERR_COLLISION)))
    }

    /// Changes the TXT record in place when nothing else differs, so that browsers see no coming and going.
    private func updateText(_ wanted: Announcement) -> Bool {
        guard let group, let announced, case .published = state, announced.interfaceIndex == wanted.interfaceIndex,
            announced.record.port == wanted.record.port, announced.record.serviceName == wanted.record.serviceName
        else { return false }
        let code = TextRecord(wanted.record.entries).withList { list in
            avahi_entry_group_update_service_txt_strlst(
                group, AvahiIfIndex(wanted.interfaceIndex), AvahiProtocol(AVAHI_PROTO_INET), AvahiPublishFlags(0), name,
                ServiceRecord.serviceType, nil, list)
        }
        guard code >= 0 else { return false }
        self.announced = wanted
        return true
    }

    private func groupChanged(_ state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED:
            log.recovered("avahi", "This node is announced to the neighbourhood again.")
            set(.published(name: name))
        case AVAHI_ENTRY_GROUP_COLLISION:
            takeAlternativeName()
            announced = nil
            loop.later { [weak self] in self?.assumeIsolated { $0.register() } }
        case AVAHI_ENTRY_GROUP_FAILURE:
            fail(connection.lastError)
        default:
            break
        }
    }

    private func takeAlternativeName() {
        guard let alternative = avahi_alternative_service_name(name) else { return }
        name = String(cString: alternative)
        avahi_free(alternative)
    }

    private func fail(_ reason: String) {
        log.logOnce("avahi", "This node could not be announced to the neighbourhood: \(reason).")
        announced = nil
        set(.failed(reason: reason))
        guard retry == nil else { return }
        retry = loop.schedule(after: Self.retryDelay) { [weak self] in self?.assumeIsolated { $0.retryNow() } }
    }

    private func retryNow() {
        retry = nil
        register()
    }

    /// Frees the group while the client lives.
    private func release() {
        if let group { avahi_entry_group_free(group) }
        forget()
    }

    /// Drops the group, which goes with its client.
    private func forget() {
        group = nil
        announced = nil
        retry?.cancel()
        retry = nil
    }

    /// What the library has a pointer to: it may call once more while the publisher goes away on another thread.
    private final class Context {
        weak var owner: ServicePublisher?
        init(owner: ServicePublisher) { self.owner = owner }
    }

    private func set(_ new: State) {
        guard new != state else { return }
        state = new
        onState(new)
    }
}
