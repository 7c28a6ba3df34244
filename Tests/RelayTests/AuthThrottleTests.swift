import Testing

@testable import Relay

struct AuthThrottleTests {
    let start = ContinuousClock.now

    @Test func eachFailureDoublesTheWaitUpToTheLongest() {
        var throttle = AuthThrottle<String>(firstDelay: .milliseconds(100), longestDelay: .milliseconds(500))
        #expect(throttle.earliestAttempt("a", now: start) == nil)
        for expected in [100, 200, 400, 500, 500] {
            throttle.recordFailure("a", now: start)
            #expect(throttle.earliestAttempt("a", now: start) == start + .milliseconds(expected))
        }
        #expect(throttle.earliestAttempt("a", now: start + .milliseconds(500)) == nil)
    }

    @Test func otherAddressesDoNotPay() {
        var throttle = AuthThrottle<String>()
        throttle.recordFailure("a", now: start)
        #expect(throttle.earliestAttempt("b", now: start) == nil)
    }

    @Test func successAndTimeForget() {
        var throttle = AuthThrottle<String>(firstDelay: .milliseconds(100), memory: .seconds(10))
        throttle.recordFailure("a", now: start)
        throttle.recordSuccess("a")
        #expect(throttle.earliestAttempt("a", now: start) == nil)
        throttle.recordFailure("a", now: start)
        throttle.recordFailure("a", now: start + .seconds(11))
        #expect(throttle.earliestAttempt("a", now: start + .seconds(11)) == start + .milliseconds(11_100))
    }

    @Test func aFloodOfAddressesDoesNotGrowMemory() {
        var throttle = AuthThrottle<Int>(maximumEntries: 100)
        for address in 0..<10_000 { throttle.recordFailure(address, now: start + .milliseconds(address)) }
        #expect(throttle.count == 100)
        #expect(throttle.earliestAttempt(9_999, now: start + .milliseconds(9_999)) != nil)
    }

    @Test func budgetRefillsWithTime() {
        var budget = RateBudget(burst: 2, perSecond: 10, now: start)
        let taken = [0, 0, 0, 99, 100, 100, 1_000, 1_000, 1_000].map { budget.take(now: start + .milliseconds($0)) }
        #expect(taken == [true, true, false, false, true, false, true, true, false])
    }

    @Test func publishingIsImmediateOnceThenPaced() {
        var schedule = PublishSchedule()
        #expect(schedule.noteChange(now: start) == start)
        schedule.notePublished(now: start)
        #expect(schedule.noteChange(now: start + .milliseconds(10)) == start + .milliseconds(50))
        #expect(schedule.hasPendingChange)
        schedule.notePublished(now: start + .milliseconds(50))
        #expect(!schedule.hasPendingChange)
        #expect(schedule.noteChange(now: start + .milliseconds(200)) == start + .milliseconds(200))
    }
}
