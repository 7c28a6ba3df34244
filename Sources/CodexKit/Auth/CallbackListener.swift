import EventLoop
import Log

/// Listens on the loopback address for the browser that comes back from signing in; lives as long as the sign-in does.
///
/// `@unchecked Sendable`: everything that changes is touched on the loop's thread only.
final class CallbackListener: @unchecked Sendable {
    let loop: EventLoop
    private let state: Secret
    private var listeners: [StreamListener] = []
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var outcome: Result<String, AgentRuntimeError>?
    private var waiter: CheckedContinuation<Result<String, AgentRuntimeError>, Never>?

    private static let mostConnections = 16

    private struct Connection {
        let socket: StreamSocket
        var head: [UInt8] = []
        var limit: Timer?
    }

    /// - Parameter state: What the browser must bring back.
    init(state: Secret) throws(AgentRuntimeError) {
        self.state = state
        do throws(SystemError) {
            loop = try EventLoop(name: "sign-in")
        } catch {
            throw AgentRuntimeError(code: .callbackUnavailable, message: error.description)
        }
    }

    /// Begins to listen.
    ///
    /// - Parameter port: 0 for any.
    /// - Returns: The port.
    func start(port: UInt16) async throws(AgentRuntimeError) -> UInt16 {
        let result = await onLoop { Result { () throws(AgentRuntimeError) in try self.listen(port) } }
        return try result.get()
    }

    /// Waits for the browser.
    ///
    /// - Returns: The authorization code.
    func code() async throws(AgentRuntimeError) -> String {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute {
                    if let outcome = self.outcome { continuation.resume(returning: outcome) } else { self.waiter = continuation }
                }
            }
        } onCancel: {
            fail(SignInFailure.cancelled)
        }
        return try result.get()
    }

    /// Ends the wait. From any thread.
    func fail(_ error: AgentRuntimeError) {
        loop.execute { self.settle(.failure(error)) }
    }

    /// Stops listening, once what is being answered has been sent.
    func close() async {
        await onLoop {
            self.settle(.failure(SignInFailure.cancelled))
            for listener in self.listeners { listener.close() }
            self.listeners = []
        }
        let deadline = ContinuousClock.now + .seconds(1)
        while await onLoop({ !self.connections.isEmpty }), .now < deadline {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { break }  // Given up: the browser gets no page.
        }
        loop.shutdown()
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in loop.execute { continuation.resume(returning: body()) } }
    }

    private func settle(_ result: Result<String, AgentRuntimeError>) {
        guard outcome == nil else { return }
        outcome = result
        waiter?.resume(returning: result)
        waiter = nil
    }

    private func listen(_ port: UInt16) throws(AgentRuntimeError) -> UInt16 {
        do {
            let first = try bind("127.0.0.1", port)
            let real = first.address.port ?? port
            // `localhost` may mean either; a computer without IPv6 has only the first.
            if let second = try? bind("::1", real) { listeners = [first, second] } else { listeners = [first] }
            return real
        } catch {
            throw AgentRuntimeError(
                code: .callbackUnavailable,
                message: "The browser cannot come back: port \(port) on this computer is taken. End the other sign-in and try again, or sign in "
                    + "with a device code.")
        }
    }

    private func bind(_ host: String, _ port: UInt16) throws -> StreamListener {
        let listener = try StreamListener(SocketAddress(host: host, port: port), on: loop)
        listener.onAccept = { [unowned self] in self.accept($0) }
        try listener.start()
        return listener
    }

    private func accept(_ socket: StreamSocket) {
        guard connections.count < Self.mostConnections else { return }
        let id = ObjectIdentifier(socket)
        let limit = loop.schedule(after: .seconds(10)) { [weak socket] in socket?.close() }
        connections[id] = Connection(socket: socket, limit: limit)
        socket.onBytes = { [unowned self] in self.receive($0, from: id) }
        socket.onClose = { [unowned self] _ in self.connections.removeValue(forKey: id)?.limit?.cancel() }
        socket.start()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, from id: ObjectIdentifier) {
        guard var connection = connections[id] else { return }
        connection.head += bytes
        connections[id] = connection
        let head = connection.head
        guard head.count <= CallbackRequest.longest else { return connection.socket.close() }
        guard head.endsHead else { return }
        connections[id]?.head = []
        let (page, result) = answer(to: CallbackRequest(head: head))
        connection.socket.write(page.response)
        connection.socket.closeLingering(for: .milliseconds(500))
        if let result { settle(result) }
    }

    /// The page for the browser, and what the request means for the sign-in; `nil` when it goes on waiting.
    private func answer(to request: CallbackRequest) -> (CallbackPage, Result<String, AgentRuntimeError>?) {
        let mismatch = AgentRuntimeError(
            code: .callbackMismatch, message: "The browser came back from another sign-in than this one; start again.")
        switch request {
        case .code(let code, let state): return Secret(state) == self.state ? (.done, .success(code)) : (.mismatch, .failure(mismatch))
        case .refused(let reason, let state):
            guard Secret(state) == self.state else { return (.mismatch, .failure(mismatch)) }
            let reason = ServerAnswer.presentable(reason)
            return (.refused, .failure(AgentRuntimeError(code: .signInRefused, message: "The sign-in was refused (\(reason)).")))
        case .cancel: return (.cancelled, .failure(SignInFailure.cancelled))
        case .other: return (.missing, nil)
        case .malformed: return (.malformed, nil)
        }
    }
}

extension [UInt8] {
    fileprivate var endsHead: Bool {
        var lineIsEmpty = false
        for byte in self {
            if byte == 0x0A {
                if lineIsEmpty { return true }
                lineIsEmpty = true
            } else if byte != 0x0D {
                lineIsEmpty = false
            }
        }
        return false
    }
}
