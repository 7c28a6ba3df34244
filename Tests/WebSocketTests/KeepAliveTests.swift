import Testing

@testable import WebSocket

struct KeepAliveTests {
    private static func make(interval: Duration? = .seconds(15)) -> KeepAlive {
        KeepAlive(interval: interval, timeout: .seconds(10), now: start)
    }

    @Test func pingsAfterSilenceAndThenGivesUp() {
        var keepAlive = Self.make()
        #expect(keepAlive.nextDeadline == start + .seconds(15))
        #expect(keepAlive.verdict(now: start + .milliseconds(14_999)) == .wait)
        #expect(keepAlive.verdict(now: start + .seconds(15)) == .ping)
        keepAlive.pinged(now: start + .seconds(15))
        #expect(keepAlive.nextDeadline == start + .seconds(25))
        #expect(keepAlive.verdict(now: start + .milliseconds(24_999)) == .wait)
        #expect(keepAlive.verdict(now: start + .seconds(25)) == .dead)
    }

    @Test func anyByteIsLife() {
        var keepAlive = Self.make()
        keepAlive.pinged(now: start + .seconds(15))
        keepAlive.heard(now: start + .seconds(24))
        #expect(keepAlive.verdict(now: start + .seconds(25)) == .wait)
        #expect(keepAlive.nextDeadline == start + .seconds(39))
    }

    @Test func neverPingsByItselfWithoutAnInterval() {
        var keepAlive = Self.make(interval: nil)
        #expect(keepAlive.nextDeadline == nil)
        #expect(keepAlive.verdict(now: start + .seconds(1_000_000)) == .wait)
        keepAlive.pinged(now: start)
        #expect(keepAlive.verdict(now: start + .seconds(10)) == .dead)
    }

    @Test func asksAgainAfterThisComputerSlept() {
        var keepAlive = Self.make()
        keepAlive.pinged(now: start + .seconds(15))
        let afterSleep = start + .seconds(8 * 3600)
        #expect(keepAlive.verdict(now: afterSleep) == .ping)
        keepAlive.pinged(now: afterSleep)
        #expect(keepAlive.verdict(now: afterSleep + .seconds(10)) == .dead)
    }
}
