import EventLoop
import JSON

@testable import CodexAppServer

/// A transport whose other end is the test.
final class PlayedTransport: MessageTransport {
    var onOpen: (() -> Void)?
    var onMessage: (([UInt8]) -> Void)?
    var onEnd: ((TransportEnd) -> Void)?
    var onSend: ((JSONValue) -> Void)?
    private(set) var sent: [JSONValue] = []
    private(set) var probes = 0
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    func start() { loop.later { self.onOpen?() } }

    func send(_ message: [UInt8]) {
        let value = json(String(decoding: message, as: UTF8.self))
        sent.append(value)
        loop.later { self.onSend?(value) }
    }

    func probe() { probes += 1 }
    func close() { end(.closedHere) }

    func end(_ reason: TransportEnd) {
        loop.later {
            let handler = self.onEnd
            (self.onOpen, self.onMessage, self.onEnd) = (nil, nil, nil)
            handler?(reason)
        }
    }
}

/// A connection over a transport that the test plays, and what was heard of it.
///
/// `@unchecked Sendable`: used on its loop only.
final class ConnectionLab: @unchecked Sendable {
    let loop: EventLoop
    let transport: PlayedTransport
    let connection: AppServerConnection
    let watcher: Watcher
    /// What the server does with what it is sent; the handshake is answered without it.
    var server: (ConnectionLab, JSONValue) -> Void = { _, _ in }
    private(set) var log: [String] = []
    private(set) var events: [AppServerEvent] = []
    private(set) var info: ServerInfo?
    private(set) var ends: [TransportEnd] = []
    var answersHandshake = true

    static func make(on loop: EventLoop, handshakeLimit: Duration = .seconds(60), _ setUp: @escaping @Sendable (ConnectionLab) -> Void = { _ in })
        async -> ConnectionLab
    {
        await onLoop(loop) {
            let lab = ConnectionLab(loop, handshakeLimit)
            setUp(lab)
            lab.connection.start()
            return lab
        }
    }

    /// One whose handshake is over.
    static func ready(on loop: EventLoop, _ setUp: @escaping @Sendable (ConnectionLab) -> Void = { _ in }) async -> ConnectionLab {
        let lab = await make(on: loop, setUp)
        await lab.wait { $0.info != nil }
        return lab
    }

    private init(_ loop: EventLoop, _ handshakeLimit: Duration) {
        self.loop = loop
        transport = PlayedTransport(loop)
        connection = AppServerConnection(transport, as: someClient, on: loop, handshakeLimit: handshakeLimit)
        watcher = Watcher(loop)
        transport.onSend = { [self] message in
            if message["method"] == "initialize", answersHandshake {
                say(#"{"id":1,"result":{"userAgent":"decknode/0.163.0 (x)","codexHome":"/c"}}"#)
            } else {
                server(self, message)
            }
            watcher.check()
        }
        connection.onReady = { [self] in
            info = $0
            note("ready")
        }
        connection.onEvent = { [self] in
            events.append($0)
            note("event")
        }
        connection.onEnd = { [self] in
            ends.append($0)
            note("end")
        }
    }

    func note(_ word: String) {
        log.append(word)
        watcher.check()
    }

    /// The server sends a message.
    func say(_ text: String) { transport.onMessage?(bytes(text)) }

    func wait(_ isReady: @escaping @Sendable (ConnectionLab) -> Bool) async { await watcher.wait { isReady(self) } }

    func holds(_ check: @escaping @Sendable (ConnectionLab) -> Bool) async -> Bool { await run(check) }

    /// Runs `body` on the loop.
    @discardableResult
    func run<Result: Sendable>(_ body: @escaping @Sendable (ConnectionLab) -> Result) async -> Result { await onLoop(loop) { body(self) } }

    /// Makes a call and waits for how it ends.
    func call<Answer>(_ call: AppServerCall<Answer>) async -> Result<Answer, AppServerError> {
        await withCheckedContinuation { done in
            loop.execute {
                self.connection.call(call) {
                    self.note("call")
                    done.resume(returning: $0)
                }
            }
        }
    }
}

extension JSONValue {
    var text: String { String(decoding: encoded(), as: UTF8.self) }
}
