import EventLoop
import JSON

/// One connection to an app-server: the handshake, calls out, events in. It does not reconnect; ``AppServerLink`` does.
///
/// Confined to its loop; not Sendable. Handlers come from the loop. Close it before letting go of it.
public final class AppServerConnection {
    typealias Instant = ContinuousClock.Instant

    private struct Waiting {
        var method: String
        var settle: (Result<JSONValue, AppServerError>) -> Void
    }

    /// A call that the server had no time for, until it is sent again.
    private struct Paused {
        var send: () -> Void
        var fail: (AppServerError) -> Void
    }

    /// The handshake is over; calls can be made.
    public var onReady: ((ServerInfo) -> Void)?
    /// Never called before ``onReady``.
    public var onEvent: ((AppServerEvent) -> Void)?
    /// Called once, last, after every call has failed.
    public var onEnd: ((TransportEnd) -> Void)?
    /// What came that nobody understands, for diagnostics.
    public private(set) var damagedMessages = 0
    public private(set) var isReady = false

    private let transport: any MessageTransport
    private let client: ClientInfo
    private let loop: EventLoop
    private let handshakeLimit: Duration
    private let reader = MessageReader(wanted: AppServerEvent.methods)
    private var ledger = RequestLedger<Waiting>()
    private var paused = RequestLedger<Paused>()
    private var timer: Timer?
    private var random = SystemRandomNumberGenerator()
    /// Why the connection is being given up here.
    private var cause: TransportEnd?

    public convenience init(_ transport: any MessageTransport, as client: ClientInfo, on loop: EventLoop) {
        self.init(transport, as: client, on: loop, handshakeLimit: .seconds(8))
    }

    init(_ transport: any MessageTransport, as client: ClientInfo, on loop: EventLoop, handshakeLimit: Duration) {
        self.transport = transport
        self.client = client
        self.loop = loop
        self.handshakeLimit = handshakeLimit
    }

    public func start() {
        transport.onOpen = { [weak self] in self?.shakeHands() }
        transport.onMessage = { [weak self] in self?.receive($0) }
        transport.onEnd = { [weak self] in self?.ended($0) }
        transport.start()
    }

    public func close() { transport.close() }

    // MARK: Handshake

    private func shakeHands() {
        let call = AppServerCall(
            "initialize",
            [
                "clientInfo": ["name": .string(client.name), "title": .string(client.title), "version": .string(client.version)],
                "capabilities": ["experimentalApi": true],
            ], timeout: handshakeLimit
        ) { ServerInfo($0) }
        send(call, attempt: 1, deadline: .now + call.timeout) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let info):
                transport.send(RPCMessage.notification(method: "initialized", params: .object([:])).encoded())
                isReady = true
                onReady?(info)
            case .failure(.disconnected): break
            case .failure(.timedOut): giveUp(.lost("it did not answer the handshake in time"))
            case .failure(.refused(let error)): giveUp(.violation("it refused the handshake with code \(error.code)"))
            case .failure(.unexpectedAnswer): giveUp(.violation("its answer to the handshake is none"))
            }
        }
    }

    private func giveUp(_ reason: TransportEnd) {
        cause = reason
        transport.close()
    }

    // MARK: Calls

    /// Makes a call. `completion` comes from the loop, once, also when the connection ends first.
    public func call<Answer>(_ call: AppServerCall<Answer>, completion: @escaping (Result<Answer, AppServerError>) -> Void) {
        guard isReady else {
            return loop.later { completion(.failure(.disconnected)) }
        }
        send(call, attempt: 1, deadline: .now + call.timeout, completion)
    }

    private func send<Answer>(
        _ call: AppServerCall<Answer>, attempt: Int, deadline: Instant, _ completion: @escaping (Result<Answer, AppServerError>) -> Void
    ) {
        let waiting = Waiting(method: call.method) { [weak self] result in
            switch result {
            case .success(let value): completion(call.read(value).map { .success($0) } ?? .failure(.unexpectedAnswer(method: call.method)))
            case .failure(let error):
                if let self, pause(call, after: error, attempt: attempt, deadline: deadline, completion) { return }
                completion(.failure(error))
            }
        }
        let id = ledger.open(waiting, deadline: deadline)
        transport.send(RPCMessage.request(id: .integer(id), method: call.method, params: call.params).encoded())
        armTimer()
    }

    /// Notes a call to be sent again, when the server had too much to do. It refuses before it begins anything, so no call is carried out twice.
    ///
    /// - Returns: `false` when there will be no further attempt.
    private func pause<Answer>(
        _ call: AppServerCall<Answer>, after error: AppServerError, attempt: Int, deadline: Instant,
        _ completion: @escaping (Result<Answer, AppServerError>) -> Void
    ) -> Bool {
        guard case .refused(let refusal) = error, refusal.isOverload, let delay = OverloadBackoff.delay(attempt: attempt, using: &random),
            .now + delay < deadline
        else { return false }
        let again = Paused(
            send: { [weak self] in
                guard let self else { return completion(.failure(.disconnected)) }
                self.send(call, attempt: attempt + 1, deadline: deadline, completion)
            }, fail: { completion(.failure($0)) })
        _ = paused.open(again, deadline: .now + delay)
        armTimer()
        return true
    }

    /// Answers a request of the server. An answer holds for this connection only: after a restart the ids begin anew.
    public func answer(_ id: RequestID, with result: JSONValue) {
        guard isReady else { return }
        transport.send(RPCMessage.response(id: id, result: result).encoded())
    }

    // MARK: In

    private func receive(_ bytes: [UInt8]) {
        let message: RPCMessage?
        do throws(MessageError) { message = try reader.read(bytes) } catch {
            damagedMessages += 1
            return
        }
        switch message {
        case nil: break
        case .response(let id, let result): ledger.close(id)?.settle(.success(result))
        case .failure(let id, let error): ledger.close(id)?.settle(.failure(.refused(error)))
        case .notification(let method, let params):
            if let event = AppServerEvent(method: method, params: params) { pass(event) } else { damagedMessages += 1 }
        case .request(let id, let method, let params): pass(.request(ServerRequest(id: id, method: method, params: params)))
        }
    }

    private func pass(_ event: AppServerEvent) {
        if isReady { onEvent?(event) }
    }

    private func ended(_ reason: TransportEnd) {
        isReady = false
        timer?.cancel()
        timer = nil
        for waiting in ledger.drain() { waiting.settle(.failure(.disconnected)) }
        for call in paused.drain() { call.fail(.disconnected) }
        let handler = onEnd
        (onReady, onEvent, onEnd) = (nil, nil, nil)
        handler?(cause ?? reason)
    }

    // MARK: Time

    private func armTimer() {
        guard let deadline = [ledger.nextDeadline, paused.nextDeadline].compactMap(\.self).min() else { return }
        if let timer, timer.isPending {
            if timer.deadline > deadline { timer.reschedule(at: deadline) }
        } else {
            timer = loop.schedule(at: deadline) { [weak self] in self?.handleTimeout() }
        }
    }

    private func handleTimeout() {
        let now = Instant.now
        let late = ledger.expire(now: now)
        for waiting in late { waiting.settle(.failure(.timedOut(method: waiting.method))) }
        // Silence may mean that the server is gone without a word.
        if !late.isEmpty { transport.probe() }
        for call in paused.expire(now: now) { call.send() }
        armTimer()
    }
}
