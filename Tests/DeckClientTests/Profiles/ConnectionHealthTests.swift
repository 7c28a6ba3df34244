import Testing

@testable import DeckClient

struct ConnectionHealthTests {
    private static let start = ContinuousClock.now
    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }
    private static let silence = HostHealth.degraded(reason: "no snapshot for 5 s")

    private static func ready() -> ConnectionHealth {
        var health = ConnectionHealth()
        _ = health.handle(.dialling, now: at(0))
        _ = health.handle(.ready, now: at(0))
        return health
    }

    @Test func goesFromDiallingToReadyToOffline() {
        var health = ConnectionHealth()
        #expect(health.health == .offline(reason: nil))
        _ = health.handle(.dialling, now: Self.at(0))
        #expect(health.health == .connecting)
        #expect(health.nextDeadline == nil)
        _ = health.handle(.ready, now: Self.at(1))
        #expect(health.health == .ready)
        _ = health.handle(.closed(reason: "bye"), now: Self.at(2))
        #expect(health.health == .offline(reason: "bye"))
        #expect(health.nextDeadline == nil)
    }

    @Test func fiveSecondsWithoutSnapshotDegrade() {
        var health = Self.ready()
        _ = health.handle(.snapshot, now: Self.at(1))
        _ = health.handle(.heard, now: Self.at(4))
        #expect(health.nextDeadline == Self.at(6))
        _ = health.handleTimeout(now: Self.at(5.999))
        #expect(health.health == .ready)
        _ = health.handleTimeout(now: Self.at(6))
        #expect(health.health == Self.silence)
        _ = health.handle(.snapshot, now: Self.at(7))
        #expect(health.health == .ready)
    }

    @Test func theNodesOwnComplaintIsShownUntilTheNextSnapshot() {
        var health = Self.ready()
        _ = health.handle(.report(state: "degraded", reason: "native-signals-unavailable"), now: Self.at(1))
        #expect(health.health == .degraded(reason: "native-signals-unavailable"))
        _ = health.handleTimeout(now: Self.at(6))
        #expect(health.health == .degraded(reason: "native-signals-unavailable"))
        _ = health.handle(.snapshot, now: Self.at(7))
        _ = health.handleTimeout(now: Self.at(7.5))
        #expect(health.health == .ready)
        _ = health.handle(.report(state: "degraded", reason: "a\u{1b}[2J"), now: Self.at(8))
        #expect(health.health == .degraded(reason: "a[2J"))
        _ = health.handle(.report(state: "ready", reason: ""), now: Self.at(9))
        #expect(health.health == .ready)
    }

    @Test func silenceIsAskedAboutAndThenEnds() {
        var health = Self.ready()
        #expect(health.handleTimeout(now: Self.at(4.9)) == [])
        #expect(health.handleTimeout(now: Self.at(5)) == [.sendPing])
        #expect(health.nextDeadline == Self.at(15))
        #expect(health.handleTimeout(now: Self.at(14.9)) == [])
        #expect(health.handleTimeout(now: Self.at(15)) == [.close(reason: "the computer stopped answering")])
    }

    @Test func aPongKeepsItOpen() {
        var health = Self.ready()
        _ = health.handleTimeout(now: Self.at(5))
        _ = health.handle(.heard, now: Self.at(5.1))
        #expect(health.handleTimeout(now: Self.at(10)) == [])
        #expect(health.handleTimeout(now: Self.at(10.1)) == [.sendPing])
        #expect(health.health == Self.silence)
    }

    @Test func aHalfOpenConnectionIsFoundWithinThirtySeconds() {
        var health = Self.ready()
        _ = health.handle(.snapshot, now: Self.at(0))
        var now = Self.at(0)
        var actions: [ConnectionHealth.Action] = []
        while let deadline = health.nextDeadline, deadline <= Self.at(30) {
            #expect(deadline >= now)
            now = deadline
            actions += health.handleTimeout(now: now)
            if actions.count == 2 { break }
        }
        #expect(actions == [.sendPing, .close(reason: "the computer stopped answering")])
        #expect(now <= Self.at(30))
    }

    @Test func aClockJumpTriggersACheck() {
        var health = Self.ready()
        _ = health.handle(.snapshot, now: Self.at(1))
        #expect(health.handle(.clockJumped, now: Self.at(2)) == [.sendPing])
        #expect(health.handle(.clockJumped, now: Self.at(3)) == [])
        #expect(health.handleTimeout(now: Self.at(12)) == [.close(reason: "the computer stopped answering")])
        var offline = ConnectionHealth()
        #expect(offline.handle(.clockJumped, now: Self.at(2)) == [])
    }

    @Test func aRefusalLastsUntilPairedAgain() {
        var health = Self.ready()
        _ = health.handle(.refused(reason: "token refused"), now: Self.at(1))
        _ = health.handle(.closed(reason: "4003"), now: Self.at(1))
        _ = health.handle(.dialling, now: Self.at(2))
        #expect(health.health == .rePairRequired(reason: "token refused"))
        #expect(health.health.description == "re-pair required: token refused")
        #expect(!health.health.isConnected)
    }

    @Test func whatComesWithoutAConnectionIsIgnored() {
        var health = ConnectionHealth()
        for event in [ConnectionHealth.Event.snapshot, .heard, .report(state: "degraded", reason: "x")] { _ = health.handle(event, now: Self.at(1)) }
        #expect(health.health == .offline(reason: nil))
        #expect(health.handleTimeout(now: Self.at(99)) == [])
    }
}
