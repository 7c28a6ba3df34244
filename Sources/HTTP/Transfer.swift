import CCurl
import EventLoop

/// One request under way: hands the head to whoever sent it and the body to whoever reads it.
///
/// `@unchecked Sendable`: after `init`, everything that changes is touched on the loop's thread only, which the entries check.
final class Transfer: @unchecked Sendable {
    typealias Head = (status: Int, fields: [HTTPField])
    typealias HeadContinuation = CheckedContinuation<Result<Head, HTTPError>, Never>
    typealias ReadContinuation = CheckedContinuation<Result<[UInt8]?, HTTPError>, Never>

    let request: HTTPRequest
    let address: WebAddress
    let driver: TransferDriver
    var loop: EventLoop { driver.loop }

    private var handle: EasyHandle?
    private var head = ResponseHead()
    private var sender: HeadContinuation?
    private var reader: ReadContinuation?
    private var buffer: [UInt8] = []
    private var received = 0
    private var isPaused = false
    private var isDraining = false
    private var drained = 0
    private var result: Result<Void, HTTPError>?
    private var lastActivity = ContinuousClock.Instant.now
    private var uploaded: Int64 = 0
    private var idleTimer: Timer?
    private var totalTimer: Timer?
    /// Why a callback refused what curl gave it.
    private var refusal: HTTPError?

    /// Bytes that wait for the reader before the sender is stopped.
    static let highWater = 256 * 1024

    init(_ request: HTTPRequest, at address: WebAddress, on driver: TransferDriver) {
        self.request = request
        self.address = address
        self.driver = driver
    }

    // MARK: The user's side

    func start(_ continuation: HeadContinuation) {
        loop.preconditionOnLoop()
        if case .failure(let error)? = result { return continuation.resume(returning: .failure(error)) }
        sender = continuation
        guard let handle = EasyHandle(self, driver), driver.add(self, handle.easy) else {
            return end(.failure(.system("The request could not be set up: out of memory, or the client is closed.")))
        }
        self.handle = handle
        if let limit = request.totalTimeout {
            totalTimer = loop.schedule(after: limit) { [weak self] in self?.end(.failure(.totalTimedOut(limit))) }
        }
    }

    func read(_ continuation: ReadContinuation) {
        loop.preconditionOnLoop()
        guard reader == nil else { return continuation.resume(returning: .failure(.alreadyReading)) }
        // What came before a failure is read before the failure is told.
        if !buffer.isEmpty {
            continuation.resume(returning: .success(takeBuffer()))
        } else if let result {
            continuation.resume(returning: result.map { nil })
        } else {
            reader = continuation
        }
        if isPaused, buffer.isEmpty { resume() }
    }

    /// Drops what still comes. See ``HTTPBody/drain()``.
    func drain() {
        loop.preconditionOnLoop()
        guard result == nil, !isDraining else { return }
        isDraining = true
        buffer = []
        drained = 0
        totalTimer?.cancel()
        totalTimer = loop.schedule(after: .seconds(1)) { [weak self] in self?.end(.failure(.cancelled)) }
        if isPaused { resume() }
    }

    /// Nobody reads any more.
    func abandon() {
        if !isDraining { end(.failure(.cancelled)) }
    }

    /// Ends it without an answer. From any thread.
    func cancelFromAnywhere() {
        loop.execute { self.end(.failure(.cancelled)) }
    }

    /// The first result counts.
    func end(_ outcome: Result<Void, HTTPError>) {
        loop.preconditionOnLoop()
        guard result == nil else { return }
        result = outcome
        idleTimer?.cancel()
        totalTimer?.cancel()
        if let handle { driver.remove(self, handle.easy) }
        handle = nil
        if case .failure(let error) = outcome {
            if error == .cancelled { buffer = [] }
            sender?.resume(returning: .failure(error))
            reader?.resume(returning: .failure(error))
        } else {
            reader?.resume(returning: .success(nil))
        }
        sender = nil
        reader = nil
    }

    private func takeBuffer() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    private func resume() {
        guard let handle else { return }
        isPaused = false
        lastActivity = .now
        // May hand over bytes at once, and may find the end of the answer.
        _ = driver.curl.functions.easy_pause(handle.easy, deck_curl_resume())
        driver.endFinished()
    }

    // MARK: curl's side

    /// The request is about to be sent: from here on the server's silence counts.
    func connectionIsReady() {
        lastActivity = .now
        guard idleTimer == nil else { return }
        idleTimer = loop.schedule(after: request.idleTimeout) { [weak self] in self?.checkSilence() }
    }

    private func checkSilence() {
        guard let handle else { return }
        let sent = deck_curl_uploaded(driver.curl.table, handle.easy)
        if isPaused || sent > uploaded { lastActivity = .now }
        uploaded = sent
        let deadline = lastActivity + request.idleTimeout
        if deadline <= .now { return end(.failure(.idleTimedOut(request.idleTimeout))) }
        idleTimer?.reschedule(at: deadline)
    }

    /// Takes a line of the head; whether the transfer goes on.
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = .now
        let wasComplete = head.isComplete
        guard head.receive(line) else {
            refusal = .headTooLarge
            return false
        }
        if head.isComplete, !wasComplete {
            sender?.resume(returning: .success((head.status, head.fields)))
            sender = nil
        }
        return true
    }

    enum Reception { case taken, refused, later }

    /// Takes a part of the body, or asks to be given it again once there is room.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Reception {
        lastActivity = .now
        guard bytes.count <= request.maximumBodyLength - received else {
            refusal = .bodyTooLarge(limit: request.maximumBodyLength)
            return .refused
        }
        guard buffer.count < Self.highWater else {
            isPaused = true
            return .later
        }
        received += bytes.count
        if isDraining {
            drained += bytes.count
            return drained > 65_536 ? .refused : .taken
        }
        if let reader {
            self.reader = nil
            reader.resume(returning: .success(Array(bytes)))
        } else {
            buffer.append(contentsOf: bytes)
        }
        return .taken
    }

    func curlEnded(_ code: CURLcode) {
        if let refusal { return end(.failure(refusal)) }
        guard code == CURLE_OK else {
            let detail = handle?.detail ?? ""
            let tunnel = handle.map { deck_curl_tunnel_status(driver.curl.table, $0.easy) } ?? 0
            if tunnel != 0, !(200..<300).contains(tunnel) { return end(.failure(.proxy("it answered \(tunnel)"))) }
            return end(.failure(.from(code, host: address.host, detail: detail)))
        }
        guard head.isComplete else { return end(.failure(.notHTTP(address.host))) }
        end(.success(()))
    }
}
