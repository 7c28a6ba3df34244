import EventLoop
import RelayProtocol

/// The engine of another process, over its socket.
///
/// `@unchecked Sendable`: used on its loop's thread only, which the socket's members check.
final class RemoteEngine: @unchecked Sendable {
    /// Called with each new frame.
    var onFrame: ((EngineFrame) -> Void)?
    var onShow: ((TaskIdentity) -> Void)?
    /// Called once, when the connection has ended.
    var onLost: (() -> Void)?

    private(set) var frame = EngineFrame()
    private let socket: StreamSocket
    private var buffer = LineBuffer(limit: EngineProtocol.maximumReplyBytes)
    private var waiting: [Int64: (CommandOutcome?) -> Void] = [:]
    private var asking: [Int64: (Bool) -> Void] = [:]
    private var lastID: Int64 = 0
    private var isCurrent = false
    private var isLost = false

    /// How long a present engine may take to say anything.
    private static let patience = Duration.seconds(5)

    private init(_ socket: StreamSocket) { self.socket = socket }

    /// Connects and subscribes. On the loop.
    ///
    /// - Returns: `nil` when no engine listens there.
    /// - Throws: ``EngineError`` when one does and cannot be used.
    static func connect(to path: String, shows: Bool, on loop: EventLoop) async throws -> RemoteEngine? {
        let socket: StreamSocket
        do throws(ConnectError) {
            guard let address = try? SocketAddress(unixPath: path) else { return nil }
            socket = try await StreamSocket.connect(to: address, timeout: patience, on: loop)
        } catch {
            if case .refused = error { return nil }
            throw EngineError.unreachable("\(error)")
        }
        let engine = RemoteEngine(socket)
        return await withCheckedContinuation { continuation in
            loop.execute { engine.begin(shows: shows) { continuation.resume(returning: $0 ? engine : nil) } }
        }
    }

    private func begin(shows: Bool, completion: @escaping (Bool) -> Void) {
        socket.onBytes = { [self] in receive($0) }
        socket.onClose = { [self] _ in lost() }
        socket.start()
        var completion: ((Bool) -> Void)? = completion
        let finish: (Bool) -> Void = { good in
            completion?(good)
            completion = nil
        }
        let limit = socket.loop.schedule(after: Self.patience) { [socket] in socket.close() }
        ask(.subscribe(shows: shows)) { [self] _ in
            limit.cancel()
            finish(isCurrent && !isLost)
        }
    }

    func close() { socket.close() }

    // MARK: - Asking

    func perform(_ request: ClientRequest) async -> CommandOutcome {
        await withCheckedContinuation { continuation in
            socket.loop.execute { [self] in
                ask(.perform(request)) { continuation.resume(returning: $0 ?? .unknown(name: "the background engine")) }
            }
        }
    }

    func apply(_ change: ClientChange) async { await wait(.change(change)) }

    func settle(within limit: Duration) async { await wait(.settle(milliseconds: max(0, limit / .milliseconds(1)).rounded().clamped)) }

    /// - Returns: Whether a dashboard is open that shows the task now.
    func showIfOpen(_ task: TaskIdentity) async -> Bool {
        await withCheckedContinuation { continuation in
            socket.loop.execute { [self] in
                guard !isLost else { return continuation.resume(returning: false) }
                lastID += 1
                asking[lastID] = { continuation.resume(returning: $0) }
                socket.write(EngineRequest.showIfOpen(task).line(id: lastID))
            }
        }
    }

    func interrupt() { ask(.interrupt) { _ in } }

    private func wait(_ request: EngineRequest) async {
        await withCheckedContinuation { continuation in
            socket.loop.execute { [self] in ask(request) { _ in continuation.resume() } }
        }
    }

    private func ask(_ request: EngineRequest, completion: @escaping (CommandOutcome?) -> Void) {
        guard !isLost else { return completion(nil) }
        lastID += 1
        // Nobody answers an interruption.
        if request != .interrupt { waiting[lastID] = completion }
        socket.write(request.line(id: lastID))
    }

    // MARK: - Hearing

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let lines = buffer.receive(bytes) else { return socket.close() }
        for line in lines {
            guard let reply = EngineReply(line: line), take(reply) else { return socket.close() }
        }
    }

    /// - Returns: Whether it could be understood.
    private func take(_ reply: EngineReply) -> Bool {
        switch reply {
        case .hello(let version):
            isCurrent = version == EngineProtocol.version
            return isCurrent
        case .frame(let delta):
            guard frame.apply(delta) else { return false }
            onFrame?(frame)
        case .outcome(let id, let outcome): waiting.removeValue(forKey: id)?(outcome)
        case .done(let id): waiting.removeValue(forKey: id)?(nil)
        case .shown(let id, let isShown): asking.removeValue(forKey: id)?(isShown)
        case .show(let task): onShow?(task)
        }
        return true
    }

    private func lost() {
        guard !isLost else { return }
        isLost = true
        let unanswered = waiting.sorted { $0.key < $1.key }
        waiting = [:]
        for (_, completion) in unanswered { completion(nil) }
        let unasked = asking.values
        asking = [:]
        for completion in unasked { completion(false) }
        onLost?()
        (onFrame, onShow, onLost) = (nil, nil, nil)
    }
}

extension Double {
    /// As an integer, for times of at most minutes.
    fileprivate var clamped: Int64 { self < 1e9 ? Int64(self) : 1_000_000_000 }
}

/// Why there is no engine to work with.
public enum EngineError: Error, Sendable, CustomStringConvertible {
    /// One runs, and does not answer; the reason is a sentence.
    case unreachable(String)
    /// Another command works and does not share its engine.
    case busy

    public var description: String {
        switch self {
        case .unreachable(let reason): "The running engine cannot be used: \(reason)"
        case .busy: "Another deckclient is at work and does not end; wait for it, or end it, and try again."
        }
    }
}
