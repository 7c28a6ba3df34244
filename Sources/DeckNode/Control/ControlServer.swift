import EventLoop
import Files
import Glibc
import Log

/// The socket through which the commands of this user talk to the running node. Other users are turned away.
///
/// Confined to its loop; not Sendable.
final class ControlServer {
    typealias Handler = (ControlRequest, @escaping @Sendable (ControlReply) -> Void) -> Void

    private static let maximumRequestBytes = 65_536
    private let listener: StreamListener
    private let loop: EventLoop
    private let logger: Logger
    private let handler: Handler

    /// - Throws: ``FileError`` for a folder that is not private, ``BindError`` when another node answers there.
    init(path: String, loop: EventLoop, logger: Logger, handler: @escaping Handler) throws {
        if let end = path.lastIndex(of: "/") { try PrivateDirectory.ensure(String(path[..<end])) }
        self.loop = loop
        self.logger = logger
        self.handler = handler
        listener = try StreamListener(SocketAddress(unixPath: path), on: loop)
        listener.onAccept = { [unowned self] in accept($0) }
        listener.onTrouble = { logger.warning("\($0)") }
        try listener.start()
    }

    func close() { listener.close() }

    private func accept(_ socket: StreamSocket) {
        guard let peer = socket.peerCredentials, peer.userID == geteuid() else {
            logger.logOnce("control-peer", .warning, "A program of another user was turned away from the control socket.")
            return socket.close()
        }
        var reader = LineReader(limit: Self.maximumRequestBytes)
        socket.onBytes = { [weak self, unowned socket] bytes in
            guard let self, let lines = reader.receive(bytes) else { return socket.close() }
            for line in lines { answer(line, on: socket) }
        }
        socket.start()
    }

    private func answer(_ line: [UInt8], on socket: StreamSocket) {
        guard let request = ControlRequest(line: line) else {
            return socket.write(ControlReply.failure("The request could not be read.").line)
        }
        let loop = loop
        handler(request) { reply in
            // The handler may have waited for another thread.
            if loop.isOnLoop { socket.write(reply.line) } else { loop.execute { socket.write(reply.line) } }
        }
    }
}
