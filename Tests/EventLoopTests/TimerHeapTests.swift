import Testing

@testable import EventLoop

struct TimerHeapTests {
    private let base = ContinuousClock.Instant.now

    @Test func popsByDeadlineAndThenByAge() async throws {
        try await withLoop { loop in
            var heap = TimerHeap()
            var random = SplitMix(seed: 7)
            var expected: [(Int, Int)] = []
            for index in 0..<500 {
                let delay = Int(random.next() % 50)
                expected.append((delay, index))
                heap.insert(timer(loop, delay))
            }
            expected.sort { $0 < $1 }
            var popped: [(Int, Int)] = []
            while let timer = heap.popDue(now: base + .seconds(100), before: .max) {
                popped.append((Int((timer.deadline - base).components.seconds), Int(timer.sequence)))
            }
            #expect(popped.map(\.0) == expected.map(\.0))
            #expect(popped.map(\.1) == expected.map(\.1))
        }
    }

    @Test func popsNothingBeforeItsTime() async throws {
        try await withLoop { loop in
            var heap = TimerHeap()
            heap.insert(timer(loop, 5))
            let early = heap.popDue(now: base + .seconds(5) - .nanoseconds(1), before: .max)
            #expect(early == nil)
            let exact = heap.popDue(now: base + .seconds(5), before: .max)
            #expect(exact != nil)
        }
    }

    @Test func popsNothingAddedDuringThePass() async throws {
        try await withLoop { loop in
            var heap = TimerHeap()
            heap.insert(timer(loop, 1))
            let limit = heap.upcomingSequence
            heap.insert(timer(loop, 0))
            let blocked = heap.popDue(now: base + .seconds(9), before: limit)
            #expect(blocked == nil)
            let next = heap.popDue(now: base + .seconds(9), before: heap.upcomingSequence)
            #expect(next?.deadline == base)
        }
    }

    /// Removing from anywhere leaves the order intact: checked against a sorted list.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func removesFromAnyPlace(seed: UInt64) async throws {
        try await withLoop { loop in
            var heap = TimerHeap()
            var random = SplitMix(seed: seed)
            var all = (0..<200).map { _ in timer(loop, Int(random.next() % 1000)) }
            for timer in all { heap.insert(timer) }
            for _ in 0..<120 {
                let victim = all.remove(at: Int(random.next() % UInt64(all.count)))
                heap.remove(victim)
                heap.remove(victim)
                #expect(!victim.isPending)
            }
            for (index, timer) in heap.timers.enumerated() { #expect(timer.heapIndex == index) }
            let expected = all.map(\.deadline).sorted()
            var popped: [ContinuousClock.Instant] = []
            while let timer = heap.popDue(now: base + .seconds(2000), before: .max) { popped.append(timer.deadline) }
            #expect(popped == expected)
        }
    }

    private func timer(_ loop: EventLoop, _ seconds: Int) -> Timer {
        Timer(deadline: base + .seconds(seconds), loop: loop) {}
    }
}

/// A small generator with a seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
