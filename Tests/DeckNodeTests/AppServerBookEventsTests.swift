import CodexAppServer
import JSON
import RelayProtocol
import Testing

@testable import DeckNode

/// What each event makes of the facts of a thread.
struct AppServerBookEventsTests {
    /// Facts of thread 1 after these messages, the first at the start and each later one a second after the one before.
    static func facts(_ messages: [JSONValue]) -> ThreadFacts? {
        var book = ThreadBook()
        book.note(Wire.record(Wire.thread(1)))
        apply(messages, to: &book)
        return book.facts(Wire.id(1))
    }

    static func apply(_ messages: [JSONValue], to book: inout ThreadBook) {
        for (index, message) in messages.enumerated() { book.apply(Wire.event(message), now: Wire.later(Int64(index) * 1_000)) }
    }

    static func book(_ messages: JSONValue...) -> ThreadBook {
        var book = ThreadBook()
        book.note(Wire.record(Wire.thread(1, Wire.active())))
        apply(messages, to: &book)
        return book
    }

    static func ids(_ book: ThreadBook) -> [String] { book.pending(of: Wire.id(1)).map { "\($0.id)" } }

    @Test func aThreadSaysWhatItIs() throws {
        let facts = try #require(Self.facts([]))
        #expect(facts.preview == "words of 1")
        #expect((facts.name, facts.folder) == (nil, "/work"))
        #expect(facts.status == .idle)
        #expect(facts.activityAt == UnixMilliseconds(seconds: 1_795_999_000))
        #expect((facts.statusSince, facts.turnStart, facts.lastEnd) == (nil, nil, nil))
        #expect((facts.isUnread, facts.contextUsedPercent) == (nil, nil))
    }

    @Test func statusSinceIsWhenItChangedNotWhenItWasToldAgain() throws {
        let facts = Self.facts([Wire.status(1, Wire.active()), Wire.status(1, Wire.active()), Wire.status(1, Wire.idle), Wire.status(1, Wire.idle)])
        #expect(facts?.statusSince == Wire.later(2_000))
        #expect(facts?.activityAt == Wire.later(2_000), "what is told of an idle thread is no activity")
        #expect(Self.facts([Wire.status(1, Wire.idle)])?.statusSince == nil)
    }

    @Test func aNameComesAndGoes() {
        let named = Wire.note("thread/name/updated", 1, ["threadName": "Ship it"])
        #expect(Self.facts([named])?.name == "Ship it")
        #expect(Self.facts([named, Wire.note("thread/name/updated", 1)])?.name == nil)
    }

    @Test func tokenUsageGivesThePercentAndAnUnknownWindowKeepsIt() {
        func usage(_ total: Int, _ window: JSONValue) -> JSONValue {
            Wire.note("thread/tokenUsage/updated", 1, ["tokenUsage": ["last": ["totalTokens": .number(Double(total))], "modelContextWindow": window]])
        }
        #expect(Self.facts([usage(50, 200)])?.contextUsedPercent == 25)
        #expect(Self.facts([usage(50, 200), usage(60, nil)])?.contextUsedPercent == 25)
        #expect(Self.facts([usage(900, 200)])?.contextUsedPercent == 100)
        #expect(Self.facts([usage(0, 200)])?.contextUsedPercent == 0)
    }

    // MARK: Turns

    @Test func aTurnBeginsWithANumber() {
        let facts = Self.facts([Wire.turnStarted(1, "a"), Wire.turnCompleted(1, "completed", "a"), Wire.turnStarted(1, "b")])
        #expect(facts?.turnStart == .init(at: Wire.later(2_000), revision: 2))
    }

    @Test(arguments: [
        ("completed", ThreadFacts.TurnEnd.finished(count: 1)), ("failed", .failed(count: 1)), ("interrupted", .interrupted), ("inProgress", nil),
        ("exploded", nil),
    ])
    func aTurnEnds(word: String, end: ThreadFacts.TurnEnd?) {
        #expect(Self.facts([Wire.turnStarted(1), Wire.turnCompleted(1, word)])?.lastEnd == end)
    }

    @Test func endsAreToldApart() {
        let turns = ["completed", "failed", "interrupted", "completed"].flatMap { [Wire.turnStarted(1), Wire.turnCompleted(1, $0)] }
        #expect(Self.facts(turns)?.lastEnd == .finished(count: 3))
    }

    /// A review begins under one id and ends under another.
    @Test func aTurnThatEndsUnderAnotherIDHasEnded() {
        let book = Self.book(Wire.turnStarted(1, "b"), Wire.turnCompleted(1, "completed", "a"))
        #expect(book.entries[Wire.id(1)]?.runningTurn == nil)
        #expect(book.facts(Wire.id(1))?.lastEnd == .finished(count: 1))
    }

    // MARK: Requests

    @Test func aRequestWaitsUntilItIsResolved() {
        var book = Self.book(Wire.request(0, of: 1), Wire.request(1, of: 1), Wire.question(2, of: 1, options: ["a"]))
        #expect(Self.ids(book) == ["0", "1", "2"])
        #expect(book.facts(Wire.id(1))?.waitsForApproval == true)
        #expect(book.facts(Wire.id(1))?.waitsForResponse == true)
        Self.apply([Wire.resolved(0, of: 1)], to: &book)
        #expect(Self.ids(book) == ["1", "2"])
        Self.apply([Wire.resolved(0, of: 1), Wire.resolved(99, of: 1), Wire.resolved(1, of: 1)], to: &book)
        #expect(Self.ids(book) == ["2"])
        #expect(book.facts(Wire.id(1))?.waitsForApproval == false)
    }

