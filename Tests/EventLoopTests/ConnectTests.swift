import Glibc
import Testing

@testable import EventLoop

struct ConnectTests {
    /// The port stays bound, so that no other program can take it meanwhile.
    @Test(arguments: ["127.0.0.1:0", "[::1]:0"]) func nobodyListeningIsRefused(text: String) async throws {
        try await withLoop { loop in
            let any = try SocketAddress(text)
            let silent = socket(any.family, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(silent) }
            #expect(any.withNative { bind(silent, $0, $1) } == 0)
            let address = try #require(SocketAddress.local(of: silent))
            await #expect(throws: ConnectError.refused(address)) {
                try await StreamSocket.connect(to: address, timeout: .seconds(10), on: loop)
            }
        }
    }

    @Test func aMissingSocketFileIsRefused() async throws {
        try await withLoop { loop in
            let address = try SocketAddress(unixPath: "/tmp/no-such-folder-here/s")
            await #expect(throws: ConnectError.refused(address)) {
                try await StreamSocket.connect(to: address, timeout: .seconds(10), on: loop)
            }
        }
    }

    @Test func aFileWithoutAListenerIsRefused() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let address = try SocketAddress(unixPath: folder.path + "/s")
            let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #expect(address.withNative { bind(dead, $0, $1) } == 0)
            close(dead)
            await #expect(throws: ConnectError.refused(address)) {
                try await StreamSocket.connect(to: address, timeout: .seconds(10), on: loop)
            }
        }
    }

    /// A listener whose backlog is full drops what comes, as an unreachable computer does.
    @Test(arguments: [Family.ipv4, .unix]) func aListenerThatNeverAcceptsTimesOut(family: Family) async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let listener = try StreamListener(family.address(in: folder), backlog: 1, on: loop)
            var sockets: [StreamSocket] = []
            var failure: ConnectError?
            while failure == nil && sockets.count < 10 {
                do throws(ConnectError) {
                    sockets.append(try await StreamSocket.connect(to: listener.address, timeout: .milliseconds(60), on: loop))
                } catch {
                    failure = error
                }
            }
            #expect(failure == .timedOut(listener.address))
            await onLoop(loop) { [sockets] in
                for socket in sockets { socket.close() }
                listener.close()
            }
        }
    }

    @Test func aFullUnixBacklogIsTriedAgain() async throws {
        try await withLoop { loop in
            let folder = try TemporaryFolder()
            let listener = try StreamListener(SocketAddress(unixPath: folder.path + "/s"), backlog: 1, on: loop)
            let raw = try (0..<2).map { _ in try rawConnect(listener.address) }
            async let third = StreamSocket.connect(to: listener.address, timeout: .seconds(20), on: loop)
            await turns(loop, 3)
            await onLoop(loop) { do { try listener.start() } catch { Issue.record(error) } }
            #expect(try await third.isOpen)
            for descriptor in raw { close(descriptor) }
            await onLoop(loop) { listener.close() }
        }
    }

    @Test func aCancelledAttemptIsSilent() async throws {
        try await withLoop { loop in
            let listener = try StreamListener(SocketAddress("127.0.0.1:0"), on: loop)
            let called = Counter()
            await onLoop(loop) {
                let attempt = StreamSocket.connect(to: listener.address, timeout: .milliseconds(2), on: loop) { _ in
                    called.increment()
                }
                attempt.cancel()
                attempt.cancel()
            }
            await turns(loop, 4)
            #expect(called.value == 0)
            await onLoop(loop) { listener.close() }
        }
    }

    @Test func theLoopsEndEndsAnAttempt() async throws {
        let loop = try EventLoop(name: "test")
        let folder = try TemporaryFolder()
        let listener = try StreamListener(SocketAddress(unixPath: folder.path + "/s"), backlog: 1, on: loop)
        let raw = try (0..<2).map { _ in try rawConnect(listener.address) }
        let third = Task { try await StreamSocket.connect(to: listener.address, timeout: .seconds(60), on: loop) }
        await turns(loop, 2)
        loop.shutdown()
        await #expect(throws: ConnectError.system(SystemError(call: "connect", code: ECANCELED), listener.address)) {
            try await third.value
        }
        await #expect(throws: ConnectError.self) {
            try await StreamSocket.connect(to: listener.address, timeout: .seconds(60), on: loop)
        }
        for descriptor in raw { close(descriptor) }
    }

    @Test func errorsSayWhatToDo() throws {
        let address = try SocketAddress("127.0.0.1:9")
        #expect(ConnectError.from("connect", ECONNREFUSED, address).description.hasPrefix("Nothing is listening on 127.0.0.1:9"))
        #expect(ConnectError.from("connect", ETIMEDOUT, address) == .timedOut(address))
        #expect(ConnectError.from("connect", EHOSTUNREACH, address) == .unreachable(address))
        #expect(ConnectError.from("connect", ENETUNREACH, address) == .unreachable(address))
        #expect(ConnectError.from("connect", EACCES, address) == .permission(address))
        #expect(ConnectError.from("connect", EMFILE, address).description.contains("errno 24"))
    }
}
