import CAvahi
import EventLoop

/// A client of the Avahi daemon that outlives the daemon, the bus and itself: whatever ends, it comes back.
///
/// `@unchecked Sendable`: it is touched on its loop's thread only, which the loop's own members check. Its owner must call
/// ``close()`` on the loop before it lets go, for C holds a pointer to it while it is open.
final class AvahiConnection: @unchecked Sendable {
    enum Status: Equatable {
        /// The daemon answers; objects can be made.
        case running
        /// The daemon looks for a host name of its own; objects must go and wait.
        case settling
        /// The daemon or the bus is not there. Every object of the client is gone.
        case unavailable(String)
    }

    /// What to tell of changes; called on the loop, also from within ``open()``. Objects of the former client must not be touched
    /// again once it says `unavailable`.
    var onStatus: ((Status) -> Void)?
    /// The client, while there is one.
    private(set) var client: OpaquePointer?

    private let loop: EventLoop
    private let poll: AvahiPollAdapter
    private var retry: Timer?
    private var kept: [AnyObject] = []
    private var failures = 0
    private var runningSince: ContinuousClock.Instant?
    private var isOpen = false

    init(loop: EventLoop) {
        self.loop = loop
        poll = AvahiPollAdapter(loop: loop)
    }

    /// Connects, and goes on trying until ``close()``.
    func open() {
        guard !isOpen else { return }
        isOpen = true
        connect()
    }

    /// Frees the client with all its objects.
    func close() {
        isOpen = false
        onStatus = nil
        retry?.cancel()
        retry = nil
        free()
    }

    /// What the daemon said went wrong last.
    var lastError: String { Self.text(client.map(avahi_client_errno) ?? Int32(AVAHI_ERR_FAILURE)) }

    /// The library's words for an error.
    static func text(_ code: Int32) -> String { avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    private func connect() {
        var code: Int32 = 0
        let context = Unmanaged.passUnretained(self).toOpaque()
        // NO_FAIL: a daemon that is not there yet is waited for.
        let new = avahi_client_new(poll.api, AVAHI_CLIENT_NO_FAIL, { client, state, context in
            guard let client, let context else { return }
            Unmanaged<AvahiConnection>.fromOpaque(context).takeUnretainedValue().changed(client, state)
        }, context, &code)
        if let new {
            client = new
        } else {
            client = nil
            report(.unavailable(Self.text(code)))
            connectLater()
        }
    }

    private func changed(_ client: OpaquePointer, _ state: AvahiClientState) {
        // The first call comes before `avahi_client_new` has returned.
        self.client = client
        switch state {
        case AVAHI_CLIENT_S_RUNNING:
            runningSince = .now
            report(.running)
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: report(.settling)
        case AVAHI_CLIENT_CONNECTING: report(.unavailable("the Avahi daemon is not running"))
        default:
            report(.unavailable(Self.text(avahi_client_errno(client))))
            connectLater()
            // Not freed here, as it is what is calling.
            loop.later { [weak self] in
                if let self, self.client == client, retry != nil { free() }
            }
        }
    }

    /// Starts anew with a fresh client, after a while.
    private func connectLater() {
        guard isOpen, retry == nil else { return }
        // One that answers and at once goes away again has not recovered.
        if let runningSince, .now - runningSince > .seconds(5) { failures = 0 }
        runningSince = nil
        // 50 ms, for a daemon that restarts, doubling to a minute, for one that is not installed.
        let delay = Duration.milliseconds(min(60_000, 50 << min(failures, 11)))
        failures += 1
        retry = loop.schedule(after: delay) { [weak self] in
            guard let self else { return }
            retry = nil
            free()
            connect()
        }
    }

    private func free() {
        if let client { avahi_client_free(client) }
        client = nil
        kept.removeAll()
    }

    /// Keeps alive what C has a pointer to, until the present client and all its objects are freed.
    func keep(_ object: AnyObject) { kept.append(object) }

    private func report(_ status: Status) { onStatus?(status) }
}
