import CLinux
import Glibc

/// Why a connection could not be made.
public enum ConnectError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody listens there; for a unix socket also: there is no such file.
    case refused(SocketAddress)
    /// No answer within the time given.
    case timedOut(SocketAddress)
    /// No route to the address, or the network is down.
    case unreachable(SocketAddress)
    /// A unix socket of another user.
    case permission(SocketAddress)
    case system(SystemError, SocketAddress)

    public var description: String {
        switch self {
        case .refused(let address): "Nothing is listening on \(address); start it there or check the address."
        case .timedOut(let address): "\(address) did not answer in time; check that it is switched on and reachable."
        case .unreachable(let address): "\(address) cannot be reached from this network; check the connection."
        case .permission(let address): "This user may not connect to \(address)."
        case .system(let error, let address):
            "Connecting to \(address) failed: \(SystemError.text(error.code)) (\(error.call), errno \(error.code))."
        }
    }

    static func from(_ call: String, _ code: Int32, _ address: SocketAddress) -> ConnectError {
        switch code {
        case ECONNREFUSED, ENOENT: .refused(address)
        case ETIMEDOUT: .timedOut(address)
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: .unreachable(address)
        case EACCES, EPERM: .permission(address)
        default: .system(SystemError(call: call, code: code), address)
        }
    }
}

/// A connection being made.
///
/// `@unchecked Sendable`: used on its loop's thread only, which every member checks.
public final class ConnectAttempt: @unchecked Sendable {
    private let address: SocketAddress
    private let loop: EventLoop
    private var descriptor: Int32 = -1
    private var watch: Watch?
    private var limit: Timer?
    private var retry: Timer?
    private var completion: ((Result<StreamSocket, ConnectError>) -> Void)?

    init(
        _ address: SocketAddress, timeout: Duration, on loop: EventLoop,
        completion: @escaping (Result<StreamSocket, ConnectError>) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.completion = completion
        limit = loop.schedule(after: timeout) { self.end(.failure(.timedOut(address))) }
        descriptor = deck_stream_socket(address.family)
        loop.whenStopping(self) { self.end(.failure(.system(SystemError(call: "connect", code: ECANCELED), address))) }
        if descriptor >= 0 { connect() } else { endLater(.system(.last("socket"), address)) }
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// Gives up; the completion is not called any more.
    public func cancel() {
        loop.preconditionOnLoop()
        completion = nil
        stop()
    }

    private func connect() {
        let code = address.withNative { Glibc.connect(descriptor, $0, $1) == 0 ? 0 : errno }
        switch code {
        case 0, EINPROGRESS, EINTR: awaitWritable()
        case EAGAIN where address.path != nil:
            // A unix listener's backlog is full; epoll does not tell when that changes.
            retry = loop.schedule(after: .milliseconds(10)) { self.connect() }
        default: endLater(.from("connect", code, address))
        }
    }

    private func awaitWritable() {
        do {
            watch = try loop.watch(descriptor, .writable) { _ in self.finish() }
        } catch {
            endLater(.system(error, address))
        }
    }

    private func finish() {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) != 0 { code = errno }
        guard code == 0 else { return end(.failure(.from("connect", code, address))) }
        watch?.cancel()
        watch = nil
        if address.path == nil { StreamSocket.disableNagle(descriptor) }
        let socket = StreamSocket(adopting: descriptor, peer: address, on: loop)
        descriptor = -1
        end(.success(socket))
    }

    private func endLater(_ error: ConnectError) {
        loop.later { self.end(.failure(error)) }
    }

    private func end(_ result: Result<StreamSocket, ConnectError>) {
        let completion = completion
        self.completion = nil
        stop()
        completion?(result)
    }

    private func stop() {
        loop.forgetStopping(self)
        watch?.cancel()
        limit?.cancel()
        retry?.cancel()
        (watch, limit, retry) = (nil, nil, nil)
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }
}

extension StreamSocket {
    /// Connects; `completion` comes from the loop, once, with a socket that has not started. On the loop.
    ///
    /// - Parameter timeout: More than zero.
    @discardableResult
    public static func connect(
        to address: SocketAddress, timeout: Duration, on loop: EventLoop,
        completion: @escaping (Result<StreamSocket, ConnectError>) -> Void
    ) -> ConnectAttempt {
        loop.preconditionOnLoop()
        return ConnectAttempt(address, timeout: timeout, on: loop, completion: completion)
    }

    /// Connects, from any task. See ``connect(to:timeout:on:completion:)``.
    public static func connect(
        to address: SocketAddress, timeout: Duration, on loop: EventLoop
    ) async throws(ConnectError) -> StreamSocket {
        let result = await withCheckedContinuation { continuation in
            loop.execute { connect(to: address, timeout: timeout, on: loop) { continuation.resume(returning: $0) } }
        }
        return try result.get()
    }
}
