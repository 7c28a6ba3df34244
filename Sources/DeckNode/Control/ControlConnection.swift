import EventLoop

/// One command at the control socket: its requests, one after another, each answered before the next is looked at.
///
/// Confined to the socket's loop, kept by the socket's handlers. `@unchecked Sendable`: replies that come from elsewhere go to the loop first.
final class ControlConnection: @unchecked Sendable {
    /// A request carries what a person asks about: texts, and pictures as base64.
    static let maximumRequestBytes = 32 << 20
    /// Requests that may wait for the one before them.
    static let maximumWaiting = 16
    /// Longer ones are read on another thread: screens are not to wait for it.
    private static let longLine = 65_536

    private let socket: StreamSocket
    private let handler: ControlServer.Handler
    private let streams: ControlServer.StreamHandler
    private var reader = LineReader(limit: maximumRequestBytes)
    private var waiting: [[UInt8]] = []
    private var isAnswering = false
    private var exchange: ControlExchange?

    init(socket: StreamSocket, handler: @escaping ControlServer.Handler, streams: @escaping ControlServer.StreamHandler) {
        self.socket = socket
        self.handler = handler
        self.streams = streams
    }

    func start() {
        socket.onBytes = { bytes in self.receive(bytes) }
        socket.onClose = { _ in self.exchange?.close() }
        socket.start()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard let lines = reader.receive(bytes) else { return socket.close() }
        for line in lines {
            if let said = exchange?.onRequest {
                ControlRequest(line: line).map(said)
            } else {
                waiting.append(line)
                next()
            }
        }
        if waiting.count > Self.maximumWaiting { socket.close() }
    }

    private func next() {
        guard !isAnswering, !waiting.isEmpty else { return }
        isAnswering = true
        let line = waiting.removeFirst()
        guard line.count > Self.longLine else { return answer(ControlRequest(line: line)) }
        let loop = socket.loop
        Task.detached {
            let request = ControlRequest(line: line)
            loop.execute { self.answer(request) }
        }
    }

    private func answer(_ request: ControlRequest?) {
        guard let request else { return finish(.failure("The request could not be read.")) }
        let exchange = ControlExchange(socket: socket) { [weak self] in self?.finished() }
        if streams(request, exchange) {
            self.exchange = exchange
            // The asker may have gone while a long request was read.
            if !socket.isOpen { exchange.close() }
            return
        }
        let loop = socket.loop
        handler(request) { reply in
            // The handler may have waited for another thread.
            if loop.isOnLoop { self.finish(reply) } else { loop.execute { self.finish(reply) } }
        }
    }

    private func finish(_ reply: ControlReply) {
        socket.write(reply.line)
        finished()
    }

    private func finished() {
        exchange = nil
        isAnswering = false
        // Not from within the handler that has just answered.
        if !waiting.isEmpty { socket.loop.later { self.next() } }
    }
}
