import EventLoop
import Glibc
import JSON
import TLS
import WebSocket

@testable import CodexAppServer

/// A daemon on a unix socket that does what a test wants. `@unchecked Sendable`: used on its loop only.
final class FakeDaemon: @unchecked Sendable {
    enum Manner: Sendable {
        /// Upgrades, and answers the handshake.
        case proper
        case closesAtOnce
        case closesAfterHandshake
        /// Takes the request and says nothing.
        case silent
        /// Says this instead of upgrading.
        case says([UInt8])
        /// Upgrades, and sends this.
        case sends([UInt8])
        /// Upgrades, and reads nothing more.
        case deaf
    }

    private final class Peer {
        let socket: StreamSocket
        var parser = UpgradeRequestParser()
        var webSocket: WebSocketConnection?
        init(_ socket: StreamSocket) { self.socket = socket }
    }

    let path: String
    let userAgent: String
    private(set) var accepted = 0
    private(set) var closed = 0
    private(set) var received: [JSONValue] = []
    private let manner: Manner
    private let listener: StreamListener
    private var peers: [Peer] = []
    private let watcher: Watcher
    private let loop: EventLoop

    static func start(_ path: String, _ manner: Manner = .proper, userAgent: String = "x/0.163.0 (y)", on loop: EventLoop) async throws -> FakeDaemon
    {
        try await onLoop(loop) { Result { try FakeDaemon(path, manner, userAgent, loop) } }.get()
    }

    private init(_ path: String, _ manner: Manner, _ userAgent: String, _ loop: EventLoop) throws {
        (self.path, self.manner, self.userAgent, self.loop) = (path, manner, userAgent, loop)
        listener = try StreamListener(SocketAddress(unixPath: path), on: loop)
        watcher = Watcher(loop)
        listener.onAccept = { [self] in accept($0) }
        try listener.start()
    }

    /// Ends as a killed process does: connections break off, the socket file may stay behind.
    func die(leavingFile: Bool = false) async {
        await onLoop(loop) { [self] in
            listener.close()
            if leavingFile { leaveDeadSocket(path) }
            for peer in peers { peer.socket.close() }
            peers = []
        }
    }

    func say(_ text: String) async {
        await onLoop(loop) { [self] in
            for peer in peers { send(peer) { try? $0.send(text: bytes(text)) } }
        }
    }

    /// Sends a message as the other kind of frame, which the protocol has no use for.
    func say(binary: [UInt8]) async {
        await onLoop(loop) { [self] in
            for peer in peers { send(peer) { try? $0.send(binary: binary) } }
        }
    }

    func closeProperly() async {
        await onLoop(loop) { [self] in
            for peer in peers { send(peer) { $0.close(now: .now) } }
        }
    }

    func wait(_ isReady: @escaping @Sendable (FakeDaemon) -> Bool) async { await watcher.wait { isReady(self) } }

    private func accept(_ socket: StreamSocket) {
        accepted += 1
        watcher.check()
        let peer = Peer(socket)
        peers.append(peer)
        socket.onBytes = { [self, peer] in receive($0, peer) }
        socket.onClose = { [self, peer] _ in
            closed += 1
            peers.removeAll { $0 === peer }
            watcher.check()
        }
        socket.start()
        if case .closesAtOnce = manner { socket.close() }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ peer: Peer) {
        guard peer.webSocket != nil else { return upgrade(bytes, peer) }
        if case .deaf = manner { return }
        peer.webSocket?.receive(bytes, now: .now)
        while let event = peer.webSocket?.nextEvent() { if case .text(let message) = event { answer(message, peer) } }
        send(peer) { _ in }
    }

    private func upgrade(_ bytes: UnsafeRawBufferPointer, _ peer: Peer) {
        peer.parser.receive(bytes)
        guard let request = try? peer.parser.nextRequest() else { return }
        switch manner {
        case .silent: return
        case .says(let answer): return peer.socket.write(answer)
        default: break
        }
        peer.socket.write(request.acceptance { (try? Digest.sha1($0)) ?? [] })
        if case .sends(let frames) = manner { peer.socket.write(frames) }
        peer.webSocket = WebSocketConnection(role: .server, now: .now)
    }

    private func answer(_ message: [UInt8], _ peer: Peer) {
        let message = json(String(decoding: message, as: UTF8.self))
        received.append(message)
        watcher.check()
        guard message["method"] == "initialize" else {
            if case .closesAfterHandshake = manner { peer.socket.close() }
            return
        }
        let result: JSONValue = ["id": message["id"] ?? nil, "result": ["userAgent": .string(userAgent)]]
        send(peer) { try? $0.send(text: result.encoded()) }
    }

    private func send(_ peer: Peer, _ body: (inout WebSocketConnection) -> Void) {
        guard var webSocket = peer.webSocket else { return }
        body(&webSocket)
        let output = webSocket.takeOutput()
        peer.webSocket = webSocket
        if !output.isEmpty { peer.socket.write(output) }
    }
}

/// What a killed daemon leaves: a socket file that nobody listens on.
func leaveDeadSocket(_ path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    precondition(code == 0 && close(descriptor) == 0)
}
