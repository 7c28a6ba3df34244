import CLinux
import Glibc

/// What other threads ask of a loop, and the eventfd that ends its wait.
///
/// The descriptor is closed in `deinit`, not when the loop ends: a thread that enqueues holds the queue, so it never
/// writes to a number that was closed and given to another file.
final class JobQueue: Sendable {
    enum Item: Sendable {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    enum Enqueued { case queued, ended }

    private struct State {
        var items: [Item] = []
        var isAsleep = false
        var stopRequested = false
        var hasEnded = false
    }

    private let state = Locked(State())
    let wakeDescriptor: Int32

    init() throws(SystemError) {
        wakeDescriptor = deck_event_descriptor()
        if wakeDescriptor < 0 { throw .last("eventfd") }
    }

    deinit { close(wakeDescriptor) }

    /// Adds an item and wakes the loop if it waits. `.ended` says that the loop's thread is gone: the caller has to
    /// start another that drains the queue.
    func append(_ item: Item) -> Enqueued {
        let (wake, ended) = state.withLock { state in
            state.items.append(item)
            defer { state.isAsleep = false }
            if state.hasEnded {
                state.hasEnded = false
                return (false, true)
            }
            return (state.isAsleep, false)
        }
        if wake { self.wake() }
        return ended ? .ended : .queued
    }

    func requestStop() {
        let wake = state.withLock { state in
            state.stopRequested = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wake { self.wake() }
    }

    var isStopRequested: Bool { state.withLock { $0.stopRequested } }

    /// Swaps the queued items with `batch`, which must be empty and lends its storage.
    func take(into batch: inout [Item]) {
        state.withLock { swap(&$0.items, &batch) }
    }

    /// Whether the loop may wait: from here until ``awake()`` an enqueue writes the eventfd.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.items.isEmpty && !state.stopRequested
            return state.isAsleep
        }
    }

    func awake() { state.withLock { $0.isAsleep = false } }

    /// Ends the loop if nothing is queued and a stop was asked for.
    func endIfIdle() -> Bool {
        state.withLock { state in
            guard state.stopRequested, state.items.isEmpty else { return false }
            state.hasEnded = true
            return true
        }
    }

    private func wake() {
        var one: UInt64 = 1
        // Fails only when the counter is full, and then the loop has been woken already.
        _ = write(wakeDescriptor, &one, 8)
    }
}
