import EventLoop

/// One connection of the local server: reads requests and performs the steps of their answers, one after the other.
final class LocalConnection {
    let socket: StreamSocket
    var onRequest: ((LocalRequest) -> LocalAnswer)?
    /// Told whether the client closed it.
    var onClose: ((Bool) -> Void)?

    private let number: Int
    private let loop: EventLoop
    private var reader = RequestReader()
    private var steps: [LocalAnswer.Step] = []
    private var isBusy = false
    private var written = 0

    /// What the kernel has taken of an endless answer.
    var bytesSent: Int { written - socket.pendingBytes }

    init(_ socket: StreamSocket, number: Int, loop: EventLoop) {
        self.socket = socket
        self.number = number
        self.loop = loop
        socket.onBytes = { bytes in
            self.reader.receive(bytes)
            self.proceed()
        }
        socket.onClose = { reason in
            self.onClose?(reason != .local)
            self.onClose = nil
            self.onRequest = nil
        }
    }

    private func proceed() {
        guard !isBusy else { return }
        if steps.isEmpty {
            guard let request = reader.next(connection: number, index: 0), let answer = onRequest?(request) else { return }
            steps = answer.steps
        }
        while !steps.isEmpty, socket.isOpen {
            switch steps.removeFirst() {
            case .raw(let bytes): socket.write(bytes)
            case .chunk(let bytes): socket.write(Self.chunk(bytes))
            case .end: socket.write(Array("0\r\n\r\n".utf8))
            case .pause(let duration):
                isBusy = true
                loop.schedule(after: duration) {
                    self.isBusy = false
                    self.proceed()
                }
                return
            case .hang:
                isBusy = true
                return
            case .close: return socket.close()
            case .reset:
                SocketReset.prepare(from: socket.localAddress, to: socket.peer)
                return socket.close()
            case .endless(let bytes):
                isBusy = true
                return repeatForever(Self.chunk(bytes))
            }
        }
        if socket.isOpen { loop.later { self.proceed() } }
    }

    private func repeatForever(_ bytes: [UInt8]) {
        socket.onDrained = { self.fill(bytes) }
        fill(bytes)
    }

    private func fill(_ bytes: [UInt8]) {
        for _ in 0..<64 where socket.isOpen && socket.pendingBytes == 0 {
            socket.write(bytes)
            written += bytes.count
        }
        // Without anything waiting there will be no word that it has been sent.
        if socket.isOpen, socket.pendingBytes == 0 { loop.schedule(after: .zero) { self.fill(bytes) } }
    }

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array((String(bytes.count, radix: 16) + "\r\n").utf8) + bytes + Array("\r\n".utf8)
    }
}
