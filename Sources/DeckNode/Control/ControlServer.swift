import EventLoop
import Files
import Glibc
import Log
import ServiceManager

/// The socket through which the commands of this user talk to the running node. Other users are turned away.
///
/// Confined to its loop; not Sendable.
final class ControlServer {
    typealias Handler = (ControlRequest, @escaping @Sendable (ControlReply) -> Void) -> Void
    /// Takes the requests that are answered over a while; `false` for those that are not.
    typealias StreamHandler = (ControlRequest, ControlExchange) -> Bool

    private let listener: StreamListener
    /// A socket from a service manager does not tell whether another node runs: the manager takes the file's name away from that one.
    private let lock: AdvisoryLock
    private let logger: Logger
    private let handler: Handler
    private let streams: StreamHandler

    /// - Throws: ``FileError`` for a folder that is not private, ``BindError`` when another node answers there.
    init(
        path: String, manager: ServiceManager? = nil, loop: EventLoop, logger: Logger, handler: @escaping Handler,
        streams: @escaping StreamHandler = { _, _ in false }
    ) throws {
        if let end = path.lastIndex(of: "/") { try PrivateDirectory.ensure(String(path[..<end])) }
        self.logger = logger
        self.handler = handler
        self.streams = streams
        let address = try SocketAddress(unixPath: path)
        do {
            lock = try AdvisoryLock(path + ".lock")
        } catch {
            guard case .heldBy = error else { throw error }
            throw BindError.addressInUse(address)
        }
        listener = try manager?.listener(named: "control", at: address, on: loop) ?? StreamListener(address, on: loop)
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
        ControlConnection(socket: socket, handler: handler, streams: streams).start()
    }
}
