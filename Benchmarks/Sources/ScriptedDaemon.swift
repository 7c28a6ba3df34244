import Glibc
import JSON
import TLS
import WebSocket

/// An app-server for measuring: it answers what the node asks at the beginning, holds one thread, and says what it is told to say.
///
/// It blocks, as the rest of the peer does: a scheduler would only blur the times.
struct ScriptedDaemon {
    static let thread = "01a22b9c-7f88-7ca1-a2ae-a11a299ee82b"

    private let descriptor: Int32
    private var connection: WebSocketConnection

    /// Listens at `path`, waits for the node and takes it through its questions until it has subscribed to the thread.
    init(path: String) throws {
        descriptor = try Self.accept(at: path)
        connection = try Self.upgrade(descriptor)
        var isSubscribed = false
        while !isSubscribed {
            guard let question = try next() else { throw BenchmarkError("The node hung up on the scripted daemon.") }
            guard let method = question["method"]?.string else { continue }
            if method == "initialized" { try say(#"{"method":"thread/started","params":{"thread":\#(Self.record)}}"#) }
            guard let id = question["id"]?.int else { continue }
            try say(Self.answer(to: method, id: id))
            isSubscribed = method == "thread/resume"
        }
    }

    /// Sends a notification that the thread waits for approval or, the other time, for an answer.
    mutating func notify(waitsForApproval: Bool) throws {
        let flag = waitsForApproval ? "waitingOnApproval" : "waitingOnUserInput"
        let status = #"{"type":"active","activeFlags":["\#(flag)"]}"#
        try say(#"{"method":"thread/status/changed","params":{"threadId":"\#(Self.thread)","status":\#(status)}}"#)
    }

    private static let record =
        #"{"id":"\#(thread)","name":"Measured","preview":"","ephemeral":false,"status":{"type":"idle"},"cwd":"/","createdAt":1796000000,"updatedAt":1796000000}"#

    private static func answer(to method: String, id: Int64) -> String {
        let result =
            switch method {
            case "initialize": #"{"userAgent":"benchmark/1.0","codexHome":"/"}"#
            case "thread/list": #"{"data":[\#(record)],"readStates":{},"nextCursor":null}"#
            case "thread/loaded/list": #"{"data":["\#(thread)"]}"#
            case "thread/resume", "thread/read": #"{"thread":\#(record),"model":"m"}"#
            default: #"{"data":[]}"#
            }
        return #"{"id":\#(id),"result":\#(result)}"#
    }

    // MARK: Transport

    private static func accept(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard listener >= 0, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw BenchmarkError("No socket for the scripted daemon.") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard bound == 0, listen(listener, 1) == 0 else { throw BenchmarkError("The scripted daemon cannot listen at \(path).") }
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { throw BenchmarkError("Nobody came to the scripted daemon.") }
        return descriptor
    }

    private static func upgrade(_ descriptor: Int32) throws -> WebSocketConnection {
        var parser = UpgradeRequestParser()
        while true {
            parser.receive(try read(descriptor))
            guard let request = try parser.nextRequest() else { continue }
            let digest = try AcceptDigest()
            try write(request.acceptance(sha1: digest.sha1), to: descriptor)
            var connection = WebSocketConnection(role: .server, now: .now)
            connection.receive(parser.takeLeftover(), now: .now)
            return connection
        }
    }

    /// SHA-1 of a short text cannot fail once it has worked.
    private struct AcceptDigest {
        init() throws { _ = try Digest.sha1([]) }

        func sha1(_ bytes: [UInt8]) -> [UInt8] {
            do { return try Digest.sha1(bytes) } catch { return [] }
        }
    }

    private mutating func next() throws -> JSONValue? {
        while true {
            switch connection.nextEvent() {
            case .text(let bytes): return try JSONParser().parse(bytes)
            case .close, .failed: return nil
            case .binary, .ping, .pong: continue
            case nil: connection.receive(try Self.read(descriptor), now: .now)
            }
        }
    }

    private mutating func say(_ text: String) throws {
        try connection.send(text: Array(text.utf8))
        try Self.write(connection.takeOutput(), to: descriptor)
    }

    private static func read(_ descriptor: Int32) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else { throw BenchmarkError("The node left the scripted daemon.") }
        return Array(buffer[..<count])
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw BenchmarkError("The node does not take what the scripted daemon says.") }
    }
}
