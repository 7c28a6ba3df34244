import Glibc
import Synchronization
import Testing

@testable import EventLoop

struct EventLoopTests {
    @Test func actorsRunOnTheLoopThread() async throws {
        try await withLoop { loop in
            let worker = Worker(loop)
            #expect(await worker.isOnLoop)
            #expect(await worker.addTwice(4) == 8)
        }
    }

    @Test func handlersMayAssumeIsolation() async throws {
        try await withLoop { loop in
            let worker = Worker(loop)
            await withCheckedContinuation { done in
                loop.execute { loop.schedule(after: .zero) { worker.assumeIsolated { $0.total += 5 }; done.resume() } }
            }
            #expect(await worker.total == 5)
        }
    }

    @Test func knowsWhetherItIsolatesTheCaller() async throws {
        try await withLoop { loop in
            #expect(loop.isIsolatingCurrentContext() == false)
            #expect(await onLoop(loop) { loop.isIsolatingCurrentContext() } == true)
        }
    }

    @Test func trapsOffTheLoop() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop(name: "test")
            loop.schedule(after: .zero) {}
        }
    }

    @Test func keepsTheOrderOfOneThread() async throws {
        try await withLoop { loop in
            let seen = Mutex<[Int]>([])
            for index in 0..<1000 { loop.execute { seen.withLock { $0.append(index) } } }
            await settle(loop)
            #expect(seen.withLock { $0 } == Array(0..<1000))
        }
    }

    @Test func loseNoJobInAStormFromManyThreads() async throws {
        try await withLoop { loop in
            let count = Counter()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        for _ in 0..<1000 {
                            loop.execute { count.increment() }
                        }
                    }
                }
            }
            await settle(loop)
            #expect(count.value == 10_000)
        }
    }

    @Test func loseNoActorHopInAStorm() async throws {
        try await withLoop { loop in
            let worker = Worker(loop)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10_000 { group.addTask { await worker.add(1) } }
            }
            #expect(await worker.total == 10_000)
        }
    }

    @Test func wakesFromSleepForEachJob() async throws {
        try await withLoop { loop in
            for _ in 0..<200 { await settle(loop) }
        }
    }

    /// A chain of hops longer than one batch must not keep a descriptor waiting for its end.
    @Test func endlessJobsDoNotStarveDescriptors() async throws {
        try await withLoop { loop in
            let pipe = try Pipe()
            let stop = Counter()
            await withCheckedContinuation { done in
                loop.execute {
                    @Sendable func again() { if stop.value == 0 { loop.execute { again() } } }
                    again()
                    let watch = Box<Watch>()
                    watch.value = try? loop.watch(pipe.reader, .readable) { _ in
                        watch.value?.cancel()
                        stop.increment()
                        done.resume()
                    }
                    pipe.put(1)
                }
            }
        }
    }

    @Test func shutdownRunsWhatIsQueuedAndDropsTheRest() async throws {
        let loop = try EventLoop(name: "test")
        let ran = Counter()
        var canary: Canary? = Canary()
        let gone = canary?.gone
        loop.execute { [canary] in
            loop.schedule(after: .seconds(3600)) { canary?.touch() }
            for _ in 0..<10 { loop.execute { ran.increment() } }
        }
        canary = nil
        loop.shutdown()
        loop.shutdown()
        #expect(ran.value == 10)
        #expect(gone?.isSet == true)
    }

    @Test func shutdownFromTheLoopItself() async throws {
        let loop = try EventLoop(name: "test")
        await withCheckedContinuation { done in
            loop.execute {
                loop.shutdown()
                done.resume()
            }
        }
        #expect(await onLoop(loop) { (try? loop.watch(0, .readable) { _ in }) == nil })
    }

    @Test func actorsOutliveTheirLoop() async throws {
        let loop = try EventLoop(name: "test")
        let worker = Worker(loop)
        loop.shutdown()
        for _ in 0..<50 { await worker.add(1) }
        #expect(await worker.total == 50)
        #expect(await worker.isOnLoop)
    }

    @Test func theThreadIsNamedWithinFifteenBytes() async throws {
        try await withLoop(name: "a-name-that-is-too-long") { loop in
            await settle(loop)
            #expect(entries("/proc/self/task").contains { line("/proc/self/task/\($0)/comm") == "a-name-that-is-" })
        }
    }
}

/// An actor that lives on a loop.
actor Worker {
    nonisolated let loop: EventLoop
    var total = 0

    init(_ loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    var isOnLoop: Bool { loop.isOnLoop }

    func add(_ amount: Int) { total += amount }

    func addTwice(_ amount: Int) async -> Int {
        add(amount)
        await Task.yield()
        add(amount)
        return total
    }
}
