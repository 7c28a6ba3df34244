import Testing

@testable import EventLoop

/// Timers on a running loop: only orders and lower bounds are asserted, so a slow computer changes nothing.
struct TimerTests {
    @Test func firesInOrderOfDeadlineNotOfCreation() async throws {
        try await withLoop { loop in
            let order = await collect(loop) { add, done in
                let now = ContinuousClock.Instant.now
                loop.schedule(at: now + .milliseconds(6)) { add(3); done() }
                loop.schedule(at: now + .milliseconds(2)) { add(1) }
                loop.schedule(at: now + .milliseconds(4)) { add(2) }
                loop.schedule(at: now - .seconds(1)) { add(0) }
            }
            #expect(order == [0, 1, 2, 3])
        }
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .microseconds(300), .milliseconds(3)])
    func neverFiresEarly(delay: Duration) async throws {
        try await withLoop { loop in
            let late = Box<Duration>()
            _ = await collect(loop) { _, done in
                let deadline = ContinuousClock.Instant.now + delay
                loop.schedule(at: deadline) {
                    late.value = .now - deadline
                    done()
                }
            }
            let lateness = try #require(late.value)
            #expect(lateness >= .zero)
        }
    }

    /// An earlier timer made after a later one wakes the loop in time: it would fire an hour late if not rearmed.
    @Test func anEarlierTimerRearmsTheDescriptor() async throws {
        try await withLoop { loop in
            await onLoop(loop) { _ = loop.schedule(after: .seconds(3600)) {} }
            for _ in 0..<3 { await settle(loop) }   // by now the loop has waited for that hour
            let order = await collect(loop) { add, done in
                loop.schedule(after: .milliseconds(2)) {
                    add(2)
                    loop.schedule(after: .milliseconds(1)) { add(3); done() }
                }
                loop.schedule(after: .milliseconds(1)) { add(1) }
            }
            #expect(order == [1, 2, 3])
        }
    }

    @Test func aTimerCancelledInTheSameBatchDoesNotFire() async throws {
        try await withLoop { loop in
            let order = await collect(loop) { add, done in
                let past = ContinuousClock.Instant.now - .seconds(1)
                let second = Box<Timer>()
                loop.schedule(at: past) {
                    add(1)
                    second.value?.cancel()
                }
                second.value = loop.schedule(at: past + .milliseconds(1)) { add(2) }
                loop.schedule(at: past + .milliseconds(2)) { add(3); done() }
            }
            #expect(order == [1, 3])
        }
    }

    @Test func mayBeSetAgainFromItsOwnHandler() async throws {
        try await withLoop { loop in
            let order = await collect(loop) { add, done in
                let timer = Box<Timer>()
                let count = Counter()
                timer.value = loop.schedule(after: .zero) {
                    add(count.value)
                    count.increment()
                    if count.value == 3 { done() } else { timer.value?.reschedule(at: .now) }
                }
            }
            #expect(order == [0, 1, 2])
        }
    }

    @Test func aCancelledTimerCannotBeSetAgain() async throws {
        try await withLoop { loop in
            let pending = await onLoop(loop) {
                let timer = loop.schedule(after: .seconds(1)) {}
                timer.cancel()
                timer.reschedule(at: .now)
                return timer.isPending
            }
            #expect(!pending)
        }
    }

    @Test func reschedulingMovesATimer() async throws {
        try await withLoop { loop in
            let order = await collect(loop) { add, done in
                let now = ContinuousClock.Instant.now
                let first = loop.schedule(at: now + .milliseconds(1)) { add(1); done() }
                loop.schedule(at: now + .milliseconds(2)) { add(2) }
                first.reschedule(at: now + .milliseconds(3))
            }
            #expect(order == [2, 1])
        }
    }

    /// A timer that sets itself for a time already past must not keep others from running.
    @Test func aTimerThatIsAlwaysDueDoesNotStarveJobs() async throws {
        try await withLoop { loop in
            let timer = Box<Timer>()
            await onLoop(loop) {
                timer.value = loop.schedule(after: .zero) { timer.value?.reschedule(at: .now - .seconds(1)) }
            }
            await settle(loop)
            await settle(loop)
            await onLoop(loop) { timer.value?.cancel() }
        }
    }

    @Test func letsGoOfItsHandlerOnceFiredOrCancelled() async throws {
        try await withLoop { loop in
            for cancels in [false, true] {
                var canary: Canary? = Canary()
                let gone = canary?.gone
                let held = Box<Timer>()
                await withCheckedContinuation { done in
                    loop.execute { [canary] in
                        held.value = loop.schedule(after: cancels ? .seconds(99) : .zero) { canary?.touch() }
                        if cancels { held.value?.cancel() }
                        loop.schedule(after: .milliseconds(1)) { done.resume() }
                    }
                }
                canary = nil
                await settle(loop)
                #expect(gone?.isSet == true)
            }
        }
    }

    /// Runs `body` on the loop, which adds numbers, and returns them when it says that it is done.
    private func collect(
        _ loop: EventLoop, _ body: @escaping @Sendable (_ add: @escaping (Int) -> Void, _ done: @escaping () -> Void) -> Void
    ) async -> [Int] {
        let seen = Box<[Int]>([])
        await withCheckedContinuation { continuation in
            loop.execute { body({ seen.value?.append($0) }, { continuation.resume() }) }
        }
        return await onLoop(loop) { seen.value ?? [] }
    }
}
