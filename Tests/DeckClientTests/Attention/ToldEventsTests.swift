import RelayProtocol
import Testing

@testable import DeckClient

struct ToldEventsTests {
    private static func event(
        _ id: Int64, _ kind: AttentionEvent.Kind = .approval, task: Int = 1, isRead: Bool = false, isOver: Bool = false
    ) -> AttentionEvent {
        AttentionEvent(
            id: id, kind: kind, task: Lab.task(task), title: "Task", host: Lab.hostID(1), hostName: "vm", badge: .linux, at: Lab.now,
            isRead: isRead, endedAt: isOver ? Lab.now : nil)
    }

    private static let key = AttentionWords.key(Lab.task(1))

    /// One event, told.
    private static func told(_ event: AttentionEvent = event(1)) -> ToldEvents {
        var told = ToldEvents()
        _ = told.settle([event])
        _ = told.tell(event)
        return told
    }

    @Test func theNextEventOfATaskTakesTheNotificationOver() {
        var told = Self.told()
        let next = Self.event(2, .error)
        let withdrawn = told.settle([next, Self.event(1, isOver: true)])
        #expect(withdrawn == [])
        let key = told.tell(next)
        #expect(key == Self.key)
        // Only the newest counts from now on.
        let after = told.settle([Self.event(2, .error, isRead: true), Self.event(1)])
        #expect(after == [Self.key])
    }

    @Test(arguments: [(true, false), (false, true), (true, true)])
    func whatIsReadOrOverIsTakenBackOnce(isRead: Bool, isOver: Bool) {
        var told = Self.told()
        let first = told.settle([Self.event(1, isRead: isRead, isOver: isOver)])
        #expect(first == [Self.key])
        let second = told.settle([Self.event(1, isRead: isRead, isOver: isOver)])
        #expect(second == [])
    }

    @Test func whatWasRemovedIsTakenBack() {
        var told = Self.told()
        let withdrawn = told.settle([])
        #expect(withdrawn == [Self.key])
    }

    @Test func anEventOfAnotherTaskKeepsNothing() {
        var told = Self.told()
        let withdrawn = told.settle([Self.event(2, task: 2), Self.event(1, isOver: true)])
        #expect(withdrawn == [Self.key])
    }

    @Test func anOlderOpenEventKeepsNothing() {
        var told = Self.told(Self.event(5))
        let withdrawn = told.settle([Self.event(5, isRead: true), Self.event(4)])
        #expect(withdrawn == [Self.key])
    }

    @Test func anEventThatIsOverBeforeItIsToldIsNotTold() {
        var told = ToldEvents()
        _ = told.settle([Self.event(1, isOver: true)])
        let over = told.tell(Self.event(1))
        #expect(over == nil)
        let unknown = told.tell(Self.event(2))
        #expect(unknown == nil)
    }

    @Test func aTaskKeepsItsNotificationWhenItGetsItsRealKey() {
        var told = Self.told(Self.event(1, task: 7))
        // The same event, by the real identity from now on.
        let renamed = told.settle([Self.event(1)])
        #expect(renamed == [])
        #expect(told.task(ofKey: AttentionWords.key(Lab.task(7))) == Lab.task(1))
        _ = told.settle([Self.event(2, .error), Self.event(1, isOver: true)])
        let key = told.tell(Self.event(2, .error))
        #expect(key == AttentionWords.key(Lab.task(7)))
    }

    @Test func ofTwoNotificationsThatTurnOutToBeOneTaskOneStays() {
        var told = ToldEvents()
        _ = told.settle([Self.event(2), Self.event(1, task: 7)])
        _ = told.tell(Self.event(1, task: 7))
        _ = told.tell(Self.event(2))
        let withdrawn = told.settle([Self.event(2), Self.event(1)])
        #expect(withdrawn == [AttentionWords.key(Lab.task(7))])
        #expect(told.task(ofKey: Self.key) == Lab.task(1))
    }

    @Test func allAreTakenBackTogether() {
        var told = Self.told()
        _ = told.settle([Self.event(2, task: 2), Self.event(1)])
        _ = told.tell(Self.event(2, task: 2))
        let all = told.clear()
        #expect(all == [Self.key, AttentionWords.key(Lab.task(2))])
        let none = told.clear()
        #expect(none == [])
    }
}
