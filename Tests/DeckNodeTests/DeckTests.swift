import RelayProtocol
import Testing

@testable import DeckNode

struct DeckTests {
    static let start = UnixMilliseconds(clamping: 1_796_000_000_000)

    static func identity(_ number: Int) -> TaskIdentity { TaskIdentity(bytes: [UInt8(number)] + Array(repeating: 7, count: 15)) }

    static func task(_ number: Int, _ phase: DeckTask.Phase = .idle, at seconds: Int64 = 0, started: Int64? = nil) -> DeckTask {
        DeckTask(
            identity: identity(number), title: "Task \(number)", phase: phase, activityAt: start.advanced(byMilliseconds: seconds * 1_000),
            workStart: started.map { .init(at: start.advanced(byMilliseconds: $0 * 1_000), revision: $0) }, origin: .rollout)
    }

    static func deck(_ tasks: [DeckTask], mode: Snapshot.AgentSource = .priority) -> Deck {
        var deck = Deck(settings: DeckSettings(mode: mode))
        for task in tasks { deck.update(task, now: start) }
        return deck
    }

    static func numbers(_ snapshot: Snapshot) -> [Int?] {
        snapshot.slots.map { slot in (0..<100).first { slot.identity == identity($0) } }
    }

    static func look(_ deck: inout Deck, _ now: UnixMilliseconds) -> Snapshot { deck.snapshot(now: now) }

    static func later(_ seconds: Int64) -> UnixMilliseconds { start.advanced(byMilliseconds: seconds * 1_000) }

    @Test func emptyDeckShowsSixEmptyKeys() {
        var deck = Deck()
        let snapshot = Self.look(&deck, Self.start)
        #expect(snapshot.slots == (0..<6).map(Slot.empty(id:)))
        #expect(snapshot.hostSessions == [])
        #expect(snapshot.activeThreadKey == nil)
    }

    @Test func priorityRanksWaitingThenEndedThenWorkingThenIdleNewestFirst() {
        var deck = Self.deck([
            Self.task(1, .idle, at: 90), Self.task(2, .working, at: 80, started: 10), Self.task(3, .working, at: 20, started: 15),
            Self.task(4, .finished(revision: 9), at: 5), Self.task(5, .awaitingApproval, at: 1), Self.task(6, .failed(revision: 2), at: 6),
            Self.task(7, .idle, at: 1),
        ])
        #expect(Self.numbers(Self.look(&deck, Self.later(100))) == [5, 6, 4, 3, 2, 1])
    }

    @Test func keysStayWhileTheRankClassStays() {
        var deck = Self.deck([Self.task(1, .working, at: 1, started: 1), Self.task(2, .working, at: 2, started: 2), Self.task(3, .idle)])
        #expect(Self.numbers(Self.look(&deck, Self.later(3))) == [2, 1, 3, nil, nil, nil])
        deck.update(Self.task(1, .working, at: 50, started: 40), now: Self.later(50))
        #expect(Self.numbers(Self.look(&deck, Self.later(50))) == [2, 1, 3, nil, nil, nil])
        deck.update(Self.task(2, .finished(revision: 1), at: 60), now: Self.later(60))
        deck.update(Self.task(4, .awaitingApproval, at: 61), now: Self.later(61))
        #expect(Self.numbers(Self.look(&deck, Self.later(61))) == [4, 1, 3, 2, nil, nil])
    }

    @Test func strongerTaskTakesThePlaceOfTheWeakest() {
        var deck = Self.deck((1...6).map { Self.task($0, .idle, at: Int64($0)) })
        _ = Self.look(&deck, Self.later(10))
        deck.update(Self.task(7, .awaitingResponse, at: 11), now: Self.later(11))
        #expect(Self.numbers(Self.look(&deck, Self.later(11))) == [6, 5, 4, 3, 2, 7])
    }

    @Test func pinnedAndCustomFollowTheOwner() {
        var deck = Self.deck([Self.task(1), Self.task(2), Self.task(3)], mode: .pinned)
        #expect(mutating(&deck) { $0.togglePin(Self.identity(3)) } == true)
        #expect(mutating(&deck) { $0.togglePin(Self.identity(1)) } == true)
        #expect(mutating(&deck) { $0.togglePin(Self.identity(9)) } == nil)
        #expect(Self.numbers(Self.look(&deck, Self.start)) == [3, 1, nil, nil, nil, nil])
        #expect(mutating(&deck) { $0.togglePin(Self.identity(3)) } == false)
        #expect(Self.numbers(Self.look(&deck, Self.start)) == [1, nil, nil, nil, nil, nil])
        deck.setMode(.custom)
        deck.assign(Self.identity(2), toSlot: 4)
        deck.assign(Self.identity(2), toSlot: 1)
        deck.assign(Self.identity(3), toSlot: 5)
        deck.assign(nil, toSlot: 99)
        #expect(Self.numbers(Self.look(&deck, Self.start)) == [nil, 2, nil, nil, nil, 3])
    }

