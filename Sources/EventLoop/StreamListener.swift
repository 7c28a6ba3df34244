import CLinux
import Glibc

/// Listens for stream connections, TCP or unix, and hands them over as sockets that have not started.
///
/// `@unchecked Sendable`: used on its loop's thread only, which every member checks.
public final class StreamListener: @unchecked Sendable {
    /// Something that went wrong while accepting and that the owner may want to log.
    public enum Trouble: Hashable, Sendable, CustomStringConvertible {
        /// Out of descriptors or memory: accepting pauses for 100 ms and is tried again.
        case exhausted(errno: Int32)
        /// `accept` failed otherwise; the listener goes on.
        case acceptFailed(errno: Int32)

        public var description: String {
            switch self {
            case .exhausted(let code): "No more connections can be accepted for now: \(SystemError.text(code))."
            case .acceptFailed(let code): "A connection could not be accepted: \(SystemError.text(code))."
            }
        }
    }

    /// Where it listens; has the real port when port 0 was asked for.
    public let address: SocketAddress
    public let loop: EventLoop
    /// Called for each connection; set the socket's handlers and start it. A socket that is not kept is closed.
    public var onAccept: ((StreamSocket) -> Void)?
    /// Called at the first failure of a kind, and again only after a connection was accepted.
    public var onTrouble: ((Trouble) -> Void)?

    private var descriptor: Int32
    private var watch: Watch?
    private var retry: Timer?
    private var lastTrouble: Trouble?
    private let socketFile: SocketFile?
    private static let retryDelay = Duration.milliseconds(100)
    private static let acceptsPerEvent = 64

    /// Binds and listens; connections are taken after ``start()``.
    ///
    /// A unix socket is made with mode 0600 in a folder that must belong to this user alone; one left behind by a
    /// process that is gone is replaced.
    /// - Parameter backlog: Connections that may wait to be accepted, 1 to 4096.
    public init(_ address: SocketAddress, backlog: Int32 = 128, on loop: EventLoop) throws(BindError) {
        self.loop = loop
        descriptor = deck_stream_socket(address.family)
        guard descriptor >= 0 else { throw .system(.last("socket"), address) }
        do throws(BindError) {
            socketFile = try Self.bindAndListen(descriptor, address, backlog)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.address = address.path == nil ? (.local(of: descriptor) ?? address) : address
    }

    /// Takes over a socket that another process, a service manager, has opened for this one and keeps open. Its file stays when it is closed.
    ///
    /// - Returns: `nil`, with the descriptor untouched, unless it is a stream socket that listens at `address`.
    public init?(adopting descriptor: Int32, at address: SocketAddress, on loop: EventLoop) {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
        }
        guard option(SO_TYPE) == Int32(SOCK_STREAM.rawValue), option(SO_ACCEPTCONN) == 1, SocketAddress.local(of: descriptor) == address,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
        else { return nil }
        self.descriptor = descriptor
        self.address = address
        self.loop = loop
        socketFile = nil
    }

    deinit {
        if descriptor >= 0 {
            Glibc.close(descriptor)
            socketFile?.remove()
        }
    }

    /// Begins to accept. From here on the loop keeps the listener until ``close()``.
    public func start() throws(SystemError) {
        loop.preconditionOnLoop()
        guard watch == nil, descriptor >= 0 else { return }
        watch = try loop.watch(descriptor, .readable) { _ in self.accept() }
    }

    /// Stops listening and removes the socket file. Accepted connections live on.
    public func close() {
        loop.preconditionOnLoop()
        guard descriptor >= 0 else { return }
        watch?.cancel()
        watch = nil
        retry?.cancel()
        retry = nil
        socketFile?.remove()
        Glibc.close(descriptor)
        descriptor = -1
        onAccept = nil
        onTrouble = nil
    }

    private func accept() {
        for _ in 0..<Self.acceptsPerEvent where descriptor >= 0 {
            var accepted: Int32 = -1
            var code: Int32 = 0
            let peer = SocketAddress.read { address, length in
                accepted = deck_accept(descriptor, address, length)
                code = errno
                return accepted < 0 ? -1 : 0
            }
            guard accepted < 0 else {
                lastTrouble = nil
                handOver(accepted, peer)
                continue
            }
            switch code {
            case EAGAIN: return
            case EINTR, ECONNABORTED, EPROTO: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause(code)
            default:
                // Errors of the new connection's network; accept(2) says to go on as after EAGAIN.
                report(.acceptFailed(errno: code))
                return
            }
        }
    }

    private func handOver(_ accepted: Int32, _ peer: SocketAddress?) {
        if address.path == nil { StreamSocket.disableNagle(accepted) }
        let socket = StreamSocket(adopting: accepted, peer: peer, on: loop)
        onAccept?(socket)
    }

    /// A level-triggered watch would report the waiting connection again and again.
    private func pause(_ code: Int32) {
        report(.exhausted(errno: code))
        do { try watch?.modify([]) } catch { return }
        retry = loop.schedule(after: Self.retryDelay) { self.resume() }
    }

    private func resume() {
        retry = nil
        do {
            try watch?.modify(.readable)
        } catch {
            retry = loop.schedule(after: Self.retryDelay) { self.resume() }
        }
    }

    private func report(_ trouble: Trouble) {
        guard trouble != lastTrouble else { return }
        lastTrouble = trouble
        onTrouble?(trouble)
    }

    private static func bindAndListen(
        _ descriptor: Int32, _ address: SocketAddress, _ backlog: Int32
    ) throws(BindError) -> SocketFile? {
        var file: SocketFile?
        if let path = address.path {
            file = try SocketFile.bind(descriptor, to: path, address)
        } else {
            try bindInternet(descriptor, to: address)
        }
        guard listen(descriptor, backlog) == 0 else {
            let error = BindError.from("listen", errno, address)
            file?.remove()
            throw error
        }
        return file
    }

    private static func bindInternet(_ descriptor: Int32, to address: SocketAddress) throws(BindError) {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        // A restart must not wait for the last connections' TIME_WAIT.
        _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.family == AF_INET6 { _ = setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        let code = address.withNative { bind(descriptor, $0, $1) == 0 ? 0 : errno }
        if code != 0 { throw .from("bind", code, address) }
    }
}

extension BindError {
    static func from(_ call: String, _ code: Int32, _ address: SocketAddress) -> BindError {
        switch code {
        case EADDRINUSE: .addressInUse(address)
        case EADDRNOTAVAIL: .addressNotAvailable(address)
        case EACCES, EPERM, EROFS: .permission(address)
        default: .system(SystemError(call: call, code: code), address)
        }
    }
}
