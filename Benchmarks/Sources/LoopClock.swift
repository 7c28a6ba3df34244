import CBenchmarkFloor
import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Carries one value from another thread to one that waits for it.
private final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func give(_ result: Result<Value, any Error>) {
        value.withLock { $0 = result }
        done.signal()
    }

    func wait() throws -> Value {
        done.wait()
        guard let result = value.withLock({ $0 }) else { throw BenchmarkError("no answer came") }
        return try result.get()
    }
}

extension EventLoop {
    /// Runs `body` on the loop and waits for what it returns. Not on the loop.
    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let answer = Answer<Value>()
        execute { answer.give(Result { try body() }) }
        return try answer.wait()
    }
}

/// Runs `body` in a task and waits for it: rows are written as if there were one thread.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let answer = Answer<Value>()
    Task {
        do { answer.give(.success(try await body())) } catch { answer.give(.failure(error)) }
    }
    return try answer.wait()
}

/// The CPU time of one loop's thread, read from outside so that reading costs the loop nothing.
struct LoopClock {
    private let clock: clockid_t

    init(_ loop: EventLoop) throws { clock = try loop.run { floor_thread_clock() } }

    /// Nanoseconds.
    var now: Double { Double(floor_clock(clock)) }
}

/// The CPU time of this process, all threads. Nanoseconds.
func processTime() -> Double { Double(floor_clock(CLOCK_PROCESS_CPUTIME_ID)) }

/// The wall clock for nodes.
@Sendable func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
