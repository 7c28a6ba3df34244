import EventLoop
import Glibc

/// The manager that started this process as a service, if one did: it is told how the service does, and hands over the sockets it listens on.
///
/// Without a manager every call does nothing, so that callers need not ask.
///
/// `@unchecked Sendable`: what changes is touched on the loop given to ``ready(on:status:)`` only, which every member checks; before that call by
/// nobody.
public final class ServiceManager: @unchecked Sendable {
    /// Called at the first failure to tell the manager something, and again after a success. Set it before ``ready(on:status:)``.
    public var onTrouble: ((SystemError) -> Void)?

    private let environment: ServiceEnvironment
    private let processID: Int32
    private let socket: NotifySocket?
    private var loop: EventLoop?
    private var status: () -> String = { "" }
    private var toldStatus = ""
    private var pulse: Timer?
    private var retry: Timer?
    private var unsent: [ServiceNotice] = []
    private var isInTrouble = false

    /// How often the status is looked at when there is no watchdog to feed.
    static let statusInterval = Duration.seconds(30)
    private static let retryDelay = Duration.milliseconds(100)
    private static let maximumUnsent = 8

    /// - Parameters:
    ///   - variables: The environment of this process.
    ///   - processID: This process.
    /// - Throws: ``SystemError`` when the process is out of descriptors.
    public init(variables: [String: String], processID: Int32 = getpid()) throws(SystemError) {
        environment = ServiceEnvironment(variables: variables, processID: processID)
        self.processID = processID
        if let address = environment.notify { socket = try NotifySocket(address) } else { socket = nil }
        for inherited in environment.inherited { _ = fcntl(inherited.descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Reads what the manager said, and takes it out of `variables` and of the environment that children inherit. To be called before the
    /// process has threads that read the environment.
    ///
    /// - Throws: ``SystemError`` when the process is out of descriptors.
    public static func adopt(_ variables: inout [String: String]) throws(SystemError) -> ServiceManager {
        let manager = try ServiceManager(variables: variables)
        for name in ServiceEnvironment.variables {
            variables[name] = nil
            unsetenv(name)
        }
        return manager
    }

    // MARK: States

    /// Says that the service does its work, and from now on that it is alive, twice in the time that the manager gives it. On the loop.
    ///
    /// - Parameters:
    ///   - loop: The loop that does the work: when it hangs, the manager hears nothing more and starts the service anew.
    ///   - status: One line for `systemctl status`, without words of the user in it; asked when the service is ready, and now and then.
    public func ready(on loop: EventLoop, status: @escaping () -> String) {
        loop.preconditionOnLoop()
        guard socket != nil else { return }
        self.loop = loop
        self.status = status
        toldStatus = status()
        tell(ServiceNotice(state: .ready(processID: processID), status: toldStatus))
        let interval = environment.watchdog.map { $0 / 2 } ?? Self.statusInterval
        pulse?.cancel()
        pulse = loop.schedule(after: interval) { [weak self] in self?.beat(interval) }
    }

    /// Runs `body`, which reads the settings again, between the two states that say so. On the loop.
    public func reload(_ body: () -> Void) {
        guard socket != nil, loop != nil else { return body() }
        tell(ServiceNotice(state: .reloading(monotonicMicroseconds: Self.monotonicMicroseconds())))
        body()
        toldStatus = status()
        tell(ServiceNotice(state: .ready(processID: processID), status: toldStatus))
    }

    /// Says that the service ends by its own will. On the loop, if it was ready before.
    public func stopping() {
        pulse?.cancel()
        pulse = nil
        guard socket != nil else { return }
        tell(ServiceNotice(state: .stopping, status: "Stopping."))
    }

    private func beat(_ interval: Duration) {
        let now = status()
        let isNew = now != toldStatus
        toldStatus = now
        if environment.watchdog != nil || isNew {
            tell(ServiceNotice(state: environment.watchdog == nil ? nil : .alive, status: isNew ? now : nil))
        }
        pulse?.reschedule(at: .now + interval)
    }

    // MARK: Telling

    private func tell(_ notice: ServiceNotice) {
        loop?.preconditionOnLoop()
        // What is behind is told in order; a sign of life that is late is none.
        if unsent.count < Self.maximumUnsent, unsent.isEmpty || notice.state != .alive { unsent.append(notice) }
        flush()
    }

    private func flush() {
        retry?.cancel()
        retry = nil
        while let notice = unsent.first {
            do throws(SystemError) {
                try socket?.send(notice.bytes)
                isInTrouble = false
            } catch {
                if [EAGAIN, ENOBUFS, ENOMEM].contains(error.code), let loop {
                    retry = loop.schedule(after: Self.retryDelay) { [weak self] in self?.flush() }
                    return
                }
                if !isInTrouble { onTrouble?(error) }
                isInTrouble = true
            }
            unsent.removeFirst()
        }
    }

    private static func monotonicMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    // MARK: Sockets

    /// The listener for `address`: the one that the manager opened under this name, else a new one.
    ///
    /// A socket that listens elsewhere is of no use: nobody would come there.
    /// - Throws: ``BindError`` when there was none to take over and none can be made.
    public func listener(named name: String, at address: SocketAddress, on loop: EventLoop) throws(BindError) -> StreamListener {
        for inherited in environment.inherited where inherited.name == name {
            if let listener = StreamListener(adopting: inherited.descriptor, at: address, on: loop) { return listener }
        }
        return try StreamListener(address, on: loop)
    }
}
