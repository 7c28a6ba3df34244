import Synchronization

@testable import DeckAgents

/// A clock that stands still until a test moves it, and moves only when everybody sleeps. Nothing here goes by the time of day.
///
/// Each task of the demo that lives sleeps in exactly one place when it does nothing: between turns, within an answer, in a tool, or waiting
/// for a person. So when as many sleep as live, all is quiet.
final class VirtualClock: Sendable {
    private struct Sleeper {
        var id: Int
        var until: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        var condition: @Sendable ([Duration]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Duration.zero
        var count = 0
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
    }

    private let state = Mutex(State())

    var clock: DemoClock { DemoClock(elapsed: { self.now }, sleep: { try await self.sleep($0) }) }
    var now: Duration { state.withLock(\.now) }
    /// When those who sleep will wake.
    var deadlines: [Duration] { state.withLock { $0.sleepers.map(\.until) } }

    private func sleep(_ until: Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.now >= until { return true }
                    state.sleepers.append(Sleeper(id: id, until: until, continuation: continuation))
                    return false
                }
                if isDue { continuation.resume() }
                if Task.isCancelled { cancel(id) }
                tellWatchers()
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
        tellWatchers()
    }

    private func tellWatchers() {
        let done = state.withLock { state -> [Watcher] in
            let deadlines = state.sleepers.map(\.until)
            let done = state.watchers.filter { $0.condition(deadlines) }
            if !done.isEmpty { state.watchers.removeAll { $0.condition(deadlines) } }
            return done
        }
        for watcher in done { watcher.continuation.resume() }
    }

    /// Waits until those who sleep are as they should be.
    func settle(_ condition: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.watchers.append(Watcher(condition: condition, continuation: continuation)) }
            tellWatchers()
        }
    }

    /// Waits until so many sleep.
    func settle(_ count: Int) async { await settle { $0.count == count } }

    /// Wakes whoever is next, and waits until so many sleep again.
    ///
    /// - Returns: `false` when nobody is due by then; the time is what it was.
    func step(upTo end: Duration, sleepers count: Int) async -> Bool {
        let next = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.indices.min(by: { state.sleepers[$0].until < state.sleepers[$1].until }),
                state.sleepers[index].until <= end
            else { return nil }
            state.now = max(state.now, state.sleepers[index].until)
            return state.sleepers.remove(at: index)
        }
        guard let next else { return false }
        next.continuation.resume()
        await settle(count)
        return true
    }
}
