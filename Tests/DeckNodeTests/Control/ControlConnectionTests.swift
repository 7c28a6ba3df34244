import EventLoop
import Glibc
import JSON
import Testing

@testable import DeckNode

/// A command at the control socket, from both ends.
struct ControlConnectionTests {
    /// The command's end: writes lines, and reads them one by one. Blocking, with a limit.
    private struct Asker: ~Copyable {
        let descriptor: CInt

        deinit { close(descriptor) }

        func send(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } }
        func send(_ request: ControlRequest) { send(request.line) }

        /// The next line; `nil` when the connection has ended.
        func line() -> [UInt8]? {
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) == 1 {
                if byte == 0x0a { return line }
                line.append(byte)
            }
            return nil
        }

        func text() -> String { line().map { String(decoding: $0, as: UTF8.self) } ?? "the end" }
    }

    /// Holds what handlers kept; touched on the loop only.
    private final class Kept: @unchecked Sendable {
        var exchanges: [ControlExchange] = []
        var replies: [@Sendable (ControlReply) -> Void] = []
        var closed = 0
        var said: [String] = []
    }

    private let loop: EventLoop
    private let kept = Kept()
    /// Something was kept.
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    init() throws {
        loop = try EventLoop(name: "control-test")
        (changes, change) = AsyncStream<Void>.makeStream()
    }

    private func connect() throws -> Asker {
        var ends: [CInt] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let server = ends[0], loop = loop, kept = kept, change = change
        _ = fcntl(server, F_SETFL, O_NONBLOCK)
        loop.execute {
            ControlConnection(
                socket: StreamSocket(adopting: server, on: loop),
                handler: { request, reply in
                    if request.command == "later" {
                        kept.replies.append(reply)
                        change.yield()
                        return
                    }
                    reply(.success(.string("\(request.command) \(request.arguments["text"]?.string?.utf8.count ?? 0)")))
                },
                streams: { request, exchange in
                    guard request.command.hasPrefix("stream") else { return false }
                    kept.exchanges.append(exchange)
                    exchange.onClose = {
                        kept.closed += 1
                        change.yield()
                    }
                    if request.command == "stream-hears" {
                        exchange.onRequest = {
                            kept.said.append($0.command)
                            change.yield()
                        }
                    }
                    exchange.event("begun")
                    change.yield()
                    return true
                }
            ).start()
        }
        return Asker(descriptor: ends[1])
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value { await loop.value(of: body) }

    /// Waits for what another thread does.
    private func wait(_ condition: @escaping @Sendable () -> Bool) async {
        if await onLoop(condition) { return }
        for await _ in changes where await onLoop(condition) { return }
    }

    @Test func anEventStreamEndsWithItsReplyAndTheNextRequestIsAnswered() async throws {
        let asker = try connect(), kept = kept
        asker.send(ControlRequest("stream"))
        asker.send(ControlRequest("after"))
        #expect(asker.text() == #"{"event":"begun"}"#)
        await onLoop {
            kept.exchanges[0].event(.number(2))
            kept.exchanges[0].finish(.success(.bool(true)))
            kept.exchanges[0].event("too late")
            kept.exchanges[0].finish(.failure("twice"))
        }
        #expect(asker.text() == #"{"event":2}"#)
        #expect(asker.text() == #"{"result":true}"#)
        #expect(asker.text() == #"{"result":"after 0"}"#)
        loop.shutdown()
    }

    @Test func requestsAreAnsweredInTheirOrder() async throws {
        let asker = try connect(), kept = kept
        asker.send(ControlRequest("later").line + ControlRequest("second").line)
        await wait { kept.replies.count == 1 }
        await onLoop { kept.replies[0](.success("first")) }
        #expect(asker.text() == #"{"result":"first"}"#)
        #expect(asker.text() == #"{"result":"second 0"}"#)
        loop.shutdown()
    }

    @Test func whatIsSaidMeanwhileReachesTheStream() async throws {
        let asker = try connect(), kept = kept
        asker.send(ControlRequest("stream-hears"))
        #expect(asker.text() == #"{"event":"begun"}"#)
        asker.send(ControlRequest("one").line + Array("no json\n".utf8) + ControlRequest("two").line)
        await wait { kept.said == ["one", "two"] }
        loop.shutdown()
    }

    @Test func theEndOfTheConnectionCallsTheStreamOffOnce() async throws {
        let kept = kept
        do {
            let asker = try connect()
            asker.send(ControlRequest("stream"))
            #expect(asker.text() == #"{"event":"begun"}"#)
        }
        await wait { kept.closed == 1 }
        await onLoop { kept.exchanges[0].finish(.success(.null)) }
        #expect(await onLoop { kept.closed } == 1)
        loop.shutdown()
    }

    @Test func aFinishedStreamIsNotCalledOff() async throws {
        let kept = kept
        do {
            let asker = try connect()
            asker.send(ControlRequest("stream"))
            #expect(asker.text() == #"{"event":"begun"}"#)
            await onLoop { kept.exchanges[0].finish(.success(.null)) }
            #expect(asker.text() == #"{"result":null}"#)
        }
        let other = try connect()
        other.send(ControlRequest("x"))
        #expect(other.text() == #"{"result":"x 0"}"#)
        #expect(await onLoop { kept.closed } == 0)
        loop.shutdown()
    }

    @Test func aLongRequestIsReadElsewhereAndAnswered() async throws {
        let asker = try connect()
        let line = ControlRequest("long", ["text": .string(String(repeating: "x", count: 3_000_000))]).line
        asker.send(line)
        #expect(asker.text() == #"{"result":"long 3000000"}"#)
        loop.shutdown()
    }

    @Test(arguments: ["nonsense\n", "\n", "{}\n", #"{"command":7}"# + "\n"])
    func nonsenseIsAnsweredWithARefusal(line: String) async throws {
        let asker = try connect()
        asker.send(Array(line.utf8))
        #expect(asker.text() == #"{"error":"The request could not be read."}"#)
        asker.send(ControlRequest("x"))
        #expect(asker.text() == #"{"result":"x 0"}"#)
        loop.shutdown()
    }

    @Test func tooManyWaitingRequestsEndTheConnection() async throws {
        let asker = try connect()
        asker.send(ControlRequest("stream"))
        #expect(asker.text() == #"{"event":"begun"}"#)
        let kept = kept
        for _ in 0...ControlConnection.maximumWaiting { asker.send(ControlRequest("x")) }
        #expect(asker.text() == "the end")
        await wait { kept.closed == 1 }
        loop.shutdown()
    }

    @Test func anAskerWhoDoesNotReadIsDroppedBeforeItHurts() async throws {
        let asker = try connect(), kept = kept
        asker.send(ControlRequest("stream"))
        await wait { kept.exchanges.count == 1 }
        let piece = JSONValue.string(String(repeating: "x", count: 1 << 20))
        await onLoop { for _ in 0..<12 { kept.exchanges[0].event(piece) } }
        await wait { kept.closed == 1 }
        _ = asker.descriptor
        loop.shutdown()
    }
}
