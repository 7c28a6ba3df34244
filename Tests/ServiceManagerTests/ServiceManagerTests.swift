import EventLoop
import Glibc
import Testing

@testable import ServiceManager

struct ServiceManagerTests {
    private let receiver = Receiver()

    private func manager(_ more: [String: String] = [:]) throws -> ServiceManager {
        try ServiceManager(variables: ["NOTIFY_SOCKET": receiver.name].merging(more) { $1 }, processID: 77)
    }

    /// Runs `body` on a loop of its own, which is shut down after `then`.
    private func onLoop(_ body: @escaping @Sendable (EventLoop) -> Void, then: () throws -> Void = {}) async throws {
        let loop = try EventLoop(name: "manager-test")
        defer { loop.shutdown() }
        await withCheckedContinuation { done in
            loop.execute {
                body(loop)
                done.resume()
            }
        }
        try then()
    }

    @Test func aServiceIsReadyReloadsAndStops() async throws {
        let manager = try manager()
        try await onLoop { loop in
            manager.ready(on: loop) { "2 tasks." }
            manager.reload {}
            manager.stopping()
        }
        #expect(receiver.next() == "READY=1\nMAINPID=77\nSTATUS=2 tasks.\n")
        let reload = receiver.next()
        #expect(reload.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        #expect(receiver.next() == "READY=1\nMAINPID=77\nSTATUS=2 tasks.\n")
        #expect(receiver.next() == "STOPPING=1\nSTATUS=Stopping.\n")
    }

    @Test func aWatchedServiceGivesSignsOfLifeAndItsNewStatus() async throws {
        let manager = try manager(["WATCHDOG_USEC": "2000"])
        let counter = Counter()
        try await onLoop({ loop in manager.ready(on: loop) { counter.next() < 3 ? "early" : "late" } }) {
            #expect(receiver.next().hasSuffix("STATUS=early\n"))
            #expect([receiver.next(), receiver.next(), receiver.next()] == ["WATCHDOG=1\n", "WATCHDOG=1\nSTATUS=late\n", "WATCHDOG=1\n"])
        }
    }

    @Test func aWatchdogOfAnotherProcessIsNotFed() async throws {
        let manager = try manager(["WATCHDOG_USEC": "2000", "WATCHDOG_PID": "76"])
        try await onLoop { loop in
            manager.ready(on: loop) { "" }
            manager.stopping()
        }
        _ = receiver.next()
        #expect(receiver.next().hasPrefix("STOPPING=1\n"))
    }

    @Test func whatTheManagerIsTooBusyForIsToldLater() async throws {
        let manager = try manager()
        let trouble = Counter()
        manager.onTrouble = { _ in _ = trouble.next() }
        let filler = try NotifySocket(try #require(NotifyAddress(receiver.name)))
        var filled = 0
        while (try? filler.send([1])) != nil { filled += 1 }
        try #require(filled > 0)
        try await onLoop({ loop in manager.ready(on: loop) { "" } }) {
            for _ in 0..<filled { #expect(receiver.next() == "\u{1}") }
            #expect(receiver.next().hasPrefix("READY=1\n"))
        }
        #expect(trouble.next() == 1)
    }

    @Test func aManagerThatIsGoneIsReportedOnce() async throws {
        let manager = try ServiceManager(variables: ["NOTIFY_SOCKET": "/nowhere/notify"], processID: 77)
        let trouble = Counter()
        manager.onTrouble = {
            #expect($0 == SystemError(call: "sendto", code: ENOENT))
            _ = trouble.next()
        }
        try await onLoop { loop in
            manager.ready(on: loop) { "" }
            manager.stopping()
        }
        #expect(trouble.next() == 2)
    }

    @Test func withoutAManagerNothingIsAskedAndReloadsStillHappen() async throws {
        let manager = try ServiceManager(variables: [:], processID: 77)
        let counter = Counter()
        try await onLoop { loop in
            manager.ready(on: loop) { "\(counter.next())" }
            manager.reload { _ = counter.next() }
            manager.stopping()
        }
        #expect(counter.next() == 2)
    }

    @Test func theManagersWordsAreTakenOutOfTheEnvironment() throws {
        var variables = ["LISTEN_FDNAMES": "a", "WATCHDOG_USEC": "5", "PATH": "/bin", "JOURNAL_STREAM": "8:9"]
        setenv("LISTEN_FDNAMES", "a", 1)
        _ = try ServiceManager.adopt(&variables)
        #expect(variables == ["PATH": "/bin", "JOURNAL_STREAM": "8:9"])
        #expect(getenv("LISTEN_FDNAMES") == nil)
    }

    @Test func aSocketThatListensElsewhereIsReplacedByAnOwnOne() async throws {
        // Descriptor 3 of the tests is whatever it is, but not this listener.
        let variables = ["LISTEN_PID": "77", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"]
        let manager = try ServiceManager(variables: variables, processID: 77)
        let loop = try EventLoop(name: "manager-test")
        defer { loop.shutdown() }
        let listener = try manager.listener(named: "control", at: SocketAddress("127.7.0.9:0"), on: loop)
        #expect(try #require(listener.address.port) > 0)
    }
}

/// Stands in for the service manager: a datagram socket with a name of its own.
private final class Receiver: Sendable {
    let name: String
    private let descriptor: Int32

    init() {
        var random = SystemRandomNumberGenerator()
        name = "@deck-manager-test-\(random.next() as UInt64)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // A test that waits in vain fails rather than hangs.
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = NotifyAddress(name)?.withNative { bind(descriptor, $0, $1) }
        precondition(code == 0)
    }

    deinit { close(descriptor) }

    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? "nothing" : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// Counts calls from 1.
///
/// `@unchecked Sendable`: used on one loop, and by the test after that loop has ended.
private final class Counter: @unchecked Sendable {
    private var count = 0
    func next() -> Int {
        count += 1
        return count
    }
}