    /// A number and the same digits as text are different ids.
    @Test func idsOfOtherTypesAreOtherIDs() {
        var message = Wire.request(0, of: 1)
        message = ["id": "0", "method": message["method"] ?? nil, "params": message["params"] ?? nil]
        var book = Self.book(message)
        Self.apply([Wire.resolved(0, of: 1)], to: &book)
        #expect(Self.ids(book) == ["0"])
    }

    @Test func aLateSubscriptionRepeatsWhatIsPending() {
        let book = Self.book(Wire.request(0, of: 1), Wire.request(1, of: 1), Wire.request(0, of: 1), Wire.request(1, of: 1))
        #expect(Self.ids(book) == ["0", "1"])
    }

    @Test func aRequestForAnUnknownThreadComesAgainOnceItIsKnown() {
        var book = ThreadBook()
        book.apply(Wire.event(Wire.request(0, of: 1)), now: Wire.start)
        #expect(book.takeWishes() == [.read(Wire.id(1))])
        book.note(Wire.record(Wire.thread(1, Wire.active("waitingOnApproval"))))
        #expect(book.takeWishes() == [.subscribe(Wire.id(1))])
        #expect(book.facts(Wire.id(1))?.waitsForApproval == true)
        #expect(book.pending(of: Wire.id(1)).isEmpty)
        book.apply(Wire.event(Wire.request(0, of: 1)), now: Wire.start)
        #expect(Self.ids(book) == ["0"])
    }

    @Test func aRequestOfNoThreadIsNobodys() {
        var book = Self.book()
        book.apply(Wire.event(["id": 5, "method": "account/something", "params": [:]]), now: Wire.start)
        #expect(Self.ids(book).isEmpty)
        #expect(book.takeWishes() == [.subscribe(Wire.id(1))])
    }

    @Test func aKindOfALaterVersionIsShown() {
        let facts = Self.book(Wire.request(0, of: 1, "item/novel/ask")).facts(Wire.id(1))
        #expect((facts?.waitsForApproval, facts?.waitsForResponse) == (false, true))
    }

    @Test(arguments: [Wire.status(1, Wire.notLoaded), Wire.note("thread/closed", 1)])
    func aThreadThatIsNotLoadedWaitsForNothing(message: JSONValue) {
        var book = Self.book(Wire.request(0, of: 1), Wire.turnStarted(1), Wire.settingsUpdated(1, Wire.settings()))
        #expect(book.entries[Wire.id(1)]?.settings != nil)
        Self.apply([message], to: &book)
        #expect(Self.ids(book).isEmpty)
        let entry = book.entries[Wire.id(1)]
        #expect((entry?.runningTurn, entry?.settings) == (nil, nil))
        #expect(book.facts(Wire.id(1))?.status == .notLoaded)
    }

    @Test func aThreadThatIsReadAsNotLoadedWaitsForNothing() {
        var book = Self.book(Wire.request(0, of: 1))
        book.note(Wire.record(Wire.thread(1, Wire.notLoaded)))
        #expect(Self.ids(book).isEmpty)
    }

    // MARK: Gone and back

    @Test(arguments: ["thread/archived", "thread/deleted"]) func aThreadIsGone(method: String) {
        var book = Self.book(Wire.request(0, of: 1))
        _ = book.takeChanges()
        Self.apply([Wire.note(method, 1)], to: &book)
        let (changed, removed) = book.takeChanges()
        #expect(changed.isEmpty)
        #expect(removed == [Wire.id(1)])
        #expect(book.facts(Wire.id(1)) == nil)
        Self.apply([Wire.note(method, 1)], to: &book)
        #expect(book.takeChanges().removed.isEmpty, "told once")
    }

    @Test func anUnarchivedThreadIsBack() {
        var book = Self.book(Wire.note("thread/archived", 1))
        _ = (book.takeChanges(), book.takeWishes())
        Self.apply([Wire.note("thread/unarchived", 1)], to: &book)
        #expect(book.takeWishes() == [.read(Wire.id(1))])
        book.note(Wire.record(Wire.thread(1, Wire.notLoaded)), readState: nil)
        let (changed, removed) = book.takeChanges()
        #expect(changed == [Wire.id(1)])
        #expect(removed.isEmpty)
        #expect(book.takeWishes().isEmpty, "it is not loaded")
    }

    // MARK: Read marks

    static func mark(_ unread: Bool) -> JSONValue { Wire.note("thread/readState/changed", 1, ["readState": Wire.readState(unread: unread)]) }

    @Test(arguments: [
        ([], nil, 0), ([true], true, 0), ([true, false], false, 1), ([false], false, 0), ([true, false, false], false, 1),
        ([true, false, true, false], false, 2), ([true, true], true, 0),
    ] as [([Bool], Bool?, Int)])
    func eachTimeItIsReadCounts(marks: [Bool], isUnread: Bool?, times: Int) {
        let facts = Self.facts(marks.map(Self.mark))
        #expect(facts?.isUnread == isUnread)
        #expect(facts?.timesRead == times)
    }

    @Test func aListWithoutMarksKeepsWhatIsKnown() {
        var book = Self.book(Self.mark(true))
        book.note(Wire.record(Wire.thread(1)))
        #expect(book.facts(Wire.id(1))?.isUnread == true)
    }

    // MARK: Sameness

    @Test func equalWordsMakeEqualFacts() {
        var book = Self.book(Wire.status(1, Wire.idle))
        let before = book.facts(Wire.id(1))
        Self.apply([Wire.settingsUpdated(1, Wire.settings()), Wire.resolved(3, of: 1), Wire.status(1, Wire.idle)], to: &book)
        book.apply(Wire.event(Wire.itemCompleted(1, "completed")), now: Wire.later(9_000))
        #expect(book.facts(Wire.id(1)) == before)
        Self.apply([Wire.request(0, of: 1)], to: &book)
        #expect(book.facts(Wire.id(1)) != before)
    }
}
