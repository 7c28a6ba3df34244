import EventLoop
import Glibc
import JSON
import Testing

@testable import CodexAppServer

struct ProcessTransportTests {
    @Test func messagesAreLines() async throws {
        try await withLoop { loop in
            let ear = await TransportEar.start(on: loop) { ProcessTransport("/bin/cat", [], on: loop) }
            await ear.wait { $0.isOpen }
            let long = [UInt8](repeating: 0x61, count: 300_000)
            await ear.run {
                $0.transport.send(bytes("{\"a\":1}"))
                $0.transport.send(long)
                $0.transport.probe()
            }
            await ear.wait { $0.messages.count == 2 }
            #expect(await ear.run { $0.messages } == [bytes("{\"a\":1}"), long])
            await ear.run { $0.transport.close() }
            #expect(await ear.end() == .closedHere)
        }
    }

    @Test(arguments: [
        ("echo one; exit 3", "it exited with status 3"), ("echo one; kill -TERM $$", "signal 15 ended it"), ("echo one", "it exited with status 0"),
    ])
    func itsEndSaysWhy(script: String, reason: String) async throws {
        try await withLoop { loop in
            let ear = await TransportEar.start(on: loop) { ProcessTransport("/bin/sh", ["-c", script], on: loop) }
            #expect(await ear.end() == .lost(reason))
            #expect(await ear.run { $0.messages } == [bytes("one")])
        }
    }

    @Test func aProgramThatIsNotThereIsSaidSo() async throws {
        try await withLoop { loop in
            let ear = await TransportEar.start(on: loop) { ProcessTransport("/nowhere/codex", on: loop) }
            #expect(await ear.end() == .lost("\(ChildProcessError.notFound("/nowhere/codex"))"))
            #expect(await ear.holds { !$0.isOpen })
        }
    }

    /// It sees the end of its input and goes by itself.
    @Test func closingEndsTheProcess() async throws {
        try await withLoop { loop in
            let ear = await TransportEar.start(on: loop) { ProcessTransport("/bin/sh", ["-c", "echo $$; cat"], on: loop) }
            await ear.wait { $0.messages.count == 1 }
            let server = try #require(pid_t(String(decoding: await ear.run { $0.messages[0] }, as: UTF8.self)))
            await ear.run { $0.transport.close() }
            #expect(await ear.end() == .closedHere)
            while kill(server, 0) == 0 { await onLoop(loop) {} }
            await ear.run {
                $0.transport.send(bytes("late"))
                $0.transport.close()
                $0.transport.start()
            }
            #expect(await ear.run { $0.ends.count } == 1)
        }
    }

    @Test func linesThatAreTooLongAreDroppedAlone() async throws {
        try await withLoop { loop in
            let ear = await TransportEar.start(on: loop) {
                ProcessTransport("/bin/sh", ["-c", "echo 12345678901; echo ok"], environment: nil, directory: nil, on: loop, lineLimit: 10)
            }
            _ = await ear.end()
            #expect(await ear.run { $0.messages } == [bytes("ok")])
        }
    }

    /// A whole conversation with a server that is a script.
    @Test func carriesAConnection() async throws {
        try await withLoop { loop in
            let script = #"""
                read -r hello; echo '{"id":1,"result":{"userAgent":"x/0.163.0 (y)"}}'
                read -r ready; read -r call
                echo "{\"id\":2,\"result\":{\"data\":[\"01a22b92-b616-7573-b811-110cc6dce3bd\"]}}"; cat >/dev/null
                """#
            let result = await withCheckedContinuation { done in
                loop.execute {
                    let connection = AppServerConnection(ProcessTransport("/bin/sh", ["-c", script], on: loop), as: someClient, on: loop)
                    connection.onReady = { info in
                        #expect(info.version == "0.163.0")
                        connection.call(.loadedThreads()) { result in
                            connection.close()
                            done.resume(returning: result)
                        }
                    }
                    connection.start()
                }
            }
            #expect(result == .success([thread]))
        }
    }
}

/// A transport and what was heard of it. `@unchecked Sendable`: used on its loop only.
final class TransportEar: @unchecked Sendable {
    let transport: any MessageTransport
    private(set) var isOpen = false
    private(set) var messages: [[UInt8]] = []
    private(set) var ends: [TransportEnd] = []
    private let watcher: Watcher
    private let loop: EventLoop

    static func start(on loop: EventLoop, _ make: @escaping @Sendable () -> any MessageTransport) async -> TransportEar {
        await onLoop(loop) {
            let ear = TransportEar(make(), loop)
            ear.transport.start()
            return ear
        }
    }

    private init(_ transport: any MessageTransport, _ loop: EventLoop) {
        self.transport = transport
        self.loop = loop
        watcher = Watcher(loop)
        transport.onOpen = { [self] in
            isOpen = true
            watcher.check()
        }
        transport.onMessage = { [self] in
            messages.append($0)
            watcher.check()
        }
        transport.onEnd = { [self] in
            ends.append($0)
            watcher.check()
        }
    }

    func wait(_ isReady: @escaping @Sendable (TransportEar) -> Bool) async { await watcher.wait { isReady(self) } }

    func holds(_ check: @escaping @Sendable (TransportEar) -> Bool) async -> Bool { await run(check) }

    @discardableResult
    func run<Result: Sendable>(_ body: @escaping @Sendable (TransportEar) -> Result) async -> Result { await onLoop(loop) { body(self) } }

    func end() async -> TransportEnd? {
        await wait { !$0.ends.isEmpty }
        return await run { $0.ends.first }
    }
}
