import Glibc
import Testing

@testable import EventLoop

/// A folder of its own, removed with its owner; mode 0700.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/deck-loop-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in entries(path) { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}

/// What a socket's owner heard of it. `@unchecked Sendable`: used on one loop, as the socket is.
final class Ear: @unchecked Sendable {
    let socket: StreamSocket
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0
    private(set) var reasons: [StreamSocket.CloseReason] = []
    private(set) var drains = 0
    var keepsBytes = true
    private var waiters: [(ready: (Ear) -> Bool, resume: () -> Void)] = []

    /// Starts the socket. On the loop.
    init(_ socket: StreamSocket) {
        self.socket = socket
        socket.onBytes = { bytes in
            self.count += bytes.count
            if self.keepsBytes { self.bytes += bytes }
            self.check()
        }
        socket.onDrained = {
            self.drains += 1
            self.check()
        }
        socket.onClose = { reason in
            self.reasons.append(reason)
            self.check()
        }
        socket.start()
    }

    /// Returns once `ready` holds.
    func wait(_ ready: @escaping @Sendable (Ear) -> Bool) async {
        await withCheckedContinuation { done in
            socket.loop.execute {
                self.waiters.append((ready, { done.resume() }))
                self.check()
            }
        }
    }

    func closed() async -> StreamSocket.CloseReason? {
        await wait { !$0.reasons.isEmpty }
        return await onLoop(socket.loop) { self.reasons.first }
    }

    /// Runs `body` on the loop.
    @discardableResult
    func tell<Result: Sendable>(_ body: @escaping @Sendable (StreamSocket) -> Result) async -> Result {
        let socket = socket
        return await onLoop(socket.loop) { body(socket) }
    }

    private func check() {
        let ready = waiters.filter { $0.ready(self) }
        waiters.removeAll { $0.ready(self) }
        for waiter in ready { waiter.resume() }
    }
}

/// Two ends of one connection, both on `loop`, through a real listener.
func connectedPair(_ loop: EventLoop, _ address: SocketAddress) async throws -> (client: Ear, server: Ear) {
    let accepted = Box<StreamSocket>()
    let listener = try StreamListener(address, on: loop)
    let arrived = AsyncStream<Void>.makeStream()
    await onLoop(loop) {
        listener.onAccept = {
            accepted.value = $0
            arrived.continuation.yield()
        }
        do { try listener.start() } catch { Issue.record(error) }
    }
    let client = try await StreamSocket.connect(to: listener.address, timeout: .seconds(10), on: loop)
    for await _ in arrived.stream { break }
    return try await onLoop(loop) { () -> Swift.Result<(Ear, Ear), SystemError> in
        listener.close()
        guard let server = accepted.value else { return .failure(SystemError(call: "accept", code: 0)) }
        return .success((Ear(client), Ear(server)))
    }.get()
}

enum Family: String, CaseIterable, CustomStringConvertible {
    case ipv4, ipv6, unix
    var description: String { rawValue }

    func address(in folder: TemporaryFolder) throws -> SocketAddress {
        switch self {
        case .ipv4: try SocketAddress("127.0.0.1:0")
        case .ipv6: try SocketAddress("[::1]:0")
        case .unix: try SocketAddress(unixPath: folder.path + "/s")
        }
    }
}

/// Bytes whose period is prime, so that a lost, repeated or exchanged piece is seen.
func pattern(_ count: Int) -> [UInt8] {
    let block = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    bytes.removeLast(bytes.count - count)
    return bytes
}
