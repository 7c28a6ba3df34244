import EventLoop
import Glibc

/// The connection to the shared daemon of the Codex CLI, again and again: it waits for the socket, connects, and connects anew.
///
/// It never starts or stops a daemon. Confined to its loop; not Sendable. Handlers come from the loop.
public final class AppServerLink {
    /// How things stand with the daemon.
    public enum Condition: Hashable, Sendable {
        case connected(ServerInfo)
        /// Not connected; tried again by itself.
        case waiting(TransportEnd)
    }

    /// How often what is looked for.
    struct Pace {
        /// A socket that is not there, or that nobody answers on: one look at one path.
        var look = Duration.seconds(1)
        /// After a connection broke; it doubles with each that did not last.
        var firstDelay = Duration.milliseconds(250)
        var maximumDelay = Duration.seconds(15)
        /// A connection that lasted so long was a good one. One that ends sooner, again and again, is a daemon in trouble.
        var lasting = Duration.seconds(10)
        /// Whether the path leads to another daemon by now.
        var check = Duration.seconds(5)
    }

    /// Where the CLI puts the daemon's socket.
    public static func socketPath(codexHome: String) -> String { codexHome + "/app-server-control/app-server-control.sock" }

    /// Called with each change; before the first one it is ``condition`` that holds.
    public var onCondition: ((Condition) -> Void)?
    /// Called with each connection once calls can be made, before its first event.
    public var onReady: ((AppServerConnection, ServerInfo) -> Void)?
    public var onEvent: ((AppServerEvent) -> Void)?

    private let path: String
    private let client: ClientInfo
    private let loop: EventLoop
    private let pace: Pace
    private var connection: AppServerConnection?
    private var readySince: ContinuousClock.Instant?
    private var timer: Timer?
    /// How often in a row the daemon could not be reached, or not for long.
    private(set) var failures = 0
    private var isStopped = false
    private var random = SystemRandomNumberGenerator()
    public private(set) var condition = Condition.waiting(.absent)

    public convenience init(socketPath: String, as client: ClientInfo, on loop: EventLoop) {
        self.init(socketPath: socketPath, as: client, on: loop, pace: Pace())
    }

    init(socketPath: String, as client: ClientInfo, on loop: EventLoop, pace: Pace) {
        path = socketPath
        self.client = client
        self.loop = loop
        self.pace = pace
    }

    /// Begins; on the loop.
    public func start() { dial() }

    public func stop() {
        isStopped = true
        timer?.cancel()
        (onCondition, onReady, onEvent) = (nil, nil, nil)
        connection?.close()
    }

    /// The connection, while calls can be made.
    public var ready: AppServerConnection? { connection.flatMap { $0.isReady ? $0 : nil } }

    // MARK: Connecting

    private func dial() {
        guard !isStopped else { return }
        let address: SocketAddress
        let place: SocketPlace
        do throws(TransportEnd) {
            place = try SocketPlace(of: path)
            address = try place.address()
        } catch {
            return wait(error)
        }
        let connection = AppServerConnection(SocketTransport(address, on: loop), as: client, on: loop)
        self.connection = connection
        connection.onReady = { [weak self, unowned connection] info in
            guard let self else { return }
            readySince = .now
            onReady?(connection, info)
            set(.connected(info))
            check(place)
        }
        connection.onEvent = { [weak self] in self?.onEvent?($0) }
        connection.onEnd = { [weak self] in self?.ended($0) }
        connection.start()
    }

    /// Another daemon may take the place of the one we are connected to, which then still answers, and nobody new comes to it.
    private func check(_ place: SocketPlace) {
        timer = loop.schedule(after: pace.check) { [weak self] in
            guard let self, ready != nil else { return }
            if place.isSucceeded(at: path) { connection?.close() } else { check(place) }
        }
    }

    // MARK: The end of a connection

    private func ended(_ reason: TransportEnd) {
        connection = nil
        if let readySince, .now - readySince >= pace.lasting { failures = 0 }
        readySince = nil
        wait(reason)
    }

    private func wait(_ reason: TransportEnd) {
        guard !isStopped else { return }
        set(.waiting(reason))
        timer?.cancel()
        timer = loop.schedule(after: delay(after: reason)) { [weak self] in self?.dial() }
    }

    /// A missing socket costs nothing to look for; one that refuses or breaks is tried less and less often.
    private func delay(after reason: TransportEnd) -> Duration {
        switch reason {
        case .absent, .refused:
            failures = 0
            return pace.look
        case .closedHere, .lost, .violation:
            failures = min(failures + 1, 10)
            let full = min(pace.firstDelay * (1 << (failures - 1)), pace.maximumDelay)
            return full * Double.random(in: 0.75...1, using: &random)
        }
    }

    private func set(_ condition: Condition) {
        guard condition != self.condition else { return }
        self.condition = condition
        onCondition?(condition)
    }
}
