import EventLoop
import JSON

/// A request whose answer comes in several lines, over a while.
///
/// The end of the connection is the asker's way to call it off. `@unchecked Sendable`: used on the connection's loop only.
final class ControlExchange: @unchecked Sendable {
    /// What may wait for an asker that does not read: more than any answer, less than what would hurt.
    static let maximumPendingBytes = 8 << 20

    /// Called once when the asker goes away before ``finish(_:)``.
    var onClose: (() -> Void)?
    /// Called with what the asker says meanwhile; without it that waits for the end of this request.
    var onRequest: ((ControlRequest) -> Void)?
    private let socket: StreamSocket
    private let onFinish: () -> Void
    private(set) var isOver = false

    init(socket: StreamSocket, onFinish: @escaping () -> Void) {
        self.socket = socket
        self.onFinish = onFinish
    }

    /// Tells the asker something; nothing once it is over.
    func event(_ event: JSONValue) {
        guard !isOver else { return }
        guard socket.pendingBytes <= Self.maximumPendingBytes else { return socket.close() }
        socket.write(ControlLine.event(event).line)
    }

    /// The last line; the connection may be used for another request.
    func finish(_ reply: ControlReply) {
        guard !isOver else { return }
        isOver = true
        onClose = nil
        onRequest = nil
        socket.write(reply.line)
        onFinish()
    }

    /// The connection has ended.
    func close() {
        guard !isOver else { return }
        isOver = true
        let onClose = onClose
        self.onClose = nil
        onRequest = nil
        onClose?()
    }
}
