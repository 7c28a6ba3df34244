import CLinux
import EventLoop
import Glibc
import Log
import RelayProtocol
import Synchronization
import Testing

@testable import CodexRollouts

struct WatchingTests {
    private let home = Home()

    /// Refuses what a test wants refused, and loses events on demand.
    private final class Stingy: WatchSystem {
        let inner: Inotify
        var remaining: Int
        var code = ENOSPC
        var loses = false

        init(remaining: Int) throws {
            inner = try Inotify()
            self.remaining = remaining
        }

        var descriptor: Int32 { inner.descriptor }
        func add(_ path: String, mask: UInt32) throws(FileFailure) -> Int32 {
            guard remaining > 0 else { throw FileFailure(code: code) }
            let watch = try inner.add(path, mask: mask)
            remaining -= 1
            return watch
        }
        func remove(_ watch: Int32) {
            inner.remove(watch)
            remaining += 1
        }
        func read() -> [WatchEvent] {
            let events = inner.read()
            return loses && !events.isEmpty ? [WatchEvent(watch: -1, mask: UInt32(IN_Q_OVERFLOW), name: "")] : events
        }
    }

    @Test func readsTheKernelsRecords() {
        func record(_ watch: Int32, _ mask: UInt32, _ name: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: (watch, mask, UInt32(0), UInt32(name.count))) { Array($0) } + name
        }
        let bytes = record(3, 2, Array("file\0\0\0\0".utf8)) + record(4, 0x400, []) + record(5, 1, [0xff, 0x41, 0, 0])
        let events = bytes.withUnsafeBytes { WatchEvent.parse($0) }
        #expect(events.map(\.watch) == [3, 4, 5])
        #expect(events.map(\.name) == ["file", "", "\u{fffd}A"])
        for length in 0..<bytes.count { #expect(bytes[..<length].withUnsafeBytes { WatchEvent.parse($0) }.count <= 3) }
        let lying = record(3, 2, []).dropLast(4) + [0xff, 0xff, 0xff, 0xff]
        #expect(Array(lying).withUnsafeBytes { WatchEvent.parse($0) }.isEmpty)
    }

    @Test func lostEventsAreMadeUpForByLookingAtEverything() throws {
        home.write(1, Lines.turn(from: 1))
        home.write(2, Lines.turn(from: 1))
        let system = try Stingy(remaining: 1000)
        let index = home.index(watcher: RolloutWatcher(system: system))
        _ = index.start(now: Lines.time(9))
        system.loses = true
        home.append(1, [Lines.started(at: 10)])
        unlink(home.file(2))
        home.write(3, [Lines.started(at: 10)], day: "2026/12/01")
        let changes = index.processEvents(now: Lines.time(10))
        #expect(changes.session(1)?.lifecycle == .working)
        #expect(changes.session(3)?.lifecycle == .working)
        #expect(changes.contains(.gone(Lines.identity(2), .deleted)))
        system.loses = false
        home.append(3, [Lines.complete(at: 11)], day: "2026/12/01")
        #expect(index.processEvents(now: Lines.time(11)).session(3) != nil)
    }

    @Test("Refused watches make it look every few seconds, and say so", arguments: [0, 1, 3, 4])
    func pollsWhenWatchesAreRefused(allowed: Int) throws {
        home.write(1, Lines.turn(from: 1))
        let system = try Stingy(remaining: allowed)
        let index = home.index(watcher: RolloutWatcher(system: system))
        #expect(index.start(now: Lines.time(9)).session(1) != nil)
        #expect(index.statistics.pollingReason?.contains("No space left on device") == true)
        #expect(index.nextDeadline(now: Lines.time(9)) == Lines.time(19))
        home.append(1, [Lines.started(at: 10)])
        #expect(index.handleTimeout(now: Lines.time(19)).session(1)?.lifecycle == .working)
        #expect(index.nextDeadline(now: Lines.time(19)) == Lines.time(29))
        // Room again: the next look goes back to watching.
        system.remaining = 1000
        _ = index.handleTimeout(now: Lines.time(29))
        #expect(index.statistics.pollingReason == nil)
        home.append(1, [Lines.complete(at: 30)])
        #expect(index.processEvents(now: Lines.time(30)).session(1) != nil)
    }

    @Test func pollsWithoutAnyInstance() {
        home.write(1, Lines.turn(from: 1))
        let index = home.index(watcher: RolloutWatcher(system: nil, refusal: FileFailure(code: EMFILE)))
        _ = index.start(now: Lines.time(9))
        #expect(index.watcher.descriptor == -1)
        home.append(1, [Lines.started(at: 10)])
        #expect(index.handleTimeout(now: Lines.time(19)).session(1)?.lifecycle == .working)
        #expect(index.statistics.pollingReason?.contains("Too many open files") == true)
    }

