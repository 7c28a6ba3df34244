import Testing

@testable import DeckClient

struct BackoffTests {
    /// Draws the middle of every range, so that the jitter is nothing.
    struct Middle: RandomNumberGenerator {
        mutating func next() -> UInt64 { 1 << 63 }
    }

    struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }

    private static let start = ContinuousClock.now
    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private static func rounded(_ duration: Duration) -> Double { (duration / .seconds(1) * 100).rounded() / 100 }

    @Test func doublesFromOneToFifteenSeconds() {
        var backoff = Backoff()
        var random = Middle()
        let delays = (0..<8).map { _ in Self.rounded(backoff.ended(now: Self.at(0), using: &random)) }
        #expect(delays == [1, 2, 4, 8, 15, 15, 15, 15])
    }

    @Test func jitterStaysWithinBounds() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var backoff = Backoff()
            for expected in [1.0, 2, 4, 8, 15, 15] {
                let delay = backoff.ended(now: Self.at(0), using: &random) / .seconds(1)
                #expect(delay >= expected * 0.8 - 1e-9 && delay <= min(expected * 1.2, 15) + 1e-9)
            }
        }
        var highest = Highest()
        var backoff = Backoff()
        #expect((0..<9).allSatisfy { _ in backoff.ended(now: Self.at(0), using: &highest) <= .seconds(15) })
    }

    @Test(arguments: [(9.999, true, 4.0), (10, true, 1), (10, false, 4), (0, true, 4)])
    func onlyAConnectionThatLastedStartsOver(lasted: Double, snapshot: Bool, delay: Double) {
        var backoff = Backoff()
        var random = Middle()
        _ = backoff.ended(now: Self.at(0), using: &random)
        _ = backoff.ended(now: Self.at(1), using: &random)
        backoff.ready(now: Self.at(3))
        if snapshot { backoff.snapshotReceived() }
        #expect(Self.rounded(backoff.ended(now: Self.at(3 + lasted), using: &random)) == delay)
    }

    @Test func aSnapshotOfAnEarlierConnectionProvesNothing() {
        var backoff = Backoff()
        var random = Middle()
        backoff.ready(now: Self.at(0))
        backoff.snapshotReceived()
        _ = backoff.ended(now: Self.at(1), using: &random)
        backoff.snapshotReceived()
        backoff.ready(now: Self.at(2))
        #expect(Self.rounded(backoff.ended(now: Self.at(60), using: &random)) == 2)
    }

    @Test func aChangedNetworkStartsOver() {
        var backoff = Backoff()
        var random = Middle()
        for _ in 0..<5 { _ = backoff.ended(now: Self.at(0), using: &random) }
        backoff.networkChanged(isWaiting: true)
        #expect(Self.rounded(backoff.ended(now: Self.at(1), using: &random)) == 1)
        // An attempt under way was made for the old network: the next follows at once, once.
        backoff.networkChanged(isWaiting: false)
        #expect(backoff.ended(now: Self.at(2), using: &random) == .zero)
        #expect(Self.rounded(backoff.ended(now: Self.at(3), using: &random)) == 1)
    }
}
