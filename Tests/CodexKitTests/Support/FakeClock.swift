import FoundationEssentials

@testable import CodexKit
@testable import EventLoop

/// A clock that goes on by what is slept.
final class FakeClock: Sendable {
    private let state: Locked<(now: Double, sleeps: [Duration])>

    init(now: Double = 1_800_000_000) { state = Locked((now, [])) }

    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func advance(by seconds: Double) { state.withLock { $0.now += seconds } }

    var clock: AuthClock {
        AuthClock(
            now: { Date(timeIntervalSince1970: self.state.withLock { $0.now }) },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock {
                    $0.now += duration / .seconds(1)
                    $0.sleeps.append(duration)
                }
                await Task.yield()
            })
    }
}
