import Synchronization

/// Remembers what has been said, so that it is not said again. Shared by a logger and its copies.
final class RepetitionGate: Sendable {
    /// More keys than the program has; beyond it the memory is dropped rather than left to grow.
    static let capacity = 1024

    private struct Window {
        var end: ContinuousClock.Instant
        var skipped = 0
    }

    private struct State {
        var said: Set<String> = []
        var windows: [String: Window] = [:]
    }

    private let state = Mutex(State())

    /// Whether this is the first time since ``leave(_:)``.
    func enter(_ key: String) -> Bool {
        state.withLock { state in
            if state.said.count >= Self.capacity { state.said.removeAll() }
            return state.said.insert(key).inserted
        }
    }

    /// Forgets the key; whether it was there.
    func leave(_ key: String) -> Bool {
        state.withLock { $0.said.remove(key) != nil }
    }

    /// The number of calls left out since the last one let through, or `nil` when this one is to be left out too.
    func pass(_ key: String, every interval: Duration, now: ContinuousClock.Instant) -> Int? {
        state.withLock { state in
            if var window = state.windows[key], now < window.end {
                window.skipped += 1
                state.windows[key] = window
                return nil
            }
            if state.windows.count >= Self.capacity { state.windows = state.windows.filter { now < $0.value.end } }
            if state.windows.count >= Self.capacity { state.windows.removeAll() }
            let skipped = state.windows[key]?.skipped ?? 0
            state.windows[key] = Window(end: now + interval)
            return skipped
        }
    }
}
