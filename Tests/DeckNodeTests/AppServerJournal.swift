import Synchronization

/// What came in, in order, for a test to wait for.
final class Journal<Element: Sendable>: Sendable {
    private struct Waiter {
        var matches: @Sendable (Element) -> Bool
        var continuation: CheckedContinuation<Element, Never>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    func add(_ element: Element) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.matches(element) }) else {
                state.elements.append(element)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: element)
    }

    /// Takes out the first element that matches, and waits for one if there is none.
    @discardableResult
    func take(_ matches: @escaping @Sendable (Element) -> Bool = { _ in true }) async -> Element {
        await withCheckedContinuation { continuation in
            let found: Element? = state.withLock { state in
                guard let index = state.elements.firstIndex(where: matches) else {
                    state.waiters.append(Waiter(matches: matches, continuation: continuation))
                    return nil
                }
                return state.elements.remove(at: index)
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// What was not taken.
    var rest: [Element] { state.withLock { $0.elements } }
}