    @Test func openingAcknowledgesOnceAndANewCompletionCountsAgain() {
        var deck = Self.deck([Self.task(1, .finished(revision: 100))])
        #expect(Self.look(&deck, Self.start).slots[0].status == .complete)
        #expect(Self.look(&deck, Self.start).hostSessions?.first?.status == .complete)
        #expect(mutating(&deck) { $0.open(Self.identity(1), now: Self.start) })
        var snapshot = Self.look(&deck, Self.start)
        #expect(snapshot.slots[0].status == .idle)
        #expect(snapshot.slots[0].selected)
        #expect(snapshot.activeThreadKey == "local:" + Self.identity(1).uuid)
        #expect(snapshot.hostSessions?.first?.status == .idle)
        #expect(snapshot.hostSessions?.first?.completionRevision == 100)
        deck.update(Self.task(1, .finished(revision: 100), at: 30), now: Self.later(30))
        #expect(Self.look(&deck, Self.later(30)).slots[0].status == .idle)
        deck.update(Self.task(1, .finished(revision: 200), at: 40), now: Self.later(40))
        snapshot = Self.look(&deck, Self.later(40))
        #expect(snapshot.slots[0].status == .complete)
        #expect(snapshot.activeThreadKey == nil, "a selected task that finishes was not seen finishing")
    }

    @Test func failureIsAnErrorUntilOpened() {
        var deck = Self.deck([Self.task(1, .failed(revision: 7))])
        #expect(Self.look(&deck, Self.start).slots[0].status == .error)
        #expect(mutating(&deck) { $0.open(Self.identity(1), now: Self.start) })
        #expect(Self.look(&deck, Self.start).slots[0].status == .idle)
        #expect(!mutating(&deck) { $0.open(Self.identity(2), now: Self.start) })
    }

    @Test(arguments: [(899, true), (900, false)] as [(Int64, Bool)])
    func selectionLapsesAfterFifteenMinutes(seconds: Int64, remains: Bool) {
        var deck = Self.deck([Self.task(1)])
        #expect(mutating(&deck) { $0.open(Self.identity(1), now: Self.start) })
        #expect(deck.nextDeadline(now: Self.start) == Self.later(900))
        #expect((Self.look(&deck, Self.later(seconds)).activeThreadKey != nil) == remains)
    }

    @Test(arguments: [(Int64(299), HostSession.Status.complete), (Int64(300), .idle)] as [(Int64, HostSession.Status)])
    func completionGrowsOldInHostSessions(seconds: Int64, expected: HostSession.Status) {
        var deck = Self.deck([Self.task(1, .finished(revision: 3))])
        #expect(Self.look(&deck, Self.later(seconds)).hostSessions?.first?.status == expected)
        #expect(Self.look(&deck, Self.later(seconds)).slots[0].status == .complete)
    }

    @Test func workStartInTheFutureIsNotSent() {
        var deck = Self.deck([Self.task(1, .working, at: 0, started: 50)])
        #expect(Self.look(&deck, Self.later(10)).slots[0].workStartedAt == nil)
        #expect(Self.look(&deck, Self.later(10)).slots[0].workStartRevision == nil)
        #expect(Self.look(&deck, Self.later(50)).slots[0].workStartedAt == Self.later(50))
    }

    @Test func stalledTaskIsIdleOnTheWire() {
        var task = Self.task(1, .working)
        task.stalled = true
        var deck = Self.deck([task])
        #expect(Self.look(&deck, Self.start).slots[0].status == .idle)
        #expect(Self.look(&deck, Self.start).hostSessions?.first?.status == .idle)
    }

    @Test func atMost128SessionsTheNewest() {
        var deck = Self.deck((0..<200).map { number in
            var task = Self.task(0, .idle, at: Int64(number))
            task.identity = TaskIdentity(bytes: [UInt8(number), 1])
            return task
        })
        let sessions = Self.look(&deck, Self.later(300)).hostSessions ?? []
        #expect(sessions.count == 128)
        #expect(sessions.first?.threadID == TaskIdentity(bytes: [199, 1]))
        #expect(sessions.last?.threadID == TaskIdentity(bytes: [72, 1]))
    }

    @Test func settingsSurviveTheirFile() throws {
        var deck = Self.deck([Self.task(1, .finished(revision: 5)), Self.task(2)], mode: .custom)
        _ = deck.togglePin(Self.identity(2))
        deck.assign(Self.identity(1), toSlot: 3)
        deck.assign(.git, to: .act12)
        #expect(mutating(&deck) { $0.open(Self.identity(1), now: Self.start) })
        #expect(try DeckSettings(json: deck.settings.json) == deck.settings)
    }

    @Test(arguments: [
        #"{"mode":"best"}"#, #"{"pins":["x"]}"#, #"{"pins":7}"#, #"{"custom":[]}"#, #"{"layout":{"ACT06":"NOPE"}}"#, #"{"layout":{"ACT99":"FAST"}}"#,
        #"{"selection":{"task":"x","pressedAt":1}}"#, #"{"acknowledged":{"x":[1,2]}}"#, "[]",
    ])
    func damagedSettingsAreNoticed(text: String) throws {
        let value = try JSONParserForTests.parse(text)
        #expect(throws: DeckSettingsError.self) { try DeckSettings(json: value) }
    }

    @Test func acknowledgementsAreBounded() {
        var settings = DeckSettings()
        for number in 0..<2_100 {
            settings.acknowledge(
                TaskIdentity(bytes: [UInt8(number & 255), UInt8(number >> 8)]), revision: 1,
                at: Self.start.advanced(byMilliseconds: Int64(number)))
        }
        #expect(settings.acknowledged.count == DeckSettings.maximumAcknowledgements)
        #expect(settings.acknowledged[TaskIdentity(bytes: [0, 0])] == nil)
    }
}

/// Lets a mutating call stand in an expectation, which takes its arguments as constants.
func mutating<Value, Result>(_ value: inout Value, _ body: (inout Value) -> Result) -> Result { body(&value) }
