import Glibc
import Testing

@testable import EventLoop

struct WatchTests {
    @Test func reportsReadableAsLongAsItIs() async throws {
        try await withLoop { loop in
            let pipe = try Pipe()
            let seen = Counter()
            await withCheckedContinuation { done in
                loop.execute {
                    let watch = Box<Watch>()
                    watch.value = try? loop.watch(pipe.reader, .readable) { ready in
                        #expect(ready == .readable)
                        seen.increment()
                        if seen.value == 3 {
                            watch.value?.cancel()
                            done.resume()
                        }
                    }
                    pipe.put(1)
                }
            }
            #expect(seen.value == 3)
        }
    }

    /// Both are ready in one batch; whichever runs first cancels the other.
    @Test func aWatchCancelledInTheSameBatchDoesNotFire() async throws {
        try await withLoop { loop in
            let pipes = [try Pipe(), try Pipe()]
            let seen = Counter()
            await onLoop(loop) {
                let watches = Box<[Watch]>([])
                for pipe in pipes {
                    pipe.put(1)
                    let watch = try? loop.watch(pipe.reader, .readable) { _ in
                        seen.increment()
                        for watch in watches.value ?? [] { watch.cancel() }
                    }
                    if let watch { watches.value?.append(watch) }
                }
            }
            await turns(loop, 3)
            #expect(seen.value == 1)
        }
    }

    /// The descriptor's number is used again within the batch: the old event must not reach the new watch.
    @Test func anEventOfAClosedDescriptorDoesNotReachItsSuccessor() async throws {
        try await withLoop { loop in
            let pipes = [try Pipe(), try Pipe()]
            let wrong = Counter()
            let replaced = Counter()
            await onLoop(loop) {
                let watches = Box<[Watch]>([])
                for (index, pipe) in pipes.enumerated() {
                    pipe.put(1)
                    let watch = try? loop.watch(pipe.reader, .readable) { _ in
                        let all = watches.value ?? []
                        for watch in all { watch.cancel() }
                        replaced.increment()
                        // Nothing can be read from the pipe's writing end: a readable report is the old event.
                        let other = pipes[1 - index]
                        dup2(other.writer, other.reader)
                        let next = Box<Watch>()
                        next.value = try? loop.watch(other.reader, .readable) { ready in
                            if ready.contains(.readable) { wrong.increment() }
                            next.value?.cancel()
                        }
                        #expect(next.value != nil)
                    }
                    if let watch { watches.value?.append(watch) }
                }
            }
            await turns(loop, 3)
            #expect(replaced.value == 1)
            #expect(wrong.value == 0)
        }
    }

    @Test func emptyInterestReportsNothingNotEvenAHangUp() async throws {
        try await withLoop { loop in
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let (reader, writer) = (ends[0], ends[1])
            let seen = Counter()
            let watch = Box<Watch>()
            await onLoop(loop) {
                watch.value = try? loop.watch(reader, []) { ready in
                    #expect(ready.contains(.hungUp))
                    seen.increment()
                    watch.value?.cancel()
                }
                close(writer)
            }
            await turns(loop, 3)
            #expect(seen.value == 0)
            await onLoop(loop) { try? watch.value?.modify(.readable) }
            // A child that another test is just starting may hold a copy of the writing end for a moment.
            while seen.value == 0 { await turns(loop, 1) }
            close(reader)
        }
    }

    /// Both hang up in one batch; whichever runs first silences both.
    @Test func interestEmptiedInTheSameBatchSilencesAHangUpAlreadyReported() async throws {
        try await withLoop { loop in
            let pipes = [try Pipe(), try Pipe()]
            let seen = Counter()
            await onLoop(loop) {
                let watches = Box<[Watch]>([])
                for pipe in pipes {
                    // A pipe's writing end whose reader is gone reports an error, whatever is asked for.
                    dup2(pipe.writer, pipe.reader)
                    let watch = try? loop.watch(pipe.writer, .writable) { _ in
                        seen.increment()
                        for watch in watches.value ?? [] { try? watch.modify([]) }
                    }
                    if let watch { watches.value?.append(watch) }
                }
            }
            await turns(loop, 3)
            #expect(seen.value == 1)
        }
    }

    @Test func refusesWhatCannotBeWatched() async throws {
        try await withLoop { loop in
            let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
            let regular = open("/etc/passwd", O_RDONLY | O_CLOEXEC)
            defer { close(file); close(regular) }
            let codes = await onLoop(loop) {
                [-1, 1_000_000, regular].map { descriptor -> Int32 in
                    do throws(SystemError) {
                        _ = try loop.watch(descriptor, .readable) { _ in }
                        return 0
                    } catch {
                        return error.code
                    }
                }
            }
            #expect(codes == [EBADF, EBADF, EPERM])
        }
    }

    @Test func letsGoOfItsHandlerWhenCancelled() async throws {
        try await withLoop { loop in
            let pipe = try Pipe()
            var canary: Canary? = Canary()
            let gone = canary?.gone
            let held = Box<Watch>()
            await onLoop(loop) { [canary] in
                held.value = try? loop.watch(pipe.reader, .readable) { _ in canary?.touch() }
                held.value?.cancel()
                held.value?.cancel()
            }
            canary = nil
            await settle(loop)
            #expect(gone?.isSet == true)
        }
    }
}
