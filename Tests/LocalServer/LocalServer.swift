import EventLoop

/// An HTTP server on 127.0.0.1 for tests, which can be as unpleasant as a network.
///
/// `@unchecked Sendable`: everything that changes is touched on the loop's thread only.
public final class LocalServer: @unchecked Sendable {
    public typealias Handler = @Sendable (LocalRequest) -> LocalAnswer

    public let port: UInt16
    public var url: String { "http://127.0.0.1:\(port)" }

    private let loop: EventLoop
    private let listener: StreamListener
    private let handler: Handler
    private var received: [LocalRequest] = []
    private var connections: [Int: LocalConnection] = [:]
    private var accepted = 0
    private var closings: [ContinuousClock.Instant] = []
    private var waiters: [(isReady: () -> Bool, resume: () -> Void)] = []

    /// Starts a server.
    ///
    /// - Parameter handler: Called on the server's thread for each request, in the order of arrival.
    public init(_ handler: @escaping Handler) async throws {
        let loop = try EventLoop(name: "local server")
        let listener = try StreamListener(SocketAddress(host: "127.0.0.1", port: 0), on: loop)
        self.loop = loop
        self.listener = listener
        self.handler = handler
        port = listener.address.port ?? 0
        let result = await onLoop { () -> Result<Void, any Error> in
            // A test that fails may leave without stopping it.
            listener.onAccept = { [weak self] in self?.accept($0) }
            return Result { try listener.start() }
        }
        try result.get()
    }

    /// A server that gives one answer after the other, the last again and again.
    public convenience init(answers: [LocalAnswer]) async throws {
        try await self.init { answers[min($0.index, answers.count - 1)] }
    }

    /// What has been asked so far.
    public func requests() async -> [LocalRequest] { await onLoop { self.received } }

    public func connectionCount() async -> Int { await onLoop { self.accepted } }

    /// How much the connections have sent that are still open, as far as the kernel has taken it.
    public func bytesSent() async -> Int { await onLoop { self.connections.values.reduce(0) { $0 + $1.bytesSent } } }

    /// Returns once so many requests have come.
    public func waitForRequests(_ count: Int) async { await wait { self.received.count >= count } }

    /// When the clients closed their connections; returns once it is that many.
    public func waitForClosings(_ count: Int) async -> [ContinuousClock.Instant] {
        await wait { self.closings.count >= count }
        return await onLoop { self.closings }
    }

    public func stop() async {
        await onLoop {
            self.listener.close()
            for connection in self.connections.values { connection.socket.close() }
        }
        loop.shutdown()
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in loop.execute { continuation.resume(returning: body()) } }
    }

    private func wait(_ isReady: @escaping @Sendable () -> Bool) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            loop.execute {
                self.waiters.append((isReady, { continuation.resume() }))
                self.check()
            }
        }
    }

    private func check() {
        let ready = waiters.filter { $0.isReady() }
        waiters.removeAll { $0.isReady() }
        for waiter in ready { waiter.resume() }
    }

    private func accept(_ socket: StreamSocket) {
        let number = accepted
        accepted += 1
        let connection = LocalConnection(socket, number: number, loop: loop)
        connections[number] = connection
        connection.onRequest = { [weak self, handler] request in
            let numbered = LocalRequest(
                method: request.method, target: request.target, fields: request.fields, body: request.body, connection: number,
                index: self?.received.count ?? 0)
            self?.received.append(numbered)
            self?.check()
            return handler(numbered)
        }
        connection.onClose = { [weak self] byPeer in
            guard let self else { return }
            self.connections[number] = nil
            if byPeer { self.closings.append(.now) }
            self.check()
        }
        socket.start()
    }
}