    @Test("A missing home is waited for", arguments: ["", "a/b/c"])
    func waitsForTheHome(deeper: String) {
        let home = Home(exists: false)
        let path = deeper.isEmpty ? home.path : home.base + "/" + deeper + "/home"
        let index = RolloutIndex(home: path)
        #expect(index.start(now: Lines.time(1)).isEmpty)
        #expect(!index.statistics.homeExists)
        #expect(index.nextDeadline(now: Lines.time(1)) == nil)
        home.put(home.base + "/unrelated", "")
        #expect(index.processEvents(now: Lines.time(1)).isEmpty)
        home.make(deeper)
        _ = index.processEvents(now: Lines.time(1))
        home.make((deeper.isEmpty ? "" : deeper + "/") + "home/sessions/2026/11/30")
        _ = index.processEvents(now: Lines.time(1))
        home.put(path + "/sessions/2026/11/30/" + home.fileName(1), Lines.meta(Lines.identity(1)) + "\n")
        #expect(index.processEvents(now: Lines.time(2)).session(1) != nil)
        #expect(index.statistics.homeExists)
    }

    @Test func aHomeThatIsReplacedIsFollowedAgain() {
        home.write(1, Lines.turn(from: 1))
        let index = home.index()
        _ = index.start(now: Lines.time(9))
        rename(home.path, home.base + "/old")
        let gone = index.processEvents(now: Lines.time(9))
        #expect(gone == [.gone(Lines.identity(1), .deleted)])
        #expect(!index.statistics.homeExists)
        home.write(2, Lines.turn(from: 2))
        #expect(index.processEvents(now: Lines.time(9)).session(2) != nil)
    }

    @Test func aDayThatIsDeletedTakesItsSessionsAlong() {
        home.write(1, Lines.turn(from: 1))
        home.write(2, Lines.turn(from: 1), day: "2026/11/29")
        let index = home.index()
        _ = index.start(now: Lines.time(9))
        rename(home.path + "/sessions/2026/11/29", home.base + "/elsewhere")
        #expect(index.processEvents(now: Lines.time(9)) == [.gone(Lines.identity(2), .deleted)])
        #expect(index.sessions.count == 1)
    }

    @Test func whatCannotBeReadIsCountedAndTheRestGoesOn() {
        home.write(1, Lines.turn(from: 1))
        mkfifo(home.file(2), 0o600)
        home.put(home.file(3) + ".zst", "no zstd")
        symlink("nowhere", home.file(4))
        let index = home.index()
        _ = index.start(now: Lines.time(9))
        _ = index.handleTimeout(now: Lines.time(9))
        #expect(index.sessions.count == 1)
        #expect(index.statistics.unreadable == ["the compressed data is damaged": 1])
        #expect(index.nextDeadline(now: Lines.time(9)) == nil)
        unlink(home.file(3) + ".zst")
        _ = index.processEvents(now: Lines.time(9))
        #expect(index.statistics.unreadable.isEmpty)
    }

    @Test func aForbiddenFileIsReadOnceItIsAllowed() {
        home.write(1, Lines.turn(from: 1))
        home.write(2, Lines.turn(from: 1))
        chmod(home.file(1), 0)
        chmod(home.file(2), 0o644)
        let index = home.index()
        asNobody {
            #expect(index.start(now: Lines.time(9)).session(2) != nil)
            #expect(index.sessions.count == 1)
            #expect(index.statistics.unreadable == ["Permission denied": 1])
        }
        chmod(home.file(1), 0o644)
        asNobody { #expect(index.processEvents(now: Lines.time(9)).session(1) != nil) }
        #expect(index.statistics.unreadable.isEmpty)
    }

    /// Reads as a user without rights while `body` runs, on this thread only: root may read everything.
    private func asNobody(_ body: () -> Void) {
        typealias Call = @convention(c) (UInt32) -> Int32
        let setfsuid = unsafeBitCast(dlsym(nil, "setfsuid"), to: Call.self)
        let user = UInt32(setfsuid(65534))
        body()
        _ = setfsuid(user)
    }

    @Test(.timeLimit(.minutes(1)))
    func theSourceReportsOnItsLoop() async throws {
        home.write(1, [Lines.started(at: 1)])
        let loop = try EventLoop(name: "rollouts")
        let (changes, sink) = AsyncStream.makeStream(of: [RolloutChange].self)
        let source = RolloutSource(codexHome: home.path, loop: loop, log: .silent, now: { Lines.time(9) }) { changes in
            loop.preconditionOnLoop()
            sink.yield(changes)
        }
        await source.start()
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.session(1)?.lifecycle == .working)
        home.append(1, [Lines.complete(at: 5)])
        #expect(await iterator.next()?.session(1)?.activityAt == Lines.time(5))
        home.write(2, Lines.turn(from: 6), day: "2026/12/01")
        var second: RolloutSession?
        while second == nil { second = await iterator.next()?.session(2) }
        #expect(await source.sessions.count == 2)
        #expect(await source.session(Lines.identity(2))?.state.preview == "hello")
        #expect(await source.statistics.liveFiles == 2)
        await source.stop()
        loop.shutdown()
    }
}
