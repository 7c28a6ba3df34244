import EventLoop
import Glibc
import Log
import Synchronization
import Testing

@testable import Discovery

/// What happens on a computer without a bus. The working case needs a daemon and is tested in network namespaces.
@Suite(.serialized) struct MissingDaemonTests {
    /// Before the D-Bus library looks: these tests must never reach a real daemon.
    static let hidesBus = setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1) == 0

    final class Lines: LogSink {
        let records = Mutex<[LogRecord]>([])
        func write(_ record: LogRecord) { records.withLock { $0.append(record) } }
    }

    let loop: EventLoop
    let lines = Lines()

    init() throws {
        try #require(Self.hidesBus)
        loop = try EventLoop(name: "test")
    }

    @Test func publisherSaysItOnceAndGoesOn() async throws {
        let (states, continuation) = AsyncStream.makeStream(of: ServicePublisher.State.self)
        let publisher = ServicePublisher(loop: loop, log: Logger(sink: lines)) { continuation.yield($0) }
        await publisher.publish(try Fixture.record(), interfaceIndex: 1)
        var iterator = states.makeAsyncIterator()
        guard case .unavailable = await iterator.next() else { return #expect(Bool(false), "expected unavailable") }
        await publisher.publish(try Fixture.record(port: 50000), interfaceIndex: 1)
        #expect(lines.records.withLock { $0.map(\.level) } == [.warning])
        await publisher.withdraw()
        #expect(await iterator.next() == .idle)
        await publisher.publish(try Fixture.record(), interfaceIndex: 1)
        guard case .unavailable = await iterator.next() else { return #expect(Bool(false), "expected unavailable") }
        #expect(lines.records.withLock { $0.count } == 1)
        loop.shutdown()
    }

    @Test func browserSaysItOnceAndGoesOn() async throws {
        let (states, continuation) = AsyncStream.makeStream(of: ServiceBrowser.State.self)
        let browser = ServiceBrowser(
            loop: loop, log: Logger(sink: lines), onState: { continuation.yield($0) }, onEvent: { _ in #expect(Bool(false), "nothing to find") })
        await browser.start()
        await browser.start()
        var iterator = states.makeAsyncIterator()
        guard case .unavailable = await iterator.next() else { return #expect(Bool(false), "expected unavailable") }
        #expect(await browser.records.isEmpty)
        await browser.stop()
        #expect(await iterator.next() == .idle)
        #expect(lines.records.withLock { $0.count } == 1)
        loop.shutdown()
    }

    @Test func canBeDroppedAtAnyTime() async throws {
        for _ in 0..<20 {
            let publisher = ServicePublisher(loop: loop)
            let browser = ServiceBrowser(loop: loop, onEvent: { _ in })
            await publisher.publish(try Fixture.record(), interfaceIndex: 1)
            await browser.start()
        }
        loop.shutdown()
    }
}
