import EventLoop
import JSON
import Synchronization
import TLS
import WebSocket

/// A daemon on a real unix socket that says what a test wrote for it.
///
/// `@unchecked Sendable`: its connection is used on its loop only; the rest is guarded.
final class AppServerScript: @unchecked Sendable {
    struct Call: Sendable {
        var id: JSONValue
        var method: String
        var params: JSONValue

        func result(_ value: JSONValue = [:]) -> JSONValue { ["id": id, "result": value] }

        func error(_ message: String, code: Int = -32600, reason: String? = nil) -> JSONValue {
            ["id": id, "error": ["code": .number(Double(code)), "message": .string(message), "data": ["reason": reason.map { .string($0) } ?? .null]]]
        }

        var thread: String { params["threadId"]?.string ?? "" }
    }

    /// What is sent in answer to a call, all in one packet.
    typealias Part = @Sendable (Call) -> [JSONValue]

    /// The requests that came in, the handshake left out.
    let calls = Journal<Call>()
    /// What this daemon's own requests were answered with.
    let answers = Journal<JSONValue>()
    private let parts = Mutex<[String: Part]>([:])
    private let loop: EventLoop
    private let path: String
    private var listener: StreamListener?
    private var socket: StreamSocket?
    private var parser = UpgradeRequestParser()
    private var webSocket: WebSocketConnection?

    /// - Parameter codexHome: A folder of the test's own, which the socket is made in.
    init(codexHome: TestFolder, loop: EventLoop) async throws {
        self.loop = loop
        path = codexHome.makeFolder("app-server-control") + "/app-server-control.sock"
        on("initialize") { [$0.result(["userAgent": "test/0.163.0 (Debian)", "codexHome": "/nowhere"])] }
        try await listen()
    }

    /// From now on calls of `method` are answered by `part`.
    func on(_ method: String, _ part: @escaping Part) { parts.withLock { $0[method] = part } }

    /// The next call of `method` that no one took yet.
    @discardableResult
    func call(_ method: String) async -> Call { await calls.take { $0.method == method } }

    /// How often `method` was called without anybody taking it.
    func untaken(_ method: String) -> Int { calls.rest.count { $0.method == method } }

    /// Sends messages, all in one packet.
    func say(_ messages: JSONValue...) async {
        await loop.value { () throws(Never) in self.send(messages) }
    }

    /// Ends as a killed daemon does. Its socket goes with it unless `comesBack`.
    func die(comesBack: Bool = false) async {
        await loop.value { () throws(Never) in
            if !comesBack { self.listener?.close() }
            self.socket?.close()
            self.socket = nil
        }
    }

    private func listen() async throws {
        try await loop.value { () throws(any Error) in
            let listener = try StreamListener(SocketAddress(unixPath: self.path), on: self.loop)
            listener.onAccept = { [weak self] in self?.accept($0) }
            try listener.start()
            self.listener = listener
        }
    }

    private func accept(_ socket: StreamSocket) {
        (parser, webSocket, self.socket) = (UpgradeRequestParser(), nil, socket)
        socket.onBytes = { [weak self] in self?.receive($0) }
        socket.start()
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard webSocket != nil else {
            parser.receive(bytes)
            guard let request = try? parser.nextRequest() else { return }
            socket?.write(request.acceptance { (try? Digest.sha1($0)) ?? [] })
            webSocket = WebSocketConnection(role: .server, now: .now)
            return
        }
        webSocket?.receive(bytes, now: .now)
        while let event = webSocket?.nextEvent() {
            guard case .text(let text) = event, let message = try? JSONParser().parse(text) else { continue }
            send(answer(message))
        }
        // What a ping is answered with.
        send([])
    }

    private func answer(_ message: JSONValue) -> [JSONValue] {
        guard let method = message["method"]?.string else {
            answers.add(message)
            return []
        }
        // The word that the handshake is over has no id.
        guard let id = message["id"] else { return [] }
        let call = Call(id: id, method: method, params: message["params"] ?? .null)
        let part = parts.withLock { $0[method] }
        if method != "initialize" { calls.add(call) }
        return part?(call) ?? []
    }

    private func send(_ messages: [JSONValue]) {
        for message in messages { try? webSocket?.send(text: message.encoded()) }
        if let output = webSocket?.takeOutput(), !output.isEmpty { socket?.write(output) }
    }
}
