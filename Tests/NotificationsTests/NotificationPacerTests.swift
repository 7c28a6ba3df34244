import Testing

@testable import Notifications

struct NotificationPacerTests {
    private static let start = ContinuousClock.now

    private static func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }
    private static func note(_ key: String, _ summary: String) -> DesktopNotification { DesktopNotification(key: key, summary: summary) }

    @Test func theFirstGoesAtOnceAndTheLastOfASecondFollows() {
        var pacer = NotificationPacer()
        let first = pacer.offer(Self.note("a", "1"), now: Self.at(0))
        #expect(first?.summary == "1")
        let waiting = [pacer.offer(Self.note("a", "2"), now: Self.at(10)), pacer.offer(Self.note("a", "3"), now: Self.at(999))]
        #expect(waiting == [nil, nil])
        #expect(pacer.nextDeadline == Self.at(1000))
        let early = pacer.due(now: Self.at(999))
        #expect(early.isEmpty)
        let due = pacer.due(now: Self.at(1000))
        #expect(due.map(\.summary) == ["3"])
        #expect(pacer.nextDeadline == nil)
        let next = pacer.offer(Self.note("a", "4"), now: Self.at(1500))
        #expect(next == nil)
        let later = pacer.due(now: Self.at(2000))
        #expect(later.map(\.summary) == ["4"])
    }

    @Test func keysDoNotWaitForEachOther() {
        var pacer = NotificationPacer()
        _ = pacer.offer(Self.note("a", "1"), now: Self.at(0))
        let other = pacer.offer(Self.note("b", "1"), now: Self.at(1))
        #expect(other != nil)
        let exact = pacer.offer(Self.note("a", "2"), now: Self.at(1000))
        #expect(exact?.summary == "2")
    }

    @Test func whatIsWithdrawnDoesNotFollow() {
        var pacer = NotificationPacer()
        _ = pacer.offer(Self.note("a", "1"), now: Self.at(0))
        _ = pacer.offer(Self.note("a", "2"), now: Self.at(1))
        pacer.withdraw("a")
        #expect(pacer.nextDeadline == nil)
        let due = pacer.due(now: Self.at(5000))
        #expect(due.isEmpty)
    }

    @Test func itForgetsKeysThatAreLongPast() {
        var pacer = NotificationPacer()
        for number in 0..<5000 { _ = pacer.offer(Self.note("\(number)", ""), now: Self.at(number * 100)) }
        #expect(Mirror(reflecting: pacer).children.first.map { ($0.value as? any Collection)?.count ?? -1 } ?? -1 <= 257)
    }
}
