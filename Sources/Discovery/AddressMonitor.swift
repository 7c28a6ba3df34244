import CLinux
import EventLoop

/// Tells when the addresses, interfaces or default routes of this computer change.
///
/// `@unchecked Sendable`: it is touched on its loop's thread only, which the loop's own members check.
public final class AddressMonitor: @unchecked Sendable {
    private let loop: EventLoop
    private let delay: Duration
    private let socket: NetlinkSocket
    private let read: () throws(SystemError) -> NetworkState
    private var handler: ((NetworkState) -> Void)?
    private var known: NetworkState?
    private var watch: Watch?
    private var timer: Timer?

    /// Starts watching. On the loop.
    ///
    /// - Parameters:
    ///   - delay: How long to gather changes before looking, for they come in bursts.
    ///   - handler: Called on the loop with the new state, each time it differs from the one before. Not called for the state at
    ///     the start, which is ``current``.
    /// - Throws: ``EventLoop/SystemError`` when the kernel gives no such socket.
    public convenience init(
        loop: EventLoop, delay: Duration = .milliseconds(250), handler: @escaping (NetworkState) -> Void
    ) throws(SystemError) {
        try self.init(loop: loop, delay: delay, read: { () throws(SystemError) in try NetworkState.current() }, handler: handler)
    }

    init(
        loop: EventLoop, delay: Duration, read: @escaping () throws(SystemError) -> NetworkState, handler: @escaping (NetworkState) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.delay = delay
        self.read = read
        self.handler = handler
        // Links, IPv4 addresses, IPv4 routes; subscribed before the first look, so that no change is missed between the two.
        socket = try NetlinkSocket(groups: 0x1 | 0x10 | 0x40, isBlocking: false)
        known = try read()
        watch = try loop.watch(socket.descriptor, .readable) { [weak self] _ in self?.changed() }
    }

    /// The state at the last look; `nil` when that failed.
    public var current: NetworkState? { known }

    /// Stops; the handler is not called after this. On the loop, and before the last reference goes.
    public func cancel() {
        watch?.cancel()
        timer?.cancel()
        (watch, timer, handler) = (nil, nil, nil)
    }

    private func changed() {
        guard socket.drain(), timer == nil else { return }
        timer = loop.schedule(after: delay) { [weak self] in self?.look() }
    }

    private func look() {
        timer = nil
        guard let new = try? read() else {
            // The kernel was too busy to answer; the known state stays until it does.
            timer = loop.schedule(after: .seconds(1)) { [weak self] in self?.look() }
            return
        }
        guard new != known else { return }
        known = new
        handler?(new)
    }
}
