import EventLoop

/// Tasks that wait for something to happen, each for a bounded time. Confined to its loop; not Sendable.
final class Waiters<Key: Hashable, Value: Sendable> {
    private let loop: EventLoop
    private var waiting: [Key: [UInt64: (CheckedContinuation<Value?, Never>, Timer)]] = [:]
    private var lastID: UInt64 = 0

    init(on loop: EventLoop) { self.loop = loop }

    /// Waits until ``resume(_:with:)`` is called for `key`; `nil` when that takes longer than `limit`, or never will happen.
    ///
    /// - Parameter begin: Called once the waiting has begun: what it causes is not missed.
    func wait(
        for key: Key, limit: Duration, isolation: isolated (any Actor)? = #isolation, begin: () -> Void = {}
    ) async -> Value? {
        lastID += 1
        let id = lastID
        return await withCheckedContinuation { continuation in
            let timer = loop.schedule(after: limit) { [weak self] in
                self?.forget(key, id)
                continuation.resume(returning: nil)
            }
            waiting[key, default: [:]][id] = (continuation, timer)
            begin()
        }
    }

    private func forget(_ key: Key, _ id: UInt64) {
        waiting[key]?[id] = nil
        if waiting[key]?.isEmpty == true { waiting[key] = nil }
    }

    func resume(_ key: Key, with value: Value) {
        for (continuation, timer) in waiting.removeValue(forKey: key)?.values ?? [:].values {
            timer.cancel()
            continuation.resume(returning: value)
        }
    }

    /// Nothing that is waited for will happen any more.
    func resumeAll() {
        let all = waiting.values.flatMap(\.values)
        waiting = [:]
        for (continuation, timer) in all {
            timer.cancel()
            continuation.resume(returning: nil)
        }
    }
}
